import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Mocha from 'mocha';

/** What the runner counts. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Mocha's runner of several workers; its types leave this method out. */
interface ParallelRunner extends Mocha.Runner {
  workerReporter(path: string): void;
}

const WORKER_REPORTER = fileURLToPath(new URL('./worker-reporter.ts', import.meta.url));

/** Mocha's own report, then every skipped test by name, and the counts for the runner's last line. */
// biome-ignore lint/style/noDefaultExport: mocha loads a reporter by its default export.
export default class PaymountReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    if (isParallel(runner)) runner.workerReporter(WORKER_REPORTER);
    const skipped: string[] = [];
    runner.on('pending', (test) => skipped.push(test.fullTitle()));
    runner.once('end', () => {
      for (const title of skipped) process.stdout.write(`skipped: ${title}\n`);
      const { passes, failures, pending } = this.stats;
      const counts: Counts = { passed: passes, failed: failures, skipped: pending };
      const file = process.env['PAYMOUNT_TEST_COUNTS'];
      if (file) writeFileSync(file, JSON.stringify(counts));
    });
  }
}

function isParallel(runner: Mocha.Runner): runner is ParallelRunner {
  return 'workerReporter' in runner;
}
