import { addressBlock } from '@paymount/core/access';
import type { Clock, Environment, Logger, Principal } from '@paymount/core/kernel';
import type { PageKind } from '../admins/own-origins.ts';
import { CredentialTries, type CredentialTry } from './credential-tries.ts';
import { Limit } from './limit.ts';
import { type LimitHeaders, type LimitState, tighter, toHeaders } from './limit-state.ts';
import { type RateLimitOptions, toPolicies } from './rate.ts';
import { SharedBuckets } from './shared-buckets.ts';

export interface LimitsPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** An ioredis client that fails while Redis is unavailable, and the prefix of its keys. */
  readonly redis?: { readonly client: object; readonly prefix: string };
}

/** A value if it is known in memory, otherwise a promise. */
type Soon<Value> = Value | Promise<Value>;

/** One request that was counted. */
export interface Counted {
  /** Of all limits that apply, the one that refuses first. */
  readonly state: LimitState;
  /** The headers for the client, refused or not. */
  readonly headers: LimitHeaders;
}

/** The part of a platform that its limit needs. */
export interface CountedPlatform {
  readonly id: string;
  readonly type: 'confidential' | 'public';
}

/** The count of bad credentials of one address. */
export type TryKind = 'key' | 'admin' | 'foreign page' | 'client';

/** The limits of one installation; docs/reference/rate-limits.md says what they count. */
export interface Limits {
  /**
   * Step 9 of the guard's order: counts one request of a key. Never throws, so that the headers of
   * a refusal are available; `requireAllowed` throws.
   * @param address the client's canonical address; undefined if unknown
   * @returns undefined if there is no limit
   */
  countRequest(principal: Principal, address: string | undefined): Soon<Counted | undefined>;
  /**
   * As `countRequest`, for a request of an admin, or of a user of the dashboard.
   * @param page a foreign one is counted apart, so that it cannot use up what the admin may send
   */
  countAdmin(adminId: string, page?: PageKind): Soon<Counted | undefined>;
  /**
   * As `countRequest`, for a request of a platform to the endpoints of OAuth. A public platform is
   * counted by address: anybody can name it, and must not use up what its users may send.
   */
  countPlatform(platform: CountedPlatform, address: string | undefined): Soon<Counted | undefined>;
  /** As `countRequest`, for a page that needs no credential. @param address as `countRequest` */
  countPage(address: string | undefined): Soon<Counted | undefined>;
  /** As `countPage`, for a request to the dashboard from nobody who is logged in. */
  countVisitor(address: string | undefined, page: PageKind): Soon<Counted | undefined>;
  /**
   * Called before a credential is looked up; call `end` with the result.
   * @param kind keys, logins of admins, requests from pages of other sites for admins, and secrets of
   *   platforms count separately, so that guesses of one kind do not block the others
   * @throws 429 `rate_limit` (`RateLimited`) if the address presented too many bad ones; 503
   *   `unavailable` if too many of them wait
   */
  startTry(kind: TryKind, address: string | undefined): Soon<CredentialTry>;
}

const NO_LIMITS: Limits = {
  countRequest: () => undefined,
  countAdmin: () => undefined,
  countPlatform: () => undefined,
  countPage: () => undefined,
  countVisitor: () => undefined,
  startTry: () => ({ end: () => undefined }),
};

/**
 * Makes the limits of one process; all mounts share them.
 * @param options false: no limits
 * @throws RangeError for a rate that allows no request
 * @throws TypeError if counts are to be shared and there is no Redis
 */
export function createLimits(options: RateLimitOptions | false, ports: LimitsPorts): Limits {
  return options === false ? NO_LIMITS : new ConfiguredLimits(options, ports);
}

class ConfiguredLimits implements Limits {
  readonly #requests: Readonly<Record<Environment, LimitPair>>;
  readonly #publishable: Readonly<Record<Environment, LimitPair>>;
  readonly #tries: CredentialTries;
  readonly #triesWithoutAddress: CredentialTries;
  readonly #admin: Limit;
  readonly #platform: Limit;
  readonly #page: Limit;
  readonly #pageWithoutAddress: Limit;
  readonly #dashboard: Limit;
  readonly #dashboardWithoutAddress: Limit;

  constructor(options: RateLimitOptions, { clock, logger, redis }: LimitsPorts) {
    const policies = toPolicies(options);
    if (options.shared === true && redis === undefined) {
      throw new TypeError('The option `rateLimit.shared` counts in Redis; give `redis` too.');
    }
    const shared = redis && new SharedBuckets({ ...redis, clock, logger });
    const together = { clock, ...(shared && { shared }) };
    const ports = options.shared === true ? together : { clock };
    const [live, test] = [new Limit(policies.key.live, ports), new Limit(policies.key.test, ports)];
    this.#requests = {
      live: new LimitPair(live, new Limit(policies.account.live, ports)),
      test: new LimitPair(test, new Limit(policies.account.test, ports)),
    };
    const visitor = new Limit(policies.publishableKey, ports);
    this.#publishable = { live: new LimitPair(visitor, live), test: new LimitPair(visitor, test) };
    this.#admin = new Limit(policies.admin, ports);
    this.#platform = new Limit(policies.platform, ports);
    this.#page = new Limit(policies.page, ports);
    this.#pageWithoutAddress = new Limit(policies.pageWithoutAddress, ports);
    this.#dashboard = new Limit(policies.dashboard, ports);
    this.#dashboardWithoutAddress = new Limit(policies.dashboardWithoutAddress, ports);
    // Guesses come slowly, and to any process: they are counted together if possible.
    this.#tries = new CredentialTries(new Limit(policies.failedCredentials, together));
    this.#triesWithoutAddress = new CredentialTries(new Limit(policies.unknownAddress, together));
  }

  countRequest(principal: Principal, address: string | undefined): Soon<Counted | undefined> {
    if (principal.kind === 'token') {
      const { grantId, accountId, environment } = principal;
      return this.#requests[environment].take(grantId, accountId);
    }
    if (principal.kind !== 'key') return undefined;
    const { keyId, keyType, accountId, environment } = principal;
    if (keyType === 'publishable') {
      // The key is public: neither one visitor nor all of them may use up the servers' limit.
      return this.#publishable[environment].take(`${keyId} ${addressBlock(address)}`, keyId);
    }
    return this.#requests[environment].take(keyId, accountId);
  }

  countAdmin(adminId: string, page: PageKind = 'own page'): Soon<Counted | undefined> {
    return countIn(this.#admin, `${page} ${adminId}`);
  }

  countPlatform(
    { id, type }: CountedPlatform,
    address: string | undefined,
  ): Soon<Counted | undefined> {
    return countIn(this.#platform, type === 'public' ? `${id} ${addressBlock(address)}` : id);
  }

  countPage(address: string | undefined): Soon<Counted | undefined> {
    const limit = address === undefined ? this.#pageWithoutAddress : this.#page;
    return countIn(limit, addressBlock(address));
  }

  countVisitor(address: string | undefined, page: PageKind): Soon<Counted | undefined> {
    const limit = address === undefined ? this.#dashboardWithoutAddress : this.#dashboard;
    return countIn(limit, `${page} ${addressBlock(address)}`);
  }

  startTry(kind: TryKind, address: string | undefined): Soon<CredentialTry> {
    const tries = address === undefined ? this.#triesWithoutAddress : this.#tries;
    return tries.start(`${kind} ${addressBlock(address)}`);
  }
}

function countIn(limit: Limit, item: string): Soon<Counted | undefined> {
  const { policy } = limit;
  const state = limit.take(item);
  if (state instanceof Promise) return state.then((found) => counted(found, policy.item));
  return counted(state, policy.item);
}

/** Two limits that count the same request. */
class LimitPair {
  readonly #first: Limit;
  readonly #second: Limit;
  readonly #policies: string;

  constructor(first: Limit, second: Limit) {
    this.#first = first;
    this.#second = second;
    this.#policies = `${first.policy.item}, ${second.policy.item}`;
  }

  /** The second limit is not queried if the first refuses: it may be shared with others. */
  take(firstKey: string, secondKey: string): Soon<Counted> {
    const one = this.#first.take(firstKey);
    if (one instanceof Promise) return one.then((state) => this.#takeSecond(state, secondKey));
    return this.#takeSecond(one, secondKey);
  }

  #takeSecond(one: LimitState, secondKey: string): Soon<Counted> {
    if (!one.allowed) return counted(one, this.#policies);
    const other = this.#second.take(secondKey);
    if (other instanceof Promise) return other.then((state) => this.#decide(one, state));
    return this.#decide(one, other);
  }

  #decide(one: LimitState, other: LimitState): Counted {
    return counted(other.allowed ? tighter(one, other) : other, this.#policies);
  }
}

function counted(state: LimitState, policies: string): Counted {
  return { state, headers: toHeaders(state, policies) };
}
