import { PaymountError } from '@paymount/core/kernel';
import type { Policy } from './rate.ts';

/** What a limit says of one request. */
export interface LimitState {
  readonly policy: Policy;
  readonly allowed: boolean;
  /** Requests that would be let in now. */
  readonly remaining: number;
  /** Let in: seconds until all of the limit is there again. Refused: until a request is let in. */
  readonly resetSeconds: number;
}

const SUBJECTS: Readonly<Record<Policy['name'], string>> = {
  key: 'with this key',
  account: 'with the keys of this account',
  address: 'with this key from this address',
  credentials: 'with bad credentials from this address',
  admin: 'of this admin',
};

/**
 * The state after a request, or a refusal.
 * @param fullInMs milliseconds until the bucket is full; after a refusal as it was before
 */
export function stateOf(policy: Policy, allowed: boolean, fullInMs: number): LimitState {
  // What is left of a division may lie a hair below the whole number that it means.
  const remaining = Math.floor((policy.refillMs - fullInMs) / policy.intervalMs + 1e-6);
  const waitMs = allowed ? fullInMs : fullInMs + policy.intervalMs - policy.refillMs;
  return {
    policy,
    allowed,
    remaining: allowed ? Math.max(remaining, 0) : 0,
    resetSeconds: Math.max(Math.ceil(waitMs / 1000), allowed ? 0 : 1),
  };
}

/** Of two states that let a request in, the one that will refuse first. */
export function tighter(one: LimitState, other: LimitState): LimitState {
  return other.remaining < one.remaining ? other : one;
}

/** What tells a client of its limits (draft-ietf-httpapi-ratelimit-headers-10). */
export type LimitHeaders = Readonly<Record<'RateLimit-Policy' | 'RateLimit', string>>;

/** @param policies the items of all policies that apply */
export function headersOf(state: LimitState, policies = state.policy.item): LimitHeaders {
  const { policy, remaining, resetSeconds } = state;
  return {
    'RateLimit-Policy': policies,
    RateLimit: `"${policy.name}";r=${remaining};t=${resetSeconds}`,
  };
}

/** 429 `rate_limit` with the seconds to wait, and what its answer tells in headers. */
export class RateLimited extends PaymountError {
  readonly headers: LimitHeaders;

  constructor(state: LimitState) {
    const { policy, resetSeconds } = state;
    super(
      'rate_limit',
      `Too many requests ${SUBJECTS[policy.name]}: ${policy.text} are let in. ` +
        `Try again in ${resetSeconds} s.`,
      { retryAfterSeconds: resetSeconds },
    );
    this.headers = headersOf(state);
  }
}

/** @throws 429 `rate_limit` (`RateLimited`) when the request is refused */
export function requireAllowed(state: LimitState): void {
  if (!state.allowed) throw new RateLimited(state);
}
