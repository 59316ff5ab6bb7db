import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type Mocha from 'mocha';
import ParallelBuffered from 'mocha/lib/nodejs/reporters/parallel-buffered.cjs';
import { cpuOfTree } from './cpu-time.ts';
import type { FileTime } from './file-times.ts';
import { RUNNING_PREFIX } from './running-tests.ts';

/** The end of the file before in this worker. */
let last = { wallMs: 0, cpuMs: 0, childrenMs: 0 };

/**
 * Runs in each of mocha's workers, which hand in what they saw when a file has ended. Prints each failure
 * at once besides, and keeps in a file what is running: a run that is cut short would take both along.
 */
// biome-ignore lint/style/noDefaultExport: mocha loads a reporter by its default export.
export default class WorkerReporter extends ParallelBuffered {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.on('fail', (test, error) => process.stdout.write(failureText(test, error)));
    const folder = process.env['PAYMOUNT_TEST_FOLDER'];
    if (folder) noteWhatRuns(runner, join(folder, `${RUNNING_PREFIX}${process.pid}`));
    const times = process.env['PAYMOUNT_TEST_FILE_TIMES'];
    if (times)
      runner.once('end', () => appendFileSync(times, `${JSON.stringify(measureFile(runner))}\n`));
  }
}

/** @param note says which test or hook this worker is in; there is none between files */
function noteWhatRuns(runner: Mocha.Runner, note: string): void {
  const write = (running: Mocha.Runnable): void =>
    writeFileSync(note, `${fileOf(runner)}: ${running.fullTitle()}`);
  runner.on('test', write);
  runner.on('hook', write);
  runner.once('end', () => rmSync(note, { force: true }));
}

function failureText(test: Mocha.Test | Mocha.Hook, error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `failed: ${test.fullTitle()}\n${text}\n`;
}

/** What passed since the file before, loading this one included. */
function measureFile(runner: Mocha.Runner): FileTime {
  const { user, system } = process.cpuUsage();
  const ownMs = (user + system) / 1_000;
  const now = {
    wallMs: performance.now(),
    cpuMs: ownMs,
    childrenMs: cpuOfTree(process.pid) / 1_000 - ownMs,
  };
  const time = {
    file: fileOf(runner),
    wallMs: now.wallMs - last.wallMs,
    cpuMs: now.cpuMs - last.cpuMs,
    childrenMs: Math.max(0, now.childrenMs - last.childrenMs),
  };
  last = now;
  return time;
}

function fileOf(runner: Mocha.Runner): string {
  const [suite] = runner.suite.suites;
  return relative('', suite?.file ?? runner.suite.tests[0]?.file ?? '');
}
