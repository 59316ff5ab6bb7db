import {
  type ProcessorFactory,
  type ProcessorFixtures,
  processorCases,
} from '@paymount/core/conformance';

/** The two functions of a test runner that are used: mocha, jest, vitest and node:test have them. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, run: () => Promise<void>): unknown;
}

/**
 * Runs the conformance suite of processors as tests; call it at the top of a test file.
 * @param factory makes the adapter anew each time, connected to one and the same processor
 * @param fixtures the cards of that processor's test environment
 * @param runner @defaultValue the global `describe` and `it`; pass `import * as nodeTest from
 *   'node:test'` for node's own runner
 */
export function describeProcessor(
  factory: ProcessorFactory,
  fixtures: ProcessorFixtures,
  runner: TestRunner = globalRunner(),
): void {
  runner.describe('a processor', () => {
    for (const { name, run } of processorCases(factory, fixtures)) runner.it(name, run);
  });
}

function globalRunner(): TestRunner {
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
