import { PaymountError } from '@paymount/core/kernel';
import type { Policy } from './rate.ts';

/** The state of a limit for one request. */
export interface LimitState {
  readonly policy: Policy;
  readonly allowed: boolean;
  /** Requests that would be accepted now. */
  readonly remaining: number;
  /**
   * If accepted: seconds until the bucket is full. If refused: seconds until a request is accepted.
   */
  readonly resetSeconds: number;
}

const SUBJECTS: Readonly<Record<Policy['name'], string>> = {
  key: 'with this key',
  account: 'with the keys of this account',
  address: 'with this key from this address',
  credentials: 'with bad credentials from this address',
  admin: 'of this admin',
  platform: 'of this platform',
  page: 'to pages from this address',
};

/**
 * The state after a request, or a refusal.
 * @param fullInMs milliseconds until the bucket is full; after a refusal unchanged
 */
export function toLimitState(policy: Policy, allowed: boolean, fullInMs: number): LimitState {
  // A division may give a value slightly below the whole number.
  const remaining = Math.floor((policy.refillMs - fullInMs) / policy.intervalMs + 1e-6);
  const waitMs = allowed ? fullInMs : fullInMs + policy.intervalMs - policy.refillMs;
  return {
    policy,
    allowed,
    remaining: allowed ? Math.max(remaining, 0) : 0,
    resetSeconds: Math.max(Math.ceil(waitMs / 1000), allowed ? 0 : 1),
  };
}

/** Of two states that accept a request, the one that will refuse first. */
export function tighter(one: LimitState, other: LimitState): LimitState {
  return other.remaining < one.remaining ? other : one;
}

/** The headers that describe the limits (draft-ietf-httpapi-ratelimit-headers-10). */
export type LimitHeaders = Readonly<Record<'RateLimit-Policy' | 'RateLimit', string>>;

/** @param policies the items of all policies that apply */
export function toHeaders(state: LimitState, policies = state.policy.item): LimitHeaders {
  const { policy, remaining, resetSeconds } = state;
  return {
    'RateLimit-Policy': policies,
    RateLimit: `"${policy.name}";r=${remaining};t=${resetSeconds}`,
  };
}

/** 429 `rate_limit` with the seconds to wait, and the headers of its answer. */
export class RateLimited extends PaymountError {
  readonly headers: LimitHeaders;

  constructor(state: LimitState) {
    const { policy, resetSeconds } = state;
    super(
      'rate_limit',
      `Too many requests ${SUBJECTS[policy.name]}: ${policy.text} are allowed. ` +
        `Try again in ${resetSeconds} s.`,
      { retryAfterSeconds: resetSeconds },
    );
    this.headers = toHeaders(state);
  }
}

/** @throws 429 `rate_limit` (`RateLimited`) if the request is refused */
export function requireAllowed(state: LimitState): void {
  if (!state.allowed) throw new RateLimited(state);
}
