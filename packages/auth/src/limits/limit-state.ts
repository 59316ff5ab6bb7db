import { PaymountError } from '@paymount/core';
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

/** @throws 429 `rate_limit` when the request is refused, with the seconds to wait */
export function requireAllowed({ allowed, policy, resetSeconds }: LimitState): void {
  if (allowed) return;
  throw new PaymountError(
    'rate_limit',
    `Too many requests ${SUBJECTS[policy.name]}: ${policy.text} are let in. ` +
      `Try again in ${resetSeconds} s.`,
    { retryAfterSeconds: resetSeconds },
  );
}
