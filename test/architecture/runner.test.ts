import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/planted-tree.ts';

interface Run {
  readonly lastLine: string;
  readonly exitCode: number;
  readonly printed: string;
}

describe('npm test', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paymount runner '));
    await mkdir(join(folder, 'test', 'unit'), { recursive: true });
  });

  after(() => rm(folder, { recursive: true, force: true }));

  async function run(text: string, environment: Record<string, string> = {}): Promise<Run> {
    const file = join(
      folder,
      'test',
      'unit',
      `planted-${Math.random().toString(36).slice(2)}.test.mjs`,
    );
    await writeFile(file, text);
    return runAt([file], environment);
  }

  async function runAt(
    paths: readonly string[],
    environment: Record<string, string> = {},
  ): Promise<Run> {
    const env = {
      ...process.env,
      PAYMOUNT_TEST_OUTPUT: join(folder, 'output.log'),
      ...environment,
    };
    const args = ['--import=tsx', '--conditions=@paymount/source', 'test/run.ts', ...paths];
    return new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: ROOT, env }, (error, stdout) => {
        const lines = stdout.trimEnd().split('\n');
        resolve({
          lastLine: lines.at(-1) ?? '',
          exitCode: error ? Number(error.code) : 0,
          printed: stdout,
        });
      });
    });
  }

  it('ends with the counts, and 0 when nothing failed', async () => {
    const { lastLine, exitCode } = await run(
      "it('holds', () => {});\nit('holds too', () => {});\n",
    );
    expect({ lastLine, exitCode }).to.deep.equal({ lastLine: '2 passed, 0 failed', exitCode: 0 });
  });

  it('ends with 1 when a test failed, and names what was skipped', async () => {
    const { lastLine, exitCode, printed } = await run(
      "it('fails', () => { throw new Error('so'); });\nit.skip('waits for Redis', () => {});\nit('holds', () => {});\n",
    );
    expect(lastLine).to.equal('1 passed, 1 failed, 1 skipped');
    expect(exitCode).to.equal(1);
    expect(printed).to.include('skipped: waits for Redis');
  });

  it('counts a run of no tests as failed', async () => {
    const { lastLine, exitCode } = await run('');
    expect({ lastLine, exitCode }).to.deep.equal({ lastLine: '0 passed, 1 failed', exitCode: 1 });
  });

  it('runs what is in a folder, and in those inside it', async () => {
    const inside = join(folder, 'test', 'unit', 'whole', 'inside');
    await mkdir(inside, { recursive: true });
    await writeFile(join(inside, '..', 'a.test.mjs'), "it('holds', () => {});\n");
    await writeFile(join(inside, 'b.test.mjs'), "it('holds too', () => {});\n");
    const { lastLine } = await runAt([join(folder, 'test', 'unit', 'whole', '/')]);
    expect(lastLine).to.equal('2 passed, 0 failed');
  });

  it('refuses a path where nothing is', async () => {
    const { exitCode, printed, lastLine } = await runAt(['test/unit/nowhere.test.ts']);
    expect(exitCode).to.equal(1);
    expect(printed).to.include('There is no test/unit/nowhere.test.ts to test.');
    expect(lastLine).to.equal('0 passed, 1 failed');
  });

  it('counts a crash as failed', async () => {
    const crash = "it('crashes', () => { process.kill(process.pid, 'SIGKILL'); });\n";
    const { lastLine, exitCode } = await run(crash);
    expect({ lastLine, exitCode }).to.deep.equal({ lastLine: '0 passed, 1 failed', exitCode: 1 });
  });

  it('counts a file that cannot be loaded as failed', async () => {
    const { lastLine, exitCode } = await run("import './nowhere.mjs';\nit('holds', () => {});\n");
    expect({ lastLine, exitCode }).to.deep.equal({ lastLine: '0 passed, 1 failed', exitCode: 1 });
  });

  it('counts a run past its limit as failed', async () => {
    const hang = "it('hangs', () => { for (;;); });\n";
    const { lastLine, exitCode } = await run(hang, { PAYMOUNT_TEST_LIMIT_MS: '3000' });
    expect({ lastLine, exitCode }).to.deep.equal({ lastLine: '0 passed, 1 failed', exitCode: 1 });
  });

  it('prints the failures found before its limit', async () => {
    const { printed } = await run(
      "it('fails', () => { throw new Error('so'); });\nit('hangs', () => { for (;;); });\n",
      { PAYMOUNT_TEST_LIMIT_MS: '20000' },
    );
    expect(printed).to.match(/^failed: fails\nError: so\n {4}at /m);
    expect(printed).to.include('The test run still ran after 20 s.');
  });

  it('prints what each file took where it is asked to', async () => {
    const table = join(folder, 'times.txt');
    await run("it('holds', () => {});\n", { PAYMOUNT_TEST_TIMES: table });
    expect(await readFile(table, 'utf8')).to.match(
      /^ +wall s +cpu s +children s +idle {2}file\n.+all 1 files\n.+planted-\w+\.test\.mjs\n$/,
    );
  });

  it('keeps the table of its times from a run that a test starts', async () => {
    const { lastLine } = await run(
      "it('holds', () => { if (process.env.PAYMOUNT_TEST_TIMES) throw new Error('handed on'); });\n",
      { PAYMOUNT_TEST_TIMES: join(folder, 'times.txt') },
    );
    expect(lastLine).to.equal('1 passed, 0 failed');
  });

  it('fails a test that leaves the machine', async () => {
    const { lastLine, printed } = await run(
      "import net from 'node:net';\nit('dials', () => { net.connect(80, '192.0.2.1').on('error', () => {}); });\n",
    );
    expect(lastLine).to.equal('1 passed, 1 failed');
    expect(printed).to.include('This test left the machine: connect 192.0.2.1');
  });

  it('fails when a secret was printed', async () => {
    const { lastLine, printed } = await run(
      "it('talks', () => { console.log('sk_' + 'live_' + 'A'.repeat(38)); });\n",
    );
    expect(lastLine).to.equal('1 passed, 1 failed');
    expect(printed).to.include('A secret was printed');
  });
});
