/** Who may import what, and who may use which library: read by `.dependency-cruiser.cjs`. */

/** Each package, and the packages it may import. Arrows only go down. */
const LAYERS = {
  core: [],
  receiver: [],
  auth: ['core'],
  http: ['core', 'auth'],
  oauth: ['core', 'auth', 'http'],
  management: ['core', 'auth', 'http'],
  dashboard: ['core', 'auth', 'http'],
  webhooks: ['core', 'receiver'],
  'storage-postgres': ['core'],
  'processor-sandbox': ['core'],
  paymount: [
    ...['core', 'receiver', 'auth', 'http', 'oauth', 'management', 'dashboard', 'webhooks'],
    ...['storage-postgres', 'processor-sandbox'],
  ],
  cli: ['receiver'],
};

/** The one command carries what developers of merchants type; nothing else of `paymount` loads it. */
const FREE_OF_LAYERS = { paymount: '^packages/paymount/src/commands/' };

/** Each folder of `paymount`, and the folders of it that this one may import. Its entries may import all. */
const FOLDERS = {
  adapters: [],
  options: ['adapters'],
  parts: ['adapters', 'options'],
  host: ['options', 'parts'],
  mount: ['options', 'parts'],
  testing: ['options'],
};

/** Each library, and the packages that alone may touch it. */
const TECHNOLOGY = {
  zod: ['core', 'http', 'management'],
  'temporal-polyfill': ['core'],
  jose: ['auth'],
  'rate-limiter-flexible': ['auth'],
  'ipaddr.js': ['core', 'webhooks'],
  express: ['auth', 'http', 'oauth', 'management', 'dashboard', 'paymount'],
  qs: ['http'],
  'zod-openapi': ['http'],
  bullmq: ['webhooks'],
  undici: ['webhooks'],
  knex: ['storage-postgres'],
  pg: ['storage-postgres'],
  nodemailer: ['paymount'],
  pino: ['paymount'],
  'prom-client': ['paymount'],
  '@opentelemetry/api': ['paymount'],
  commander: ['paymount', 'cli'],
  '@electric-sql/pglite': ['paymount'],
};

/**
 * Each area of core, the areas that it may import, and its slices: the noun of each that has one (its
 * file of pure rules), and the slices of the same area that it may import.
 */
const AREAS = {
  kernel: { may: [] },
  changes: {
    may: ['kernel'],
    slices: {
      audit: { noun: 'audit' },
      events: { noun: 'event' },
      idempotency: { noun: 'idempotency' },
      mails: { noun: 'mail' },
    },
  },
  ledger: { may: ['kernel', 'changes'] },
  payments: {
    may: ['kernel', 'changes', 'ledger'],
    slices: {
      charges: { noun: 'charge', may: ['payment-methods', 'operations'] },
      customers: { noun: 'customer' },
      disputes: { noun: 'dispute', may: ['charges'] },
      operations: { noun: 'operation', may: ['payment-methods'] },
      'payment-methods': { noun: 'payment-method', may: ['operations'] },
      payouts: { noun: 'payout' },
      refunds: { noun: 'refund', may: ['charges', 'operations'] },
      subscriptions: { noun: 'subscription', may: ['charges'] },
    },
  },
  events: {
    may: ['kernel', 'changes', 'payments'],
    slices: {
      deliveries: { noun: 'delivery', may: ['endpoints'] },
      endpoints: { noun: 'endpoint' },
      feed: { noun: 'event-feed' },
      replays: { noun: 'replay', may: ['deliveries', 'endpoints'] },
    },
  },
  access: {
    may: ['kernel', 'changes', 'events'],
    slices: {
      accounts: { noun: 'account', may: ['credentials'] },
      addresses: { may: ['keys'] },
      credentials: { may: ['keys'] },
      grants: { noun: 'grant', may: ['accounts'] },
      keys: { noun: 'key', may: ['accounts', 'addresses', 'credentials'] },
      leaks: { noun: 'leak', may: ['keys', 'accounts', 'credentials'] },
      platforms: { noun: 'platform' },
    },
  },
  // The map of what is kept: it names every area that keeps data.
  store: { may: ['kernel', 'changes', 'ledger', 'payments', 'events', 'access'] },
  // It knows the times of every resource that merchants are shown.
  'stripe-form': { may: ['kernel', 'changes', 'ledger', 'payments', 'events', 'access'] },
  testing: {
    may: ['kernel', 'changes', 'payments', 'events', 'store'],
    slices: { 'test-clocks': { noun: 'test-clock' }, triggers: { noun: 'trigger' } },
  },
  conformance: {
    may: ['kernel', 'changes', 'ledger', 'payments', 'events', 'access', 'store'],
  },
};

module.exports = { AREAS, FOLDERS, FREE_OF_LAYERS, LAYERS, TECHNOLOGY };
