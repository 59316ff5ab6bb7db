import type { StorageAdapter } from '@paymount/core/store';
import { globalRunner, type TestRunner } from '../run/test-runner.ts';
import { type StorageSuite, storageCases } from './cases.ts';

/**
 * Runs the conformance suite of storage as tests; call it at the top of a test file. Cases for
 * features that the adapter lacks, and those without their fixture, are skipped, with the reason.
 * @param adapter makes it once, when the first test runs: a database may have to start
 * @param suite `lacks` as the adapter has it, and `hostTransaction`
 * @param runner @defaultValue the global `describe` and `it`; pass `import * as nodeTest from
 *   'node:test'` for Node's own runner
 * @throws TypeError if a case must be skipped, and the runner has no `it.skip`
 */
export function describeStorage(
  adapter: () => StorageAdapter | Promise<StorageAdapter>,
  suite: StorageSuite = {},
  runner: TestRunner = globalRunner(),
): void {
  const skip: TestRunner['it'] = (name, run) => {
    if (runner.it.skip === undefined) throw new TypeError('The runner has no `it.skip`.');
    return runner.it.skip(name, run);
  };
  runner.describe('a storage adapter', () => {
    for (const { name, leftOut, run } of storageCases(adapter, suite)) {
      if (leftOut === undefined) runner.it(name, run);
      else skip(`${name} (left out: ${leftOut})`, run);
    }
  });
}
