import type { Clock, Environment, Logger, Principal } from '@paymount/core';
import { addressBlock } from '../addresses/address.ts';
import { CredentialTries, type CredentialTry } from './credential-tries.ts';
import { Limit } from './limit.ts';
import { headersOf, type LimitHeaders, type LimitState, tighter } from './limit-state.ts';
import { policiesOf, type RateLimitOptions } from './rate.ts';
import { SharedBuckets } from './shared-buckets.ts';

export interface LimitsPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** An ioredis client that fails while Redis is away, and what its keys begin with. */
  readonly redis?: { readonly client: object; readonly prefix: string };
}

/** What is at once known in memory, and a promise when Redis is asked. */
type Soon<Value> = Value | Promise<Value>;

/** One request that was counted. */
export interface Counted {
  /** Of all limits that apply, the one that refuses first. */
  readonly state: LimitState;
  /** Tell the client, refused or not. */
  readonly headers: LimitHeaders;
}

/** The limits of one installation; what they count by is in docs/reference/rate-limits.md. */
export interface Limits {
  /**
   * Step 9 of the guard's order: counts one request of a key. Never throws, so that the headers of
   * a refusal are at hand; `requireAllowed` throws.
   * @param address of the client, canonical; undefined when it could not be told
   * @returns undefined where nothing is limited
   */
  countRequest(principal: Principal, address: string | undefined): Soon<Counted | undefined>;
  /** As `countRequest`, for a request of an admin. */
  countAdmin(adminId: string): Soon<Counted | undefined>;
  /**
   * Before a credential is looked up; `end` then says what came of it.
   * @param kind keys and logins of admins count apart, so that whoever guesses the one keeps nobody
   *   from the other
   * @throws 429 `rate_limit` (`RateLimited`) when the address showed too many that were no good;
   *   503 `unavailable` when too many of it wait
   */
  startTry(kind: 'key' | 'admin', address: string | undefined): Soon<CredentialTry>;
}

const NO_LIMITS: Limits = {
  countRequest: () => undefined,
  countAdmin: () => undefined,
  startTry: () => ({ end: () => undefined }),
};

/**
 * Makes the limits of one process; all mounts share them.
 * @param options false: nothing is limited
 * @throws RangeError for a rate that lets nothing in
 * @throws TypeError when counts shall be shared and there is no Redis
 */
export function createLimits(options: RateLimitOptions | false, ports: LimitsPorts): Limits {
  return options === false ? NO_LIMITS : new ConfiguredLimits(options, ports);
}

class ConfiguredLimits implements Limits {
  readonly #key: Readonly<Record<Environment, Limit>>;
  readonly #account: Readonly<Record<Environment, Limit>>;
  readonly #publishableKey: Limit;
  readonly #tries: CredentialTries;
  readonly #triesFromNowhere: CredentialTries;
  readonly #admin: Limit;

  constructor(options: RateLimitOptions, { clock, logger, redis }: LimitsPorts) {
    const policies = policiesOf(options);
    if (options.shared === true && redis === undefined) {
      throw new TypeError('The option `rateLimit.shared` counts in Redis; give `redis` too.');
    }
    const shared = redis && new SharedBuckets({ ...redis, clock, logger });
    const together = { clock, ...(shared && { shared }) };
    const ports = options.shared === true ? together : { clock };
    this.#key = {
      live: new Limit(policies.key.live, ports),
      test: new Limit(policies.key.test, ports),
    };
    this.#account = {
      live: new Limit(policies.account.live, ports),
      test: new Limit(policies.account.test, ports),
    };
    this.#publishableKey = new Limit(policies.publishableKey, ports);
    this.#admin = new Limit(policies.admin, ports);
    // Guesses come slowly, and to any process: they are counted together wherever they can be.
    this.#tries = new CredentialTries(new Limit(policies.failedCredentials, together));
    this.#triesFromNowhere = new CredentialTries(new Limit(policies.unknownAddress, together));
  }

  countRequest(principal: Principal, address: string | undefined): Soon<Counted | undefined> {
    if (principal.kind !== 'key') return undefined;
    const { keyId, keyType, accountId, environment } = principal;
    const key = { limit: this.#key[environment], of: keyId };
    if (keyType === 'publishable') {
      // Everybody has it: neither one visitor nor all of them may use up what the servers need.
      const visitor = { limit: this.#publishableKey, of: `${keyId} ${addressBlock(address)}` };
      return countBoth(visitor, key);
    }
    return countBoth(key, { limit: this.#account[environment], of: accountId });
  }

  countAdmin(adminId: string): Soon<Counted | undefined> {
    const { policy } = this.#admin;
    return then(this.#admin.take(adminId), (state) => counted(state, policy.item));
  }

  startTry(kind: 'key' | 'admin', address: string | undefined): Soon<CredentialTry> {
    const tries = address === undefined ? this.#triesFromNowhere : this.#tries;
    return tries.start(`${kind} ${addressBlock(address)}`);
  }
}

interface Taking {
  readonly limit: Limit;
  readonly of: string;
}

/** The second is not asked when the first refuses: it may be shared with others. */
function countBoth(first: Taking, second: Taking): Soon<Counted> {
  const policies = `${first.limit.policy.item}, ${second.limit.policy.item}`;
  return then(first.limit.take(first.of), (one) => {
    if (!one.allowed) return counted(one, policies);
    return then(second.limit.take(second.of), (other) =>
      counted(other.allowed ? tighter(one, other) : other, policies),
    );
  });
}

function counted(state: LimitState, policies: string): Counted {
  return { state, headers: headersOf(state, policies) };
}

/** Goes on in the same turn when the value is there. */
function then<Value, Result>(
  value: Soon<Value>,
  use: (value: Value) => Soon<Result>,
): Soon<Result> {
  return value instanceof Promise ? value.then(use) : use(value);
}
