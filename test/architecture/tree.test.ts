import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { ROOT } from '../support/planted-tree.ts';

/** The whole of the repository's top level: the parts, and the files that configure tools. */
const PARTS = [
  'packages',
  'example-host',
  'docs',
  'test',
  'package.json',
  'tsconfig.json',
  'README.md',
];
const CONFIGURATION = [
  '.c8rc.json',
  '.changeset',
  '.ci',
  '.dependency-cruiser.cjs',
  '.dependency-cruiser.tables.cjs',
  '.editorconfig',
  '.github',
  '.gitignore',
  '.mocharc.json',
  '.npmrc',
  '.oxlintrc.json',
  '.paymount-scan-ignore',
  'CONTRIBUTING.md',
  'LICENSE',
  'SECURITY.md',
  'biome.json',
  'esbuild.config.mjs',
  'knip.json',
  'package-lock.json',
  'tsconfig.base.json',
];
/** What work leaves behind; `.gitignore` names it. */
const LEFT_BEHIND = ['.git', '.paymount', 'coverage', 'node_modules'];

const DRAWERS = /^(utils?|helpers?|common|manager|misc)$|-(utils?|helpers?|common|manager)$/;
const CODE = /\.(ts|cjs|mjs|js)$/;

/** Every file under these folders of the repository, without what is built or installed. */
function filesIn(...folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
      .filter((file) => !/(^|\/)(node_modules|dist|results)\//.test(file)),
  );
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

function linesWhere(files: readonly string[], pattern: RegExp): string[] {
  return files.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, index) =>
        pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
      ),
  );
}

/** `value as Type`, but not `as const`, which narrows nothing that is not so. */
function typeAssertions(file: string): string[] {
  const tree = ts.createSourceFile(file, read(file), ts.ScriptTarget.ES2023);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isAsExpression(node) && node.type.getText(tree) !== 'const') {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
      found.push(`${file}:${line + 1}: ${node.getText(tree)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

const sources = filesIn('packages', 'example-host').filter((file) => /\/src\/.*\.ts$/.test(file));
const tests = filesIn('test').filter((file) => CODE.test(file));

describe('the tree', () => {
  it('has the parts and the configuration at its top, and nothing else', () => {
    const known = [...PARTS, ...CONFIGURATION, ...LEFT_BEHIND];
    expect(readdirSync(ROOT).filter((name) => !known.includes(name))).to.deep.equal([]);
  });

  it('has no drawers: files named utils, helpers, common, manager', () => {
    const named = [...sources, ...tests].filter((file) =>
      DRAWERS.test(basename(file).replace(/\.(test\.)?[cm]?[jt]s$/, '')),
    );
    expect(named).to.deep.equal([]);
  });

  it('opens each package with 3 to 8 lines that say what it is', () => {
    const entries = sources.filter((file) => /^packages\/[^/]+\/src\/index\.ts$/.test(file));
    const unopened = entries.filter((file) => {
      const comment = /^(?:\/\*\*[\s\S]*?\*\/|(?:\/\/.*\n)+)/.exec(read(file))?.[0] ?? '';
      const said = comment.split('\n').filter((line) => /\w/.test(line)).length;
      return said < 3 || said > 8;
    });
    expect(unopened).to.deep.equal([]);
  });

  it('leaves no test marked as the only one', () => {
    expect(linesWhere(tests, /\b(describe|context|it|specify)\.only\(/)).to.deep.equal([]);
  });

  it('leaves nothing to be done later in the code', () => {
    expect(linesWhere(sources, /\b(TODO|FIXME|XXX)\b/)).to.deep.equal([]);
  });

  it('reads business time from the injected clock alone', () => {
    // Ids sort by the time of the machine, whatever a test clock says.
    const timed = sources
      .filter((file) => !file.endsWith('/basics/time-ordered-suffix.ts'))
      .filter((file) =>
        /^packages\/(core(?!\/src\/conformance)|http|webhooks|auth|storage-postgres)\//.test(file),
      );
    const machineTime = /\bDate\.now\(|\bnew Date\(\)|\bTemporal\.Now\b/;
    expect(linesWhere(timed, machineTime)).to.deep.equal([]);
  });

  it('narrows types by parsing: `as` appears only where ids, rows and drivers enter', () => {
    const entrances = /\/(id|session|[^/]+-rows?)\.ts$/;
    const elsewhere = sources.filter((file) => !entrances.test(file));
    expect(elsewhere.flatMap(typeAssertions)).to.deep.equal([]);
  });

  it('says in CONTRIBUTING.md what each script does', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const guide = read('CONTRIBUTING.md');
    // npm runs `pretest` before `test`.
    const own = Object.keys(scripts).filter(
      (name) => !(name.startsWith('pre') && name.slice(3) in scripts),
    );
    const unsaid = own.filter((name) => !new RegExp(`\\| \`npm (run )?${name}[ \`]`).test(guide));
    expect(unsaid).to.deep.equal([]);
  });
});
