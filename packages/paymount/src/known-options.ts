import type { RateLimitOptions } from '@paymount/auth';
import {
  type AllOptions,
  ANY_OPTION,
  type KnownOptions,
  refuseUnknownOptions,
} from '@paymount/core';
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

const EGRESS: AllOptions<EgressSettings> = {
  allowedNetworks: ANY_OPTION,
  ports: ANY_OPTION,
  ca: ANY_OPTION,
};
const LEAKS: AllOptions<LeakSettings> = { github: { keysUrl: ANY_OPTION }, sources: ANY_OPTION };
const MAIL: AllOptions<MailSettings> = { smtp: ANY_OPTION, from: ANY_OPTION, operator: ANY_OPTION };
const ENVIRONMENTS = { live: ANY_OPTION, test: ANY_OPTION };
const RATE_LIMIT: AllOptions<RateLimitOptions> = {
  shared: ANY_OPTION,
  key: ENVIRONMENTS,
  account: ENVIRONMENTS,
  publishableKey: ANY_OPTION,
  failedCredentials: ANY_OPTION,
  admin: ANY_OPTION,
};

const CREATE: AllOptions<PaymountOptions> = {
  database: ANY_OPTION,
  schema: ANY_OPTION,
  storage: ANY_OPTION,
  migrate: ANY_OPTION,
  poolSize: ANY_OPTION,
  directUrl: ANY_OPTION,
  preparedStatements: ANY_OPTION,
  processors: ENVIRONMENTS,
  sandbox: ANY_OPTION,
  sealingKeys: ANY_OPTION,
  redis: ANY_OPTION,
  hook: ANY_OPTION,
  fees: ANY_OPTION,
  refundOverdraft: ANY_OPTION,
  egress: EGRESS,
  trustedProxies: ANY_OPTION,
  tlsVersionHeader: ANY_OPTION,
  rateLimit: RATE_LIMIT,
  issuerTag: ANY_OPTION,
  safeAfterSeconds: ANY_OPTION,
  mail: MAIL,
  mailer: ANY_OPTION,
  leakPolicy: ANY_OPTION,
  leaks: LEAKS,
  logger: ANY_OPTION,
  clock: ANY_OPTION,
  crashPoint: ANY_OPTION,
};
const ROUTER: AllOptions<RouterOptions> = { environment: ANY_OPTION, requireTls: ANY_OPTION };
const LEAK_ROUTER: AllOptions<LeakRouterOptions> = { requireTls: ANY_OPTION };
const MANAGEMENT_ROUTER: AllOptions<ManagementRouterOptions> = {
  authenticate: ANY_OPTION,
  origins: ANY_OPTION,
  requireTls: ANY_OPTION,
};

const WORKER: AllOptions<WorkerOptions> = { reconcile: ANY_OPTION };

/** What takes options, by its name. */
const TAKERS = {
  'createPaymount()': CREATE,
  'router()': ROUTER,
  'leakRouter()': LEAK_ROUTER,
  'managementRouter()': MANAGEMENT_ROUTER,
  'startWorker()': WORKER,
} as const satisfies Record<string, KnownOptions>;

/** Refuses an option that nothing reads. @throws TypeError naming it, and the one probably meant */
export function refuseUnknownIn(taker: keyof typeof TAKERS, options: object): void {
  refuseUnknownOptions(taker, TAKERS[taker], options);
}
