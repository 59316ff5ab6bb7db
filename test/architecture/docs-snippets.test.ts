import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { transform } from 'esbuild';
import { ofToday } from '../support/depth.ts';
import { type PlantedTree, plantTree, ROOT } from '../support/planted-tree.ts';
import { type CodeBlock, readPages } from '../support/read-pages.ts';

const RUN_LIMIT_MS = 180_000;
/** Stands among the snippets, so that a compiler which looks at nothing is noticed. */
const PLANTED = 'planted.ts';
const BROKEN = "export const count: number = 'one';\n";

interface Snippet {
  readonly name: string;
  readonly file: string;
  readonly block: CodeBlock;
}

const all: readonly Snippet[] = readPages().flatMap(({ file, blocks }) =>
  blocks.map((block) => ({
    name: `${file}:${block.line}`,
    file: `${file.replaceAll(/[/.]/g, '-')}-${block.line}.ts`,
    block,
  })),
);
const typed = all.filter(({ block }) => block.language === 'ts');
const run = typed.filter(({ block }) => block.marks.includes('run'));

describe('code in the docs', () => {
  let tree: PlantedTree;

  before(async () => {
    const files = Object.fromEntries(
      typed.map(({ file, block }) => [file, `${block.code}\nexport {};\n`]),
    );
    const options = {
      composite: false,
      noEmit: true,
      allowImportingTsExtensions: true,
      rewriteRelativeImportExtensions: false,
      declaration: false,
      declarationMap: false,
      types: ['node', 'mocha'],
    };
    const project = {
      extends: './tsconfig.base.json',
      compilerOptions: options,
      include: ['*.ts'],
    };
    tree = await plantTree(
      {
        ...files,
        [PLANTED]: BROKEN,
        'tsconfig.json': JSON.stringify(project),
        'package.json': '{"type":"module"}',
      },
      ['tsconfig.base.json'],
      { node_modules: `${ROOT}node_modules` },
    );
  });

  after(() => tree.remove());

  it('is there: pages show how, and some of it runs', () => {
    expect(typed.length).to.be.greaterThan(15);
    expect(run.length).to.be.greaterThan(3);
  });

  it('compiles', async () => {
    const said = await tree.run('tsc', '-p', '.', '--pretty', 'false');
    const wrong = said.split('\n').flatMap((line) => {
      const [, file, row, what] = /^(\S+\.ts)\((\d+),\d+\): (.*)$/.exec(line) ?? [];
      const snippet = typed.find((candidate) => candidate.file === file);
      if (file === PLANTED) return [PLANTED];
      return snippet ? [`${snippet.name}, line ${row} of it: ${what}`] : [];
    });
    expect(wrong).to.deep.equal([PLANTED]);
  }).timeout(RUN_LIMIT_MS);

  for (const { name, file, block } of ofToday(run)) {
    it(`runs at ${name}`, async () => {
      const program = join(tree.folder, file.replace(/ts$/, 'mjs'));
      await writeFile(program, (await transform(block.code, { loader: 'ts' })).code);
      const child = spawn(process.execPath, [program], { cwd: tree.folder, timeout: RUN_LIMIT_MS });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (bytes: Buffer) => {
          said += bytes.toString();
        });
      }
      expect(await once(child, 'close'), said).to.deep.equal([0, null]);
    }).timeout(RUN_LIMIT_MS);
  }

  it('parses as JSON where it is said to be JSON', () => {
    const broken = all
      .filter(({ block }) => block.language === 'json' && !parses(block.code))
      .map(({ name }) => name);
    expect(broken).to.deep.equal([]);
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
