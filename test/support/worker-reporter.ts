import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type Mocha from 'mocha';
import ParallelBuffered from 'mocha/lib/nodejs/reporters/parallel-buffered.cjs';
import type { FileTime } from './file-times.ts';

/** A clock tick of `/proc`, on every Linux that Node runs on. */
const TICK_MS = 10;

/** The end of the file before in this worker. */
let last = { wallMs: 0, cpuMs: 0, childrenMs: 0 };

/**
 * Runs in each of mocha's workers, which hand in what they saw when a file has ended. Prints each failure
 * at once besides: a run that is cut short would take it along.
 */
// biome-ignore lint/style/noDefaultExport: mocha loads a reporter by its default export.
export default class WorkerReporter extends ParallelBuffered {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.on('fail', (test, error) => process.stdout.write(failureText(test, error)));
    const file = process.env['PAYMOUNT_TEST_FILE_TIMES'];
    if (file)
      runner.once('end', () => appendFileSync(file, `${JSON.stringify(measureFile(runner))}\n`));
  }
}

function failureText(test: Mocha.Test | Mocha.Hook, error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `failed: ${test.fullTitle()}\n${text}\n`;
}

/** What passed since the file before, loading this one included. */
function measureFile(runner: Mocha.Runner): FileTime {
  const { user, system } = process.cpuUsage();
  const now = {
    wallMs: performance.now(),
    cpuMs: (user + system) / 1_000,
    childrenMs: childrenCpuMs(),
  };
  const [suite] = runner.suite.suites;
  const time = {
    file: relative('', suite?.file ?? runner.suite.tests[0]?.file ?? ''),
    wallMs: now.wallMs - last.wallMs,
    cpuMs: now.cpuMs - last.cpuMs,
    childrenMs: now.childrenMs - last.childrenMs,
  };
  last = now;
  return time;
}

/** The processes that were started and have ended, theirs included; 0 where there is no `/proc`. */
function childrenCpuMs(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // cutime and cstime, 16th and 17th of proc_pid_stat(5); the split took the first two.
    return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
  } catch {
    return 0;
  }
}
