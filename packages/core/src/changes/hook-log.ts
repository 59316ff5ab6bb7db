import type { LogFacts, Logger } from '../kernel/basics/logger.ts';
import type { HookError } from './change.ts';
import { hookFailure } from './hook-failure.ts';

/** For a result that is refused every ten seconds, this is a line about every 43 minutes. */
const MOST_BETWEEN = 256;
/** The result refused least recently is removed; it counts from 1 if it is refused again. */
const MAX_RESULTS = 10_000;
/** All results of a process without a hook wait for the same reason. */
const MISSING = 'missing';

/** One result that could not be recorded. */
interface Refused {
  /** The id of the operation, charge or notice that is tried again. */
  readonly id: string;
  /** The id of what the result is about, such as a charge, payout or notice. */
  readonly object: string;
  /** The sentence that says what happens now. */
  readonly consequence: string;
  readonly facts?: LogFacts;
}

/**
 * Logs the results that wait for the hook. A result is offered again and again, so it logs the
 * first, second, fourth refusal and so on, and finally every 256th.
 */
export class HookLog {
  readonly #logger: Logger;
  /** The number of refusals of each, in the order of the last refusal. */
  readonly #counts = new Map<string, number>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  report(error: HookError, { id, object, consequence, facts = {} }: Refused): void {
    const times = this.#count(error.isMissing ? MISSING : id);
    if (!isReported(times)) return;
    const failure = hookFailure(error, object, consequence);
    const refusals = times > 1 && !error.isMissing ? { refusals: times } : {};
    this.#logger.error({ ...facts, ...failure.facts, ...refusals }, failure.sentence);
  }

  /** Forgets a result that was recorded. */
  forget(id: string): void {
    this.#counts.delete(id);
  }

  #count(key: string): number {
    const times = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.delete(key);
    const [oldest] = this.#counts.keys();
    if (oldest !== undefined && this.#counts.size >= MAX_RESULTS) this.#counts.delete(oldest);
    this.#counts.set(key, times);
    return times;
  }
}

/**
 * Whether something that repeats is logged this time: once, twice, four times, and so on; at last
 * every 256th time. @param times from 1; 0 is never logged
 */
export function isReported(times: number): boolean {
  if (times === 0) return false;
  return times < MOST_BETWEEN ? Number.isInteger(Math.log2(times)) : times % MOST_BETWEEN === 0;
}
