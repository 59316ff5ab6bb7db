import { PaymountError } from '@paymount/core/kernel';
import type { Limit } from './limit.ts';
import { RateLimited } from './limit-state.ts';

/** The maximum time that a try waits for those before it. */
const WAIT_LIMIT_MS = 1_000;
/** Maximum number of waiting tries of one address; more are answered 503. */
const MAX_WAITING = 1_000;

/** The result of a try; only `bad` counts. `open`: unknown. */
export type TryOutcome = 'good' | 'bad' | 'open';

/** A credential that may be looked up. */
export interface CredentialTry {
  /** To be called once, with any result. */
  end(outcome: TryOutcome): void;
}

/** The current tries of one address. */
interface Lane {
  /** Running, waiting, or querying Redis; a lane without any is removed. */
  present: number;
  running: number;
  /** The number of bad tries: an earlier answer of the bucket does not include them. */
  spent: number;
  readonly waiting: Set<() => void>;
}

/**
 * Runs as many tries at once as would be accepted if all of them were bad. Further tries wait: each
 * good result lets the next one run, and if all before them were bad, they are refused. So guesses
 * gain nothing by arriving together, and good credentials lose nothing.
 */
export class CredentialTries {
  readonly #limit: Limit;
  readonly #lanes = new Map<string, Lane>();

  constructor(limit: Limit) {
    this.#limit = limit;
  }

  /**
   * Called before a credential is looked up; synchronous, unless Redis is queried or others go
   * first.
   * @param from whose tries count together
   * @throws 429 `rate_limit` (`RateLimited`) if too many were bad; 503 `unavailable` if 1,000 wait,
   *   or this one waited 1 s
   */
  start(from: string): CredentialTry | Promise<CredentialTry> {
    const lane = this.#lanes.get(from) ?? { present: 0, running: 0, spent: 0, waiting: new Set() };
    const state = this.#limit.peek(from);
    if (!(state instanceof Promise)) {
      if (!state.allowed && lane.running === 0) throw new RateLimited(state);
      if (lane.running < state.remaining) return this.#run(from, this.#enter(from, lane));
    }
    return this.#startLater(from, this.#enter(from, lane));
  }

  async #startLater(from: string, lane: Lane): Promise<CredentialTry> {
    const tooLong = AbortSignal.timeout(WAIT_LIMIT_MS);
    try {
      while (!tooLong.aborted) {
        const { spent } = lane;
        const state = await this.#limit.peek(from);
        if (lane.running + lane.spent - spent < state.remaining) return this.#run(from, lane);
        if (lane.running === 0) throw new RateLimited(state);
        if (lane.waiting.size >= MAX_WAITING) break;
        await nextTurn(lane, tooLong);
      }
      throw new PaymountError('unavailable', undefined, { retryAfterSeconds: 1 });
    } catch (error) {
      this.#leave(from, lane);
      throw error;
    }
  }

  #run(from: string, lane: Lane): CredentialTry {
    lane.running += 1;
    return {
      end: (outcome) => {
        lane.running -= 1;
        if (outcome === 'bad') {
          lane.spent += 1;
          void this.#limit.take(from);
        }
        // A bad try makes no room, unless it was the last one that others waited for.
        if (lane.running === 0) for (const wake of Array.from(lane.waiting)) wake();
        else if (outcome !== 'bad') for (const wake of Array.from(lane.waiting).slice(0, 1)) wake();
        this.#leave(from, lane);
      },
    };
  }

  #enter(from: string, lane: Lane): Lane {
    lane.present += 1;
    this.#lanes.set(from, lane);
    return lane;
  }

  #leave(from: string, lane: Lane): void {
    lane.present -= 1;
    if (lane.present === 0) this.#lanes.delete(from);
  }
}

function nextTurn({ waiting }: Lane, tooLong: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      waiting.delete(wake);
      tooLong.removeEventListener('abort', wake);
      resolve();
    };
    waiting.add(wake);
    tooLong.addEventListener('abort', wake);
  });
}
