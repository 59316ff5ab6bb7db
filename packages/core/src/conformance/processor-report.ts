import { processorCases } from './processor.ts';
import type { ProcessorFactory, ProcessorFixtures } from './processor-fixtures.ts';

/** How each case of the suite ended, for one adapter; every case is in one of the three lists. */
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
 * @param factory makes the adapter anew; several stand side by side on one processor
 * @param fixtures the cards of its test environment
 * @returns how each case ended; it does not throw when a case fails
 */
export async function checkProcessor(
  factory: ProcessorFactory,
  fixtures: ProcessorFixtures,
): Promise<ProcessorReport> {
  const record = new ProcessorRecord(fixtures);
  for (const { name, leftOut, run } of processorCases(factory, fixtures)) {
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

/** Collects how the cases end. */
export class ProcessorRecord {
  readonly #fixtures: ProcessorFixtures;
  readonly #passed: string[] = [];
  readonly #failed: ProcessorReport['failed'][number][] = [];
  readonly #leftOut: ProcessorReport['leftOut'][number][] = [];

  constructor(fixtures: ProcessorFixtures) {
    this.#fixtures = fixtures;
  }

  /** @param reason why it was left out; undefined when it passed */
  end(name: string, reason: string | undefined): void {
    if (reason === undefined) this.#passed.push(name);
    else this.#leftOut.push({ name, reason });
  }

  fail(name: string, cause: unknown): void {
    const error = cause instanceof Error ? cause : new Error(String(cause));
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
    const total = this.#passed.length + this.#failed.length + this.#leftOut.length;
    return [
      ...(total === 0 ? ['No case has run.'] : []),
      ...this.#failed.map(({ name }) => `The case "${name}" fails.`),
      ...(approvedSilently ? [] : ['The fixtures need a card `approvedSilently`.']),
      ...(environment === 'live' ? [] : ["The fixtures need `environment: 'live'`."]),
      ...(secrets.length > 0 ? [] : ['The fixtures need `secrets`: the keys of the adapter.']),
    ];
  }
}
