import type { RateLimitOptions } from '@paymount/auth';
import { nearest } from '@paymount/core';
import type {
  EgressSettings,
  LeakRouterOptions,
  LeakSettings,
  MailSettings,
  ManagementRouterOptions,
  PaymountOptions,
  RouterOptions,
} from './options.ts';

/** The names of some options, each with those inside it; what is not ours to know is `{}`. */
interface Known {
  readonly [name: string]: Known;
}

/** Every option of an interface: a new one that is missing here does not compile. */
type All<Options> = { readonly [Name in keyof Required<Options>]: Known };

const ANY: Known = {};

const EGRESS: All<EgressSettings> = { allowedNetworks: ANY, ports: ANY, ca: ANY };
const LEAKS: All<LeakSettings> = { github: { keysUrl: ANY }, sources: ANY };
const MAIL: All<MailSettings> = { smtp: ANY, from: ANY, operator: ANY };
const ENVIRONMENTS = { live: ANY, test: ANY };
const RATE_LIMIT: All<RateLimitOptions> = {
  shared: ANY,
  key: ENVIRONMENTS,
  account: ENVIRONMENTS,
  publishableKey: ANY,
  failedCredentials: ANY,
  admin: ANY,
};

const CREATE: All<PaymountOptions> = {
  database: ANY,
  schema: ANY,
  migrate: ANY,
  poolSize: ANY,
  directUrl: ANY,
  preparedStatements: ANY,
  processors: ENVIRONMENTS,
  sandbox: ANY,
  sealingKeys: ANY,
  redis: ANY,
  hook: ANY,
  fees: ANY,
  refundOverdraft: ANY,
  egress: EGRESS,
  trustedProxies: ANY,
  tlsVersionHeader: ANY,
  rateLimit: RATE_LIMIT,
  issuerTag: ANY,
  safeAfterSeconds: ANY,
  mail: MAIL,
  mailer: ANY,
  leakPolicy: ANY,
  leaks: LEAKS,
  logger: ANY,
  clock: ANY,
  crashPoint: ANY,
};
const ROUTER: All<RouterOptions> = { environment: ANY, requireTls: ANY };
const LEAK_ROUTER: All<LeakRouterOptions> = { requireTls: ANY };
const MANAGEMENT_ROUTER: All<ManagementRouterOptions> = {
  authenticate: ANY,
  origins: ANY,
  requireTls: ANY,
};

/** What takes options, by its name. */
const TAKERS = {
  'createPaymount()': CREATE,
  'router()': ROUTER,
  'leakRouter()': LEAK_ROUTER,
  'managementRouter()': MANAGEMENT_ROUTER,
} as const satisfies Record<string, Known>;

/**
 * Refuses an option that nothing reads. JavaScript lets every name through, and `requireTLS: true`
 * would demand nothing while it looks as if it did.
 * @throws TypeError naming the option, and the one that was probably meant
 */
export function refuseUnknownOptions(taker: keyof typeof TAKERS, options: object): void {
  refuseIn(taker, TAKERS[taker], options);
}

function refuseIn(taker: string, known: Known, options: object, path = ''): void {
  const [first, ...rest] = Object.keys(known);
  if (first === undefined) return;
  for (const [name, value] of Object.entries<unknown>({ ...options })) {
    const inside = Object.hasOwn(known, name) ? known[name] : undefined;
    if (inside === undefined) {
      const meant = path + nearest(name, [first, ...rest]);
      throw new TypeError(`${taker} has no option \`${path}${name}\`; did you mean \`${meant}\`?`);
    }
    if (typeof value === 'object' && value !== null)
      refuseIn(taker, inside, value, `${path}${name}.`);
  }
}
