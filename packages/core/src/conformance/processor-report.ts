import { toError } from '../kernel/errors/to-error.ts';
import type { ConformanceCase } from './conformance-case.ts';
import { processorCases } from './processor.ts';
import type { ProcessorFactory, ProcessorFixtures } from './processor-fixtures.ts';

/** How each case of the suite ended, for one adapter; each that ran is in one of the three lists. */
export interface ProcessorReport {
  readonly passed: readonly string[];
  readonly failed: readonly { readonly name: string; readonly error: Error }[];
  /** What was not asked, and why. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  /** What is missing until the adapter may take live charges, in sentences; empty: nothing is. */
  readonly missingForLive: readonly string[];
}

/**
 * Runs the whole suite against an adapter, one case after the other.
 * @param factory makes a new adapter; several stand side by side on one processor
 * @param fixtures the cards of its test environment
 * @returns how each case ended; it does not throw when a case fails
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

/** Collects how the cases end, of which a test runner may run only some. */
export class ProcessorRecord {
  readonly #fixtures: ProcessorFixtures;
  /** The names of the cases that have not ended. */
  readonly #open: Set<string>;
  readonly #passed: string[] = [];
  readonly #failed: ProcessorReport['failed'][number][] = [];
  readonly #leftOut: ProcessorReport['leftOut'][number][] = [];

  /** @param cases all that there are to pass */
  constructor(fixtures: ProcessorFixtures, cases: readonly ConformanceCase[]) {
    this.#fixtures = fixtures;
    this.#open = new Set(cases.map(({ name }) => name));
  }

  /** @param reason why it was left out; undefined when it passed */
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

  /** What has ended so far. */
  report(): ProcessorReport {
    return {
      passed: [...this.#passed],
      failed: [...this.#failed],
      leftOut: [...this.#leftOut],
      missingForLive: this.#missing(),
    };
  }

  /**
   * The minimum for live: every case that the capabilities do not leave out has passed, money that
   * moved in silence is found again, and what the adapter says was searched for secrets.
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
