import type { Rate, RateLimitOptions } from '@paymount/auth';
import {
  A_FLAG,
  A_NUMBER,
  type AllOptions,
  ANY_OPTION,
  aChoice,
  aFunction,
  aListOf,
  anObjectOf,
  aText,
  aWholeNumber,
  either,
  having,
  type KnownOptions,
  type OptionRule,
  refuseWrongOptions,
} from '@paymount/core/kernel';
import type { FaultShares } from '@paymount/processor-sandbox';
import type {
  EgressSettings,
  LeakRouterOptions,
  LeakSettings,
  MailSettings,
  ManagementRouterOptions,
  PaymountOptions,
  RouterOptions,
  WorkerOptions,
} from './options.ts';
import { POSTGRES_OPTIONS } from './postgres-storage.ts';

const MAX_WAIT_MS = 600_000;
const FALSE: OptionRule = { must: 'false', accepts: (value) => value === false };
const AN_ADDRESS = aText('an `http` or `https` address');
const A_RANGE = aText('an address or a CIDR range such as 10.0.0.0/8');
const AN_ORIGIN = aText('an origin such as https://admin.example.com');
const ABOVE_ZERO: OptionRule = {
  must: 'a number above 0',
  accepts: (value) => Number.isFinite(value) && Number(value) > 0,
};
const A_SHARE: OptionRule = {
  must: 'a share from 0 to 1',
  accepts: (value) => Number.isFinite(value) && Number(value) >= 0 && Number(value) <= 1,
};
/** Each with what a reader needs; names, sizes and doubles are judged where they are read. */
const A_LEAK_SOURCE: OptionRule = {
  must: 'a leak source with `name`, a text, and `verify`',
  accepts: (value) => having('', 'verify').accepts(value) && isText(value, 'name'),
};
const A_SEALING_KEY: OptionRule = {
  must: '`{ kid, key }`: a text, and a text or 32 bytes',
  accepts: (value) =>
    isText(value, 'kid') && (isText(value, 'key') || memberOf(value, 'key') instanceof Uint8Array),
};
const MAIL_OPTIONS: OptionRule = {
  must: "nodemailer's options, an object",
  accepts: (value) => typeof value === 'object' && value !== null,
};

const EGRESS: AllOptions<EgressSettings> = {
  allowedNetworks: aListOf(A_RANGE, "a list of CIDR ranges such as ['10.0.0.0/8']"),
  ports: either(
    aListOf(aWholeNumber(1, 65_535), 'a list of port numbers such as [8444]'),
    aChoice('any'),
  ),
  ca: aText('PEM certificates, as a text'),
};
const LEAKS: AllOptions<LeakSettings> = {
  github: anObjectOf({ keysUrl: AN_ADDRESS }),
  sources: aListOf(A_LEAK_SOURCE, 'a list of leak sources'),
};
const MAIL: AllOptions<MailSettings> = {
  smtp: either(aText('an `smtp` or `smtps` address'), MAIL_OPTIONS),
  from: aText('an address of a sender, as a text'),
  operator: aText('an e-mail address'),
};
const byEnvironment = (rule: OptionRule): OptionRule => anObjectOf({ live: rule, test: rule });
const RATE: AllOptions<Rate> = {
  requests: ABOVE_ZERO,
  seconds: ABOVE_ZERO,
  burst: aWholeNumber(1, Number.MAX_SAFE_INTEGER),
};
const A_RATE = anObjectOf(RATE);
const RATE_LIMIT: AllOptions<RateLimitOptions> = {
  shared: A_FLAG,
  key: byEnvironment(A_RATE),
  account: byEnvironment(A_RATE),
  publishableKey: A_RATE,
  failedCredentials: A_RATE,
  admin: A_RATE,
};
const FAULTS: AllOptions<FaultShares> = {
  timeout_approved: A_SHARE,
  timeout_declined: A_SHARE,
  unknown_forever: A_SHARE,
  not_sent: A_SHARE,
  amount_tampered: A_SHARE,
};
const SANDBOX: AllOptions<NonNullable<PaymountOptions['sandbox']>> = {
  latencyMs: aWholeNumber(0, MAX_WAIT_MS),
  faults: anObjectOf(FAULTS),
  seed: A_NUMBER,
  silenceMs: aWholeNumber(0, MAX_WAIT_MS),
};

const CREATE: AllOptions<PaymountOptions> = {
  ...POSTGRES_OPTIONS,
  storage: ANY_OPTION,
  migrate: A_FLAG,
  processors: byEnvironment(
    having('a processor', 'tokenize', 'authorize', 'capture', 'cancel', 'refund', 'lookup'),
  ),
  sandbox: anObjectOf(SANDBOX),
  sealingKeys: either(
    aListOf(A_SEALING_KEY, 'a list of `{ kid, key }`'),
    having('a key provider', 'current', 'byKid'),
  ),
  redis: aText('an address such as redis://localhost:6379'),
  hook: aFunction('a function `(transaction, settled) => Promise<void>`'),
  fees: aFunction('a function `(charge, amount, account) => ({ amount, details })`'),
  refundOverdraft: aWholeNumber(0, Number.MAX_SAFE_INTEGER),
  egress: anObjectOf(EGRESS),
  trustedProxies: aListOf(A_RANGE, "a list of addresses and CIDR ranges such as ['10.0.0.0/8']"),
  tlsVersionHeader: aText('the name of a header'),
  rateLimit: either(anObjectOf(RATE_LIMIT), FALSE),
  issuerTag: aText('a text of 2 to 8 letters or digits'),
  safeAfterSeconds: ANY_OPTION,
  mail: anObjectOf(MAIL),
  mailer: either(having('a mailer', 'send'), FALSE),
  leakPolicy: aChoice('revoke', 'notify'),
  leaks: anObjectOf(LEAKS),
  docUrl: {
    must: 'an `http` or `https` address without a `#`',
    accepts: (value) => typeof value === 'string' && /^https?:\/\/[^\s#]+$/.test(value),
  },
  logger: having('a logger', 'debug', 'info', 'warn', 'error'),
  clock: having('a clock', 'now', 'monotonicMs'),
  crashPoint: aFunction('a function'),
};
// The environment is judged where it is read, with what it needs.
const ROUTER: AllOptions<RouterOptions> = {
  environment: ANY_OPTION,
  requireTls: A_FLAG,
  apiPage: A_FLAG,
};
const LEAK_ROUTER: AllOptions<LeakRouterOptions> = { requireTls: A_FLAG };
const MANAGEMENT_ROUTER: AllOptions<ManagementRouterOptions> = {
  authenticate: ANY_OPTION,
  origins: aListOf(AN_ORIGIN, 'a list of origins such as https://admin.example.com'),
  requireTls: A_FLAG,
};

const WORKER: AllOptions<WorkerOptions> = { reconcile: A_FLAG };

/** What takes options, by its name. */
const TAKERS = {
  'createPaymount()': CREATE,
  'router()': ROUTER,
  'leakRouter()': LEAK_ROUTER,
  'managementRouter()': MANAGEMENT_ROUTER,
  'startWorker()': WORKER,
} as const satisfies Record<string, KnownOptions>;

/**
 * Refuses an option that nothing reads, and one that is not what it must be.
 * @param source what the message names instead of the taker: a file that holds the options
 * @throws TypeError naming it, and the one probably meant or what it must be
 */
export function refuseWrongIn(
  taker: keyof typeof TAKERS,
  options: unknown,
  source: string = taker,
): void {
  refuseWrongOptions(source, TAKERS[taker], options);
}

function isText(value: unknown, name: string): boolean {
  return typeof memberOf(value, name) === 'string';
}

/** @returns undefined for a value without members */
function memberOf(value: unknown, name: string): unknown {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject ? Reflect.get(value, name) : undefined;
}
