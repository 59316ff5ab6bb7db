import { expect } from 'chai';
import { type Files, type PlantedTree, plantTree, ROOT } from '../support/planted-tree.ts';

const lines = (count: number): string => '  void 0;\n'.repeat(count);
const source = (name: string): string => `packages/core/src/shared/${name}.ts`;

/** Rule of Biome -> the planted file that breaks it, and its text. */
const PLANTED: Readonly<Record<string, readonly [file: string, text: string]>> = {
  useImportType: [
    source('import-type'),
    "import { Id } from './id.ts';\nexport type Other = Id;\n",
  ],
  noExplicitAny: [source('explicit-any'), 'export const value: any = 1;\n'],
  noNonNullAssertion: [
    source('non-null'),
    'export const first = (list: string[]) => list[0]!.length;\n',
  ],
  useNodejsImportProtocol: [source('protocol'), "export { join } from 'path';\n"],
  noParameterProperties: [
    source('parameter-property'),
    'export class Part {\n  constructor(readonly name: string) {}\n}\n',
  ],
  noEnum: [source('enum'), 'export enum Colour {\n  red = 1,\n}\n'],
  noNamespace: [source('namespace'), 'export namespace Space {\n  export const a = 1;\n}\n'],
  noReExportAll: [source('re-export'), "export * from './id.ts';\n"],
  noDefaultExport: [source('default-export'), 'export default 1;\n'],
  useFilenamingConvention: [source('camelCase'), 'export const a = 1;\n'],
  noConsole: [source('console'), "console.log('here');\n"],
  noExcessiveLinesPerFunction: [
    source('long-function'),
    `export function long(): void {\n${lines(61)}}\n`,
  ],
  noExcessiveLinesPerFile: [
    source('long-file'),
    `export const a = 1;\n${'export const b = 1;\n'.repeat(350)}`,
  ],
};

/** Rule of oxlint -> text of a planted file. */
const PROMISES: Files = {
  'no-floating-promises': 'async function send(): Promise<void> {}\nsend();\n',
  'no-misused-promises': 'const list = [1].filter(async (n) => n > 0);\nvoid list;\n',
  'await-thenable': 'export async function wait(): Promise<void> {\n  await 1;\n}\n',
  'switch-exhaustiveness-check':
    "export function name(state: 'on' | 'off'): void {\n  switch (state) {\n    case 'on':\n      break;\n  }\n}\n",
  'no-useless-spread': 'export const both = { one: 1, ...{ other: 2 } };\n',
  'no-unsafe-assignment': "export const parsed: string = JSON.parse('1');\n",
};

describe('the style', () => {
  let tree: PlantedTree;
  let biome: { category: string; location: { path: unknown } }[];
  let oxlint: string;

  before(async function () {
    this.timeout(60_000);
    const files: Record<string, string> = Object.fromEntries(Object.values(PLANTED));
    for (const [rule, text] of Object.entries(PROMISES)) files[`promises/${rule}.ts`] = text;
    files['.gitignore'] = 'node_modules/\n';
    files['tsconfig.json'] = JSON.stringify({ extends: './tsconfig.base.json', include: ['.'] });
    files['packages/core/src/kernel/basics/id.ts'] = 'export type Id = string;\n';
    files['test/long.test.ts'] = `export function long(): void {\n${lines(400)}}\n`;
    tree = await plantTree(files, ['biome.json', '.oxlintrc.json', 'tsconfig.base.json'], {
      node_modules: `${ROOT}node_modules`,
    });
    biome = JSON.parse(
      await tree.run('biome', 'lint', '--reporter=json', '--max-diagnostics=none', '.'),
    ).diagnostics;
    oxlint = await tree.run('oxlint', '--format=unix', 'promises');
  });

  after(() => tree.remove());

  for (const [rule, [file]] of Object.entries(PLANTED)) {
    it(`refuses what ${rule} refuses`, () => {
      const caught = biome.filter(({ category }) => category.endsWith(`/${rule}`));
      expect(JSON.stringify(caught.map(({ location }) => location.path))).to.include(file);
    });
  }

  for (const rule of Object.keys(PROMISES)) {
    it(`refuses what ${rule} of oxlint refuses`, () => {
      const caught = oxlint.split('\n').filter((line) => line.includes(`(${rule})`));
      expect(caught.join('\n')).to.include(`promises/${rule}.ts`);
    });
  }

  it('lets tests have long functions, and files of up to 500 lines', () => {
    expect(JSON.stringify(biome)).not.to.include('long.test.ts');
  });

  it('is checked in this repository by npm run check', async () => {
    const { default: manifest } = await import(`${ROOT}/package.json`, { with: { type: 'json' } });
    for (const tool of ['biome check', 'oxlint', 'depcruise', 'knip']) {
      expect(manifest.scripts.check).to.include(tool);
    }
  });
});
