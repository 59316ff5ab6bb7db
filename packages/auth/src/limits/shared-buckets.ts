import { type Clock, type Logger, toError } from '@paymount/core/kernel';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { type LimitState, toLimitState } from './limit-state.ts';
import type { Policy } from './rate.ts';

/** How long a request waits for its count. */
const LIMIT_MS = 50;
/** After Redis failed to answer, one request a second tries it again; the others do not wait. */
const PAUSE_MS = 1000;

/**
 * The token bucket of `token-buckets.ts`, which the library runs in Redis, with the clock of Redis.
 * Arguments from the library: the key; tokens requested, seconds to live (unused), capacity,
 * seconds to refill. Returns the tokens taken, more than the capacity if refused, and milliseconds
 * until the bucket is full. `%.3f`: Lua would write a time with only 14 digits.
 */
const TOKEN_BUCKET = `
local asked, capacity, refill = tonumber(ARGV[1]), tonumber(ARGV[3]), ARGV[4] * 1000
local interval = refill / capacity
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now) - now
if full > refill then full = refill end
if full + math.max(asked, 1) * interval > refill + 0.000001 then
  return { capacity + 1, math.ceil(full) }
end
full = full + asked * interval
if asked > 0 then
  redis.call('SET', KEYS[1], string.format('%.3f', now + full), 'PX', math.ceil(full))
end
return { math.ceil(full / interval - 0.000001), math.ceil(full) }
`;

export interface SharedBucketsPorts {
  /** An ioredis client that fails while Redis is unavailable. */
  readonly client: object;
  /** The prefix of its keys; each installation that shares a Redis has its own. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The buckets that all processes share, in Redis. They are lost with Redis. */
export class SharedBuckets {
  readonly #ports: SharedBucketsPorts;
  readonly #limiters = new Map<Policy, RateLimiterRedis>();
  /** Set while Redis does not answer. */
  #askAgainAtMs: number | undefined;

  constructor(ports: SharedBucketsPorts) {
    this.#ports = ports;
  }

  /**
   * Takes tokens from a bucket, or only reads it.
   * @param tokens 1 to take, 0 to read
   * @returns undefined if Redis did not answer; never rejects
   */
  async take(policy: Policy, key: string, tokens: 0 | 1): Promise<LimitState | undefined> {
    if (this.#isPausing()) return undefined;
    try {
      // The library sets no key to live for less than a second.
      const options = { customDuration: Math.max(1, Math.ceil(policy.refillMs / 1000)) };
      const found = await limited(this.#limiter(policy).consume(key, tokens, options));
      this.#askAgainAtMs = undefined;
      return toLimitState(policy, true, found.msBeforeNext);
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) {
        this.#askAgainAtMs = undefined;
        return toLimitState(policy, false, refusal.msBeforeNext);
      }
      this.#pause(refusal);
      return undefined;
    }
  }

  #isPausing(): boolean {
    if (this.#askAgainAtMs === undefined) return false;
    const nowMs = this.#ports.clock.monotonicMs();
    if (nowMs < this.#askAgainAtMs) return true;
    this.#askAgainAtMs = nowMs + PAUSE_MS;
    return false;
  }

  #pause(cause: unknown): void {
    const { clock, logger } = this.#ports;
    if (this.#askAgainAtMs === undefined) {
      const err = toError(cause);
      logger.warn({ err }, 'Redis does not answer; each process counts requests on its own.');
    }
    this.#askAgainAtMs = clock.monotonicMs() + PAUSE_MS;
  }

  #limiter(policy: Policy): RateLimiterRedis {
    const known = this.#limiters.get(policy);
    if (known !== undefined) return known;
    const limiter = new RateLimiterRedis({
      storeClient: this.#ports.client,
      keyPrefix: `${this.#ports.prefix}:${policy.id}`,
      points: policy.capacity,
      duration: policy.refillMs / 1000,
      rejectIfRedisNotReady: true,
      customIncrTtlLuaScript: TOKEN_BUCKET,
    });
    this.#limiters.set(policy, limiter);
    return limiter;
  }
}

function limited<Result>(work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const tooLate = (): void => reject(new Error(`No answer within ${LIMIT_MS} ms.`));
    // Timers run before sockets: after a long turn the answer may have arrived unread.
    const timer = setTimeout(() => setImmediate(tooLate), LIMIT_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
