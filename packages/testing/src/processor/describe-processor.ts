import { globalRunner, type TestRunner } from '../run/test-runner.ts';
import { type ProcessorCase, processorCases } from './cases.ts';
import type { ProcessorFactory, ProcessorFixtures } from './fixtures.ts';
import { ProcessorRecord, type ProcessorReport } from './report.ts';

/**
 * Runs the conformance suite of processors as tests; call it at the top of a test file. A case that
 * cannot run is skipped if the runner can skip, and standard output has its name and the reason.
 * @param factory makes a new adapter each time, connected to the same processor
 * @param fixtures the cards of that processor's test environment
 * @param runner
 * @defaultValue the global `describe` and `it`; pass `import * as nodeTest from 'node:test'` for
 *   Node's own runner
 * @returns a function that returns the report so far, for a later test of yours
 */
export function describeProcessor(
  factory: ProcessorFactory,
  fixtures: ProcessorFixtures,
  runner: TestRunner = globalRunner(),
): () => ProcessorReport {
  const cases = processorCases(factory, fixtures);
  const record = new ProcessorRecord(fixtures, cases);
  runner.describe('a processor', () => {
    for (const of of cases) {
      runner.it(of.name, async function (...context) {
        const reason = await runCase(of, record);
        if (reason === undefined) return;
        say(`left out: ${of.name}. ${reason}`);
        skip(this, ...context);
      });
    }
    runner.it('says what is missing until it may go live', async () => {
      const { missingForLive } = record.report();
      if (missingForLive.length === 0) say('ready for live: nothing is missing.');
      for (const missing of missingForLive) say(`not ready for live: ${missing}`);
    });
  });
  return () => record.report();
}

/** @returns why the case was skipped; undefined if it passed */
async function runCase(
  { name, leftOut, run }: ProcessorCase,
  record: ProcessorRecord,
): Promise<string | undefined> {
  try {
    const reason = await leftOut();
    if (reason === undefined) await run();
    record.end(name, reason);
    return reason;
  } catch (error) {
    record.fail(name, error);
    throw error;
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * mocha skips with `this`, node:test and vitest with an argument; jest cannot skip a running test.
 */
function skip(...contexts: readonly unknown[]): void {
  for (const context of contexts) if (canSkip(context)) context.skip();
}

function canSkip(value: unknown): value is { skip(): void } {
  if (typeof value !== 'object' || value === null || !('skip' in value)) return false;
  return typeof value.skip === 'function';
}
