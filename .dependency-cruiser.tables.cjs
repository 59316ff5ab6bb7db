/** Who may import what, and who may use which library: read by `.dependency-cruiser.cjs`. */

/** Each package, and the packages it may import. Arrows only go down. */
const LAYERS = {
  core: [],
  receiver: [],
  auth: ['core'],
  http: ['core', 'auth'],
  oauth: ['core', 'auth', 'http'],
  management: ['core', 'auth', 'http'],
  documents: ['core', 'http'],
  dashboard: ['core', 'auth', 'http', 'management'],
  webhooks: ['core', 'receiver'],
  'storage-postgres': ['core'],
  'processor-sandbox': ['core'],
  testing: ['core'],
  paymount: [
    'core',
    'receiver',
    'auth',
    'http',
    'oauth',
    'management',
    'dashboard',
    'documents',
    'webhooks',
    'storage-postgres',
    'processor-sandbox',
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
  pdfkit: ['documents'],
  '@electric-sql/pglite': ['paymount'],
};

/**
 * The tiers of payments, the lowest first, so that payments can be read alone, and each tier without
 * those above it. A slice may import every slice of the tiers below its own. Of its own tier it may
 * import those that are listed for it, all of which stand before it: nothing can be listed that climbs,
 * and no two slices that import each other.
 */
const PAYMENT_TIERS = {
  // Who pays, with what, at what time, and the port to processors. The port stands here because payment
  // methods and bank accounts call a processor too. Of a test clock, only its deletion and the work that
  // becomes due on it know other objects; both are in the wiring.
  instruments: {
    contacts: [],
    'test-clocks': [],
    processor: [],
    'payment-methods': ['contacts', 'processor', 'test-clocks'],
    // A bank token becomes a bank account of payouts or a payment method; both are sealed alike.
    'bank-accounts': ['payment-methods', 'processor'],
    customers: ['contacts', 'payment-methods', 'test-clocks'],
  },
  // What is sent to a processor, recorded and asked about again, whatever it is about.
  operations: { operations: [] },
  money: {
    adjustments: [],
    files: [],
    charges: [],
    disputes: ['charges', 'files'],
    // A full refund answers an alert about its charge.
    refunds: ['charges', 'disputes'],
    payouts: [],
    settlements: ['charges', 'disputes'],
  },
  // What a processor reports changes objects of every tier below.
  reports: { notices: [] },
  // Connects the slices. It imports all of them; a slice takes the ports that it uses instead.
  wiring: { wiring: [] },
};

/**
 * Each slice of the tiers, and the slices that it may import.
 * @param {Record<string, Record<string, string[]>>} tiers
 * @throws Error if a slice lists one that does not stand before it in its tier
 */
function slicesOf(tiers) {
  /** @type {Record<string, string[]>} */
  const may = {};
  for (const tier of Object.values(tiers)) {
    const lower = Object.keys(may);
    /** @type {string[]} */
    const before = [];
    for (const [slice, named] of Object.entries(tier)) {
      const later = named.filter((other) => !before.includes(other));
      if (later.length > 0) {
        throw new Error(
          `${slice} lists ${later.join(', ')}, which must stand before it in its tier.`,
        );
      }
      may[slice] = [...lower, ...named];
      before.push(slice);
    }
  }
  return may;
}

/**
 * Each area of core: the areas that it may import, and, where its folders are slices, which slices may
 * import which others of the area. A slice that is not named may import none of them.
 */
const AREAS = {
  kernel: { may: [] },
  changes: { may: ['kernel'], slices: {} },
  ledger: { may: ['kernel', 'changes'] },
  payments: { may: ['kernel', 'changes', 'ledger'], slices: slicesOf(PAYMENT_TIERS) },
  // What makes charges by itself.
  billing: {
    may: ['kernel', 'changes', 'ledger', 'payments'],
    slices: {
      prices: [],
      balance: [],
      'customer-texts': [],
      'customer-mails': ['customer-texts'],
      'billing-settings': [],
      reminders: ['customer-texts', 'customer-mails', 'invoices', 'subscriptions'],
      invoices: ['prices', 'balance', 'customer-texts', 'customer-mails'],
      subscriptions: [
        'prices',
        'balance',
        'customer-texts',
        'customer-mails',
        'invoices',
        'billing-settings',
      ],
    },
  },
  events: {
    may: ['kernel', 'changes', 'payments', 'billing'],
    slices: { deliveries: ['endpoints'], replays: ['deliveries', 'endpoints'] },
  },
  access: {
    may: ['kernel', 'changes', 'events'],
    slices: {
      accounts: ['credentials'],
      keys: ['addresses', 'credentials'],
      leaks: ['keys', 'credentials'],
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
    may: [
      'kernel',
      'changes',
      'ledger',
      'payments',
      'billing',
      'events',
      'expunging',
      'access',
      'oauth',
    ],
  },
  // It knows the times of every resource that merchants are shown.
  'stripe-form': {
    may: ['kernel', 'changes', 'ledger', 'payments', 'billing', 'events', 'access', 'oauth'],
  },
  triggers: { may: ['kernel', 'changes', 'payments', 'billing', 'events', 'store'] },
};

module.exports = { AREAS, FOLDERS, FREE_OF_LAYERS, LAYERS, PAYMENT_TIERS, TECHNOLOGY, slicesOf };
