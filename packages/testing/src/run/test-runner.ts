type Test = (
  name: string,
  run: (this: unknown, ...context: readonly unknown[]) => Promise<void>,
) => unknown;

/** The functions of a test runner that we use; mocha, jest, vitest and node:test have them. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  /** `skip` is needed if a case must be skipped. */
  readonly it: Test & { readonly skip?: Test };
}

/** The global `describe` and `it`. @throws TypeError if they do not exist */
export function globalRunner(): TestRunner {
  const runner: unknown = globalThis;
  if (isRunner(runner)) return runner;
  throw new TypeError('There is no global describe and it: pass the test runner.');
}

function isRunner(value: unknown): value is TestRunner {
  return (
    typeof value === 'object' &&
    value !== null &&
    'describe' in value &&
    typeof value.describe === 'function' &&
    'it' in value &&
    typeof value.it === 'function'
  );
}
