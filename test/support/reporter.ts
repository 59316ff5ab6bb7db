import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** What the runner counts. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Mocha's own report, then every skipped test by name, and the counts for the runner's last line. */
// biome-ignore lint/style/noDefaultExport: mocha loads a reporter by its default export.
export default class PaymountReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
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
