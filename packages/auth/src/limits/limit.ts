import type { Clock } from '@paymount/core/kernel';
import type { LimitState } from './limit-state.ts';
import type { Policy } from './rate.ts';
import type { SharedBuckets } from './shared-buckets.ts';
import { TokenBuckets } from './token-buckets.ts';

export interface LimitPorts {
  readonly clock: Clock;
  /** The shared count of all processes; absent: each counts on its own. */
  readonly shared?: SharedBuckets;
}

/**
 * One limit. This process always counts; a request that its own count refuses is not sent to Redis,
 * so that a flood costs Redis nothing, and if Redis fails the own count continues.
 */
export class Limit {
  readonly policy: Policy;
  readonly #ports: LimitPorts;
  readonly #own: TokenBuckets;

  constructor(policy: Policy, ports: LimitPorts) {
    this.policy = policy;
    this.#ports = ports;
    this.#own = new TokenBuckets(policy);
  }

  /** Counts one request. Synchronous, unless it is counted in Redis; never rejects. */
  take(key: string): LimitState | Promise<LimitState> {
    const { clock, shared } = this.#ports;
    const own = this.#own.take(key, clock.monotonicMs());
    if (shared === undefined || !own.allowed) return own;
    return shared.take(this.policy, key, 1).then((state) => state ?? own);
  }

  /** Whether one more would be refused; does not count. */
  peek(key: string): LimitState | Promise<LimitState> {
    const { clock, shared } = this.#ports;
    const own = this.#own.peek(key, clock.monotonicMs());
    if (shared === undefined || !own.allowed) return own;
    return shared.take(this.policy, key, 0).then((state) => state ?? own);
  }
}
