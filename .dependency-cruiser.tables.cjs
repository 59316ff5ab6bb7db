/** Who may import what, and who may use which library: read by `.dependency-cruiser.cjs`. */

/** Each package, and the packages it may import. Arrows only go down. */
const LAYERS = {
  core: [],
  receiver: [],
  auth: ['core'],
  http: ['core', 'auth'],
  oauth: ['core', 'auth', 'http'],
  management: ['core', 'auth', 'http'],
  dashboard: ['core', 'auth', 'http', 'management'],
  webhooks: ['core', 'receiver'],
  'storage-postgres': ['core'],
  'processor-sandbox': ['core'],
  testing: ['core'],
  paymount: [
    ...['core', 'receiver', 'auth', 'http', 'oauth', 'management', 'dashboard', 'webhooks'],
    ...['storage-postgres', 'processor-sandbox'],
  ],
  cli: ['receiver'],
};

/** The one command carries what developers of merchants type; nothing else of `paymount` loads it. */
const FREE_OF_LAYERS = { paymount: '^packages/paymount/src/commands/' };

/**
 * Of each of these packages, its folders, and the others of its folders that each may import. The
 * files beside them, and folders that are not named here, may import all.
 */
const FOLDERS = {
  paymount: {
    adapters: [],
    options: ['adapters'],
    parts: ['adapters', 'options'],
    host: ['options', 'parts'],
    mount: ['options', 'parts'],
    testing: ['options'],
  },
  // The folders of resources stand on these.
  'storage-postgres': {
    connection: [],
    transaction: ['connection'],
    'host-transaction': ['connection', 'transaction'],
    schema: ['connection', 'transaction'],
    verification: ['transaction'],
  },
  webhooks: {
    egress: [],
    lanes: [],
    retries: [],
    attempts: ['egress', 'lanes'],
    claims: ['attempts', 'lanes'],
  },
  testing: {
    run: [],
    processor: ['run'],
    storage: ['run'],
  },
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
  '@fastify/busboy': ['http'],
  'zod-openapi': ['http'],
  bullmq: ['webhooks'],
  undici: ['webhooks'],
  knex: ['storage-postgres'],
  pg: ['storage-postgres'],
  nodemailer: ['paymount'],
  pino: ['paymount'],
  'prom-client': ['paymount'],
  '@opentelemetry/api': ['paymount'],
  commander: ['cli'],
  '@electric-sql/pglite': ['paymount'],
};

/**
 * Each area of core: the areas that it may import, and, where its folders are slices, which slices may
 * import which others of the area. A slice that is not named may import none of them.
 */
const AREAS = {
  kernel: { may: [] },
  changes: { may: ['kernel'], slices: {} },
  ledger: { may: ['kernel', 'changes'] },
  payments: {
    may: ['kernel', 'changes', 'ledger'],
    slices: {
      // A bank token becomes a bank account of payouts or a payment method; both are sealed alike.
      'bank-accounts': ['operations', 'payment-methods'],
      // The return of a bank debit has the reasons of disputes.
      charges: ['contacts', 'customers', 'disputes', 'payment-methods', 'operations'],
      customers: ['contacts', 'operations', 'payment-methods', 'test-clocks'],
      disputes: ['charges', 'files', 'notices', 'operations', 'refunds'],
      notices: [
        ...['bank-accounts', 'charges', 'disputes', 'operations', 'payment-methods', 'payouts'],
        'refunds',
      ],
      // An adapter reports notices; they name the operation that they are about.
      operations: ['notices', 'payment-methods'],
      'payment-methods': ['bank-accounts', 'contacts', 'operations'],
      payouts: ['bank-accounts', 'contacts', 'operations', 'test-clocks'],
      refunds: ['charges', 'disputes', 'operations'],
      subscriptions: ['charges'],
      settlements: ['notices', 'operations'],
      // A clock is deleted with its customers.
      'test-clocks': ['customers', 'payouts'],
    },
  },
  events: {
    may: ['kernel', 'changes', 'payments'],
    slices: { deliveries: ['endpoints'], replays: ['deliveries', 'endpoints'] },
  },
  access: {
    may: ['kernel', 'changes', 'events'],
    slices: {
      accounts: ['credentials'],
      addresses: ['keys'],
      credentials: ['keys'],
      keys: ['accounts', 'addresses', 'credentials'],
      leaks: ['keys', 'accounts', 'credentials'],
    },
  },
  oauth: {
    may: ['kernel', 'changes', 'access'],
    slices: {
      grants: ['platforms'],
      interactions: ['grants', 'platforms', 'tokens'],
      leaks: ['grants', 'platforms'],
      tokens: ['grants', 'platforms'],
    },
  },
  expunging: { may: ['kernel', 'changes'] },
  // The map of what is kept: it names every area that keeps data.
  store: {
    may: ['kernel', 'changes', 'ledger', 'payments', 'events', 'expunging', 'access', 'oauth'],
  },
  // It knows the times of every resource that merchants are shown.
  'stripe-form': { may: ['kernel', 'changes', 'ledger', 'payments', 'events', 'access', 'oauth'] },
  triggers: { may: ['kernel', 'changes', 'payments', 'events', 'store'] },
};

module.exports = { AREAS, FOLDERS, FREE_OF_LAYERS, LAYERS, TECHNOLOGY };
