import type { Context } from 'mocha';

/** Skips the running test where the machine lacks what it needs, and says what that is. */
export function skipUnless(has: boolean, what: string, test: Context): void {
  if (!has) skipWithout(what, test);
}

/** Skips the running test, or all that its hook prepares. */
export function skipWithout(what: string, test: Context): never {
  process.stdout.write(`needs ${what}: ${test.test?.fullTitle()}\n`);
  // The runner lists what was skipped by title at the end.
  if (test.test) test.test.title += ` (needs ${what})`;
  return test.skip();
}
