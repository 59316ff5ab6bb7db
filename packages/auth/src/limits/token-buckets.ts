import { type LimitState, toLimitState } from './limit-state.ts';
import type { Policy } from './rate.ts';

/**
 * Maximum number of buckets in memory; beyond it the oldest are dropped, which means they are full
 * again.
 */
const MAX_TRACKED = 100_000;
/** The minimum lifetime of a generation: each change moves every bucket in use from map to map. */
const MIN_GENERATION_MS = 30_000;

/** One bucket, stored as the time when it is full again. */
interface Bucket {
  fullAtMs: number;
}

/**
 * Token buckets of one policy, in this process: each holds `capacity` tokens, one comes back every
 * `intervalMs`, one request takes one (the generic cell rate algorithm). A decision costs a look
 * into a map and no timer. It is synchronous, because it must be made in the turn in which the
 * lease of the key cache was checked. Fixed windows would admit twice the rate around their border.
 *
 * Buckets live in two generations. What was not asked for during a whole generation is full, as if
 * it had never been there, so that dropping the older generation then loses nothing.
 */
export class TokenBuckets {
  readonly #policy: Policy;
  readonly #maxTracked: number;
  #young = new Map<string, Bucket>();
  #old = new Map<string, Bucket>();
  #turnAtMs = Number.NEGATIVE_INFINITY;

  constructor(policy: Policy, maxTracked = MAX_TRACKED) {
    this.#policy = policy;
    this.#maxTracked = maxTracked;
  }

  /** The number of buckets in memory. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Takes one token, if there is one. @param nowMs of a clock that never steps */
  take(key: string, nowMs: number): LimitState {
    const { intervalMs, refillMs } = this.#policy;
    const bucket = this.#find(key, nowMs);
    const fullInMs = Math.max(bucket.fullAtMs - nowMs, 0);
    // Sums of thirds of a millisecond may be slightly too large.
    if (fullInMs + intervalMs > refillMs + 1e-6) return toLimitState(this.#policy, false, fullInMs);
    bucket.fullAtMs = nowMs + fullInMs + intervalMs;
    return toLimitState(this.#policy, true, fullInMs + intervalMs);
  }

  /** Whether `take` would be refused; takes nothing. */
  peek(key: string, nowMs: number): LimitState {
    const { intervalMs, refillMs } = this.#policy;
    const bucket = this.#young.get(key) ?? this.#old.get(key);
    const fullInMs = Math.max((bucket?.fullAtMs ?? nowMs) - nowMs, 0);
    return toLimitState(this.#policy, fullInMs + intervalMs <= refillMs + 1e-6, fullInMs);
  }

  #find(key: string, nowMs: number): Bucket {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    if (nowMs >= this.#turnAtMs || this.#young.size >= this.#maxTracked / 2) {
      this.#turnGeneration(nowMs);
    }
    const bucket = this.#old.get(key) ?? { fullAtMs: nowMs };
    this.#old.delete(key);
    this.#young.set(key, bucket);
    return bucket;
  }

  /** The next change comes when all older buckets have been full for long. */
  #turnGeneration(nowMs: number): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#turnAtMs = nowMs + Math.max(this.#policy.refillMs, MIN_GENERATION_MS);
  }
}
