import type { Environment } from '@paymount/core/kernel';

/** How often something may happen: `burst` at once, then at the refill rate. */
export interface Rate {
  /** Refilled per `seconds`; more than 0. */
  readonly requests: number;
  /** More than 0. */
  readonly seconds: number;
  /** At once, after a pause; a whole number of at least 1. @defaultValue `requests` */
  readonly burst?: number;
}

/** Limits that override the defaults. */
export interface RateLimitOptions {
  /** Count in Redis, so that all processes share the limits. @defaultValue false */
  readonly shared?: boolean;
  /** Per key. @defaultValue live 100 a second, burst 200; test 25 a second, burst 50 */
  readonly key?: Partial<Readonly<Record<Environment, Rate>>>;
  /** Over all secret and restricted keys of an account. @defaultValue five times that of a key */
  readonly account?: Partial<Readonly<Record<Environment, Rate>>>;
  /** Per publishable key and address of the client. @defaultValue 20 a minute */
  readonly publishableKey?: Rate;
  /** Per address: bad credentials that were looked up. @defaultValue 20 a minute */
  readonly failedCredentials?: Rate;
  /** Per admin of the management API. @defaultValue 20 a second */
  readonly admin?: Rate;
  /**
   * Per platform, at the endpoints of OAuth; of a public platform per address.
   * @defaultValue 50 a second
   */
  readonly platform?: Rate;
  /**
   * Per address, at the pages on which merchants approve platforms, and at those of invoices.
   * @defaultValue 30 a minute
   */
  readonly page?: Rate;
  /** Per address, at the dashboard: people who are not logged in. @defaultValue 600 a minute */
  readonly dashboard?: Rate;
}

/** A rate with a name and computed values. */
export interface Policy {
  /** The option that sets it: `key.live`. */
  readonly id: string;
  /** Its name in the header `RateLimit`. */
  readonly name: 'key' | 'account' | 'address' | 'credentials' | 'admin' | 'platform' | 'page';
  /** Requests that a full bucket allows at once. */
  readonly capacity: number;
  /** Milliseconds until one more request is allowed. */
  readonly intervalMs: number;
  /** Milliseconds until an empty bucket is full. */
  readonly refillMs: number;
  /** `20 per 60 seconds`, for messages. */
  readonly text: string;
  /** The item of `RateLimit-Policy`: `"key";q=200;w=2`. */
  readonly item: string;
}

/** All policies of one installation. */
export interface Policies {
  readonly key: Readonly<Record<Environment, Policy>>;
  readonly account: Readonly<Record<Environment, Policy>>;
  readonly publishableKey: Policy;
  readonly failedCredentials: Policy;
  /** As `failedCredentials`, for all clients with an unknown address together. */
  readonly unknownAddress: Policy;
  readonly admin: Policy;
  readonly platform: Policy;
  readonly page: Policy;
  /** As `page`, for all browsers with an unknown address together. */
  readonly pageWithoutAddress: Policy;
  readonly dashboard: Policy;
  /** As `dashboard`, for all browsers with an unknown address together. */
  readonly dashboardWithoutAddress: Policy;
}

const KEY_RATES: Readonly<Record<Environment, Rate>> = {
  live: { requests: 100, seconds: 1, burst: 200 },
  test: { requests: 25, seconds: 1, burst: 50 },
};
const ACCOUNT_RATES: Readonly<Record<Environment, Rate>> = {
  live: { requests: 500, seconds: 1, burst: 1000 },
  test: { requests: 125, seconds: 1, burst: 250 },
};
const PER_MINUTE: Rate = { requests: 20, seconds: 60 };
/** Behind a Unix socket every client may be one of them: room for many, but a limit for a flood. */
const CLIENTS_WITHOUT_ADDRESS = 50;
const ADMIN_RATE: Rate = { requests: 20, seconds: 1 };
const PLATFORM_RATE: Rate = { requests: 50, seconds: 1 };
/** One approval takes up to five: two pages, two after a login, and the answer. */
const PAGE_RATE: Rate = { requests: 30, seconds: 60 };
/** An office of 50 people behind one address, whose open pages all notice that their session ended. */
const DASHBOARD_RATE: Rate = { requests: 600, seconds: 60 };

/**
 * The policies of the options.
 * @throws RangeError for a rate that allows no request, naming its option
 */
export function toPolicies(options: RateLimitOptions = {}): Policies {
  const { key, account, publishableKey, failedCredentials = PER_MINUTE } = options;
  const { admin, platform, page = PAGE_RATE, dashboard = DASHBOARD_RATE } = options;
  return {
    key: {
      live: toPolicy('key', key?.live ?? KEY_RATES.live, 'key.live'),
      test: toPolicy('key', key?.test ?? KEY_RATES.test, 'key.test'),
    },
    account: {
      live: toPolicy('account', account?.live ?? ACCOUNT_RATES.live, 'account.live'),
      test: toPolicy('account', account?.test ?? ACCOUNT_RATES.test, 'account.test'),
    },
    publishableKey: toPolicy('address', publishableKey ?? PER_MINUTE, 'publishableKey'),
    failedCredentials: toPolicy('credentials', failedCredentials, 'failedCredentials'),
    unknownAddress: toPolicy('credentials', withoutAddress(failedCredentials), 'unknownAddress'),
    admin: toPolicy('admin', admin ?? ADMIN_RATE, 'admin'),
    platform: toPolicy('platform', platform ?? PLATFORM_RATE, 'platform'),
    page: toPolicy('page', page, 'page'),
    pageWithoutAddress: toPolicy('page', withoutAddress(page), 'page'),
    dashboard: toPolicy('page', dashboard, 'dashboard'),
    dashboardWithoutAddress: toPolicy('page', withoutAddress(dashboard), 'dashboard'),
  };
}

function withoutAddress({ requests, seconds, burst = requests }: Rate): Rate {
  const [all, atOnce] = [requests * CLIENTS_WITHOUT_ADDRESS, burst * CLIENTS_WITHOUT_ADDRESS];
  return { requests: all, seconds, burst: atOnce };
}

function toPolicy(name: Policy['name'], rate: Rate, id: string): Policy {
  const { requests, seconds, burst = requests } = rate;
  const isRate = requests > 0 && seconds > 0 && Number.isFinite(requests / seconds);
  if (!isRate || !Number.isInteger(burst) || burst < 1) {
    throw new RangeError(
      `The option \`rateLimit.${id}\` needs requests and seconds above 0, and a burst of 1 or more.`,
    );
  }
  const intervalMs = (seconds * 1000) / requests;
  const refillMs = intervalMs * burst;
  const window = Math.ceil(refillMs / 1000);
  return {
    id,
    name,
    capacity: burst,
    intervalMs,
    refillMs,
    text: `${requests} per ${seconds === 1 ? 'second' : `${seconds} seconds`}`,
    item: `"${name}";q=${burst};w=${window}`,
  };
}
