import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/planted-tree.ts';

interface Run {
  readonly lastLine: string;
  readonly exitCode: number | null;
  readonly printed: string;
}

/** Each file of one run. */
const PLANTED = {
  'a.test.mjs': `it('holds', () => { if (process.env.PAYMOUNT_TEST_TIMES) throw new Error('handed on'); });
it.skip('waits for Redis', () => {});`,
  'inside/b.test.mjs': "it('fails', () => { throw new Error('so'); });",
  'inside/leaves.test.mjs': `import net from 'node:net';
it('dials', () => { net.connect(80, '192.0.2.1').on('error', () => {}); });`,
  'inside/talks.test.mjs': "it('talks', () => { console.log('sk_' + 'live_' + 'A'.repeat(38)); });",
  'inside/broken.test.mjs': "import './nowhere.mjs';\nit('holds', () => {});",
  'inside/deep.nightly.test.ts': "it('takes long', () => { console.log('at night'); });",
};

describe('npm test', function () {
  this.timeout(120_000);
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paymount runner '));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** @returns the path of a folder of test files that need no services */
  async function plant(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    const root = join(folder, name, 'test', 'unit');
    for (const [file, text] of Object.entries(files)) {
      await mkdir(join(root, file, '..'), { recursive: true });
      await writeFile(join(root, file), `${text}\n`);
    }
    return root;
  }

  /** @param watch is given the runner, and what it has printed so far, whenever it prints */
  async function run(
    path: string,
    environment: Record<string, string | undefined> = {},
    watch: (runner: ChildProcess, printed: string) => void = () => undefined,
  ): Promise<Run> {
    const env = {
      ...process.env,
      PAYMOUNT_TEST_DEPTH: undefined,
      PAYMOUNT_TEST_OUTPUT: join(folder, 'output.log'),
      ...environment,
    };
    const args = ['--import=tsx', '--conditions=@paymount/source', 'test/run.ts', path];
    const runner = spawn(process.execPath, args, { cwd: ROOT, env });
    let printed = '';
    runner.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      watch(runner, printed);
    });
    const [exitCode] = (await once(runner, 'close')) as [number | null];
    return { printed, exitCode, lastLine: printed.trimEnd().split('\n').at(-1) ?? '' };
  }

  describe('on files of every kind', () => {
    let done: Run;
    let table: string;

    before(async () => {
      table = join(folder, 'times.txt');
      const planted = await plant('kinds', PLANTED);
      done = await run(planted, { PAYMOUNT_TEST_TIMES: table, PAYMOUNT_TEST_DAY: '3' });
    });

    it('ends with the counts of a folder and those inside it, and 1 where a test failed', () => {
      // The file that cannot be loaded, the secret and the hook that found the dial count as one each.
      expect(done.lastLine).to.equal('3 passed, 4 failed, 1 skipped');
      expect(done.exitCode).to.equal(1);
    });

    it('prints each failure with its stack, and names what was skipped', () => {
      expect(done.printed).to.match(/^failed: fails\nError: so\n {4}at /m);
      expect(done.printed).to.include('skipped: waits for Redis');
    });

    it('fails a test that leaves the machine', () => {
      expect(done.printed).to.include('This test left the machine: connect 192.0.2.1');
    });

    it('fails when a secret was printed', () => {
      expect(done.printed).to.include('A secret was printed');
    });

    it('writes what each file took, and hands the name of that table on to no test', async () => {
      expect(await readFile(table, 'utf8')).to.match(
        /^ +wall s +cpu s +children s +idle {2}file\n.+all \d files\n(.+\.test\.mjs\n)+$/,
      );
    });

    it('passes over the files of the nightly run, and says which day it samples', () => {
      expect(done.printed).to.include('Matrices are sampled: day 3 of 0 to 6.');
      expect(done.printed).not.to.include('at night');
    });
  });

  it('runs the files of the nightly run where the depth is nightly', async () => {
    const planted = await plant('night', {
      'deep.nightly.test.ts': PLANTED['inside/deep.nightly.test.ts'],
    });
    const { lastLine, exitCode, printed } = await run(planted, { PAYMOUNT_TEST_DEPTH: 'nightly' });
    expect({ lastLine, exitCode }).to.deep.equal({ lastLine: '1 passed, 0 failed', exitCode: 0 });
    expect(printed).to.include('at night');
  });

  it('counts a run of no tests as failed', async () => {
    const { lastLine, exitCode } = await run(await plant('empty', { 'a.test.mjs': '' }));
    expect({ lastLine, exitCode }).to.deep.equal({ lastLine: '0 passed, 1 failed', exitCode: 1 });
  });

  it('refuses a path where nothing is', async () => {
    const { exitCode, printed, lastLine } = await run('test/unit/nowhere.test.ts');
    expect(exitCode).to.equal(1);
    expect(printed).to.include('There is no test/unit/nowhere.test.ts to test.');
    expect(lastLine).to.equal('0 passed, 1 failed');
  });

  it('counts a crash as failed', async () => {
    const crash = "it('crashes', () => { process.kill(process.pid, 'SIGKILL'); });";
    const { lastLine, exitCode } = await run(await plant('crash', { 'a.test.mjs': crash }));
    expect({ lastLine, exitCode }).to.deep.equal({ lastLine: '0 passed, 1 failed', exitCode: 1 });
  });

  it('counts a run past its limit as failed', async () => {
    const hang = await plant('limit', { 'a.test.mjs': "it('hangs', () => { for (;;); });" });
    const { lastLine, printed } = await run(hang, { PAYMOUNT_TEST_LIMIT_MS: '3000' });
    expect(lastLine).to.equal('0 passed, 1 failed');
    expect(printed).to.include('The test run still ran after 3 s.');
  });

  it('prints the failures before it was cut, and names what was running', async () => {
    const cut = await plant('cut', {
      'a.test.mjs':
        "it('fails', () => { throw new Error('so'); });\nit('hangs', () => { console.log('hanging'); for (;;); });",
    });
    const { printed, lastLine } = await run(cut, {}, (runner, said) => {
      if (said.includes('hanging')) runner.kill('SIGTERM');
    });
    expect(printed).to.include('failed: fails\nError: so\n');
    expect(printed).to.include('The test run interrupted by SIGTERM.');
    expect(printed).to.match(/^It was running: .*a\.test\.mjs: hangs$/m);
    expect(lastLine).to.equal('0 passed, 1 failed');
  });
});
