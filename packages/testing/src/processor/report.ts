import { toError } from '@paymount/core/kernel';
import type { ConformanceCase } from '../run/conformance-case.ts';
import { processorCases } from './cases.ts';
import type { ProcessorFactory, ProcessorFixtures } from './fixtures.ts';

/** The result of each case for one adapter; each case that ran is in one of the three lists. */
export interface ProcessorReport {
  readonly passed: readonly string[];
  readonly failed: readonly { readonly name: string; readonly error: Error }[];
  /** The skipped cases, with the reason. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  /** What the adapter still needs for live charges, as sentences; empty if it is ready. */
  readonly missingForLive: readonly string[];
}

/**
 * Runs the whole suite against an adapter, one case after the other.
 * @param factory makes a new adapter; several may use one processor at the same time
 * @param fixtures the cards of its test environment
 * @returns the result of each case; it does not throw if a case fails
 */
export async function checkProcessor(
  factory: ProcessorFactory,
  fixtures: ProcessorFixtures,
): Promise<ProcessorReport> {
  const cases = processorCases(factory, fixtures);
  const record = new ProcessorRecord(fixtures, cases);
  for (const { name, leftOut, run } of cases) {
    try {
      const reason = await leftOut();
      if (reason === undefined) await run();
      record.end(name, reason);
    } catch (error) {
      record.fail(name, error);
    }
  }
  return record.report();
}

/** Collects the results of the cases; a test runner may run only some of them. */
export class ProcessorRecord {
  readonly #fixtures: ProcessorFixtures;
  /** The names of the cases that have not ended. */
  readonly #open: Set<string>;
  readonly #passed: string[] = [];
  readonly #failed: ProcessorReport['failed'][number][] = [];
  readonly #leftOut: ProcessorReport['leftOut'][number][] = [];

  /** @param cases all cases of the suite */
  constructor(fixtures: ProcessorFixtures, cases: readonly ConformanceCase[]) {
    this.#fixtures = fixtures;
    this.#open = new Set(cases.map(({ name }) => name));
  }

  /** @param reason why it was skipped; undefined if it passed */
  end(name: string, reason: string | undefined): void {
    this.#open.delete(name);
    if (reason === undefined) this.#passed.push(name);
    else this.#leftOut.push({ name, reason });
  }

  fail(name: string, cause: unknown): void {
    this.#open.delete(name);
    const error = toError(cause);
    this.#failed.push({ name, error });
  }

  /** The results so far. */
  report(): ProcessorReport {
    return {
      passed: [...this.#passed],
      failed: [...this.#failed],
      leftOut: [...this.#leftOut],
      missingForLive: this.#missing(),
    };
  }

  /**
   * The minimum for live: every case that the capabilities allow has passed, a charge without a
   * response was found by look-up, and the adapter's answers were searched for secrets.
   */
  #missing(): readonly string[] {
    const { approvedSilently, environment, secrets = [] } = this.#fixtures;
    return [
      ...[...this.#open].map((name) => `The case "${name}" has not run.`),
      ...this.#failed.map(({ name }) => `The case "${name}" fails.`),
      ...(approvedSilently ? [] : ['The fixtures need a card `approvedSilently`.']),
      ...(environment === 'live' ? [] : ["The fixtures need `environment: 'live'`."]),
      ...(secrets.length > 0 ? [] : ['The fixtures need `secrets`: the keys of the adapter.']),
    ];
  }
}
