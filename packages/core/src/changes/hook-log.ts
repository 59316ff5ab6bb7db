import type { LogFacts, Logger } from '../kernel/basics/logger.ts';
import type { HookError } from './change.ts';
import { hookFailure } from './hook-failure.ts';

/** Of what is refused every ten seconds that is a line about every 43 minutes. */
const MOST_BETWEEN = 256;
/** The one that was refused least recently makes room, and counts from 1 when it is refused again. */
const MAX_RESULTS = 10_000;
/** All results of a process without a hook wait for the same reason. */
const MISSING = 'missing';

/** One result that could not be recorded. */
interface Refused {
  /** What is tried again, an operation or a charge. */
  readonly id: string;
  readonly charge: string;
  /** The sentence that says what happens now. */
  readonly consequence: string;
  readonly facts?: LogFacts;
}

/**
 * The error lines about results that wait for the hook. A result is offered again and again, so it
 * is told when it was refused once, twice, four times, and so on; at last every 256th time.
 */
export class HookLog {
  readonly #logger: Logger;
  /** How often each was refused, in the order in which they last were. */
  readonly #counts = new Map<string, number>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  tell(error: HookError, { id, charge, consequence, facts = {} }: Refused): void {
    const times = this.#count(error.isMissing ? MISSING : id);
    if (!isTold(times)) return;
    const failure = hookFailure(error, charge, consequence);
    const refusals = times > 1 && !error.isMissing ? { refusals: times } : {};
    this.#logger.error({ ...facts, ...failure.facts, ...refusals }, failure.sentence);
  }

  /** It was recorded. */
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

function isTold(times: number): boolean {
  return times < MOST_BETWEEN ? Number.isInteger(Math.log2(times)) : times % MOST_BETWEEN === 0;
}
