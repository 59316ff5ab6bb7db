import { expect } from 'chai';
import { createPaymount, type PaymountOptions } from 'paymount';
import { startWorker } from 'paymount/worker';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { SILENT, startError, startHost } from '../support/host.ts';
import { makeSealingKeys } from '../support/make.ts';

/** What JavaScript lets through. */
type Untyped = Readonly<Record<string, unknown>>;

const KEYS = 'a list of `{ kid, key }`, or a key provider with `current` and `byKid`';
const AN_ADDRESS =
  'a connection string that begins with `postgres://`, `postgresql://`, `socket:` or `/`';
const A_SCHEMA = 'the name of a schema: letters, digits and `_`, at most 63, and no digit first';
const A_PROCESSOR =
  'a processor with `tokenize`, `authorize`, `capture`, `cancel`, `refund` and `lookup`, and `payout` if it has the capability `payouts`';
const nothing = (): undefined => undefined;
const NO_PAYOUT = {
  tokenize: nothing,
  authorize: nothing,
  capture: nothing,
  cancel: nothing,
  refund: nothing,
  lookup: nothing,
  capabilities: { methods: ['card'], payouts: true },
};
const FAULTS =
  '`timeout_approved`, `timeout_declined`, `unknown_forever`, `not_sent` or `amount_tampered`';

/** An option, a value that is wrong, and the end of what is said of it. */
const WRONG: readonly (readonly [option: string, value: unknown, told: string])[] = [
  ['schema', 7, `${A_SCHEMA}; it is 7.`],
  ['schema', 'a-b', `${A_SCHEMA}; it is a text (not shown).`],
  ['schema', '1st', `${A_SCHEMA}; it is a text (not shown).`],
  ['mail.dashboardUrl', 7, 'an `http` or `https` address; it is 7.'],
  ['migrate', 'yes', 'true or false; it is a text (not shown).'],
  ['poolSize', 0, 'a whole number from 1 to 1,000; it is 0.'],
  ['poolSize', '10', 'a whole number from 1 to 1,000; it is a text (not shown).'],
  ['poolSize', 2.5, 'a whole number from 1 to 1,000; it is 2.5.'],
  ['directUrl', '', `${AN_ADDRESS}; it is an empty text.`],
  ['directUrl', 'mysql://localhost/shop', `${AN_ADDRESS}; it is a text (not shown).`],
  ['preparedStatements', 0, 'true or false; it is 0.'],
  ['processors', 'x', 'an object with `live` or `test`; it is a text (not shown).'],
  ['processors.live', {}, `${A_PROCESSOR}; it is an object.`],
  ['processors.test', NO_PAYOUT, `${A_PROCESSOR}; it is an object.`],
  ['sandbox.latencyMs', -1, 'a whole number from 0 to 600,000; it is -1.'],
  ['sandbox.seed', '1', 'a finite number; it is a text (not shown).'],
  ['sandbox.seed', Number.NaN, 'a finite number; it is NaN.'],
  ['sandbox.faults', [], `an object with ${FAULTS}; it is a list.`],
  ['sandbox.faults.not_sent', 2, 'a share from 0 to 1; it is 2.'],
  ['sealingKeys', 'x', `${KEYS}; it is a text (not shown).`],
  ['sealingKeys', {}, `${KEYS}; it is an object.`],
  ['sealingKeys[0]', [[]], '`{ kid, key }`: a text, and a text or 32 bytes; it is a list.'],
  ['sealingKeys[0]', [{}], '`{ kid, key }`: a text, and a text or 32 bytes; it is an object.'],
  ['redis', true, 'an address such as redis://localhost:6379; it is true.'],
  ['hook', 'x', 'a function `(transaction, settled) => Promise<void>`; it is a text (not shown).'],
  ['fees', 0.015, 'a function `(charge, amount, account) => ({ amount, details })`; it is 0.015.'],
  ['refundOverdraft', -1, 'a whole number from 0 to 9,007,199,254,740,991; it is -1.'],
  ['retention', 30, 'an object with `eventsDays`, `invoicesDays` or `export`; it is 30.'],
  ['retention.export', true, 'a function `(batch) => Promise<void>`; it is true.'],
  ['retention.eventsDays', 29, 'a whole number from 30 to 36,500, or null; it is 29.'],
  ['retention.eventsDays', 30.5, 'a whole number from 30 to 36,500, or null; it is 30.5.'],
  [
    'retention.eventsDays',
    '90',
    'a whole number from 30 to 36,500, or null; it is a text (not shown).',
  ],
  [
    'egress',
    [],
    'an object with `allowedNetworks`, `ports`, `ca`, `ownHosts` or `proxy`; it is a list.',
  ],
  [
    'egress.ownHosts',
    'x',
    "a list of hosts such as ['api.example.com']; it is a text (not shown).",
  ],
  [
    'egress.proxy',
    'https://user:secret@proxy.example.com',
    'the URL of an HTTP proxy, written as http://user:password@host:port; it is a text (not shown).',
  ],
  ['egress.ports', 8080, 'a list of port numbers such as [8444], or "any"; it is 8080.'],
  ['egress.ports[1]', [8444, 0], 'a whole number from 1 to 65,535; it is 0.'],
  [
    'egress.allowedNetworks',
    '10.0.0.0/8',
    "a list of CIDR ranges such as ['10.0.0.0/8']; it is a text (not shown).",
  ],
  [
    'trustedProxies',
    true,
    "a list of addresses and CIDR ranges such as ['10.0.0.0/8']; it is true.",
  ],
  ['tlsVersionHeader', 1, 'the name of a header; it is 1.'],
  [
    'trustedProxies[0]',
    [undefined],
    'an address or a CIDR range such as 10.0.0.0/8; it is undefined.',
  ],
  ['egress.allowedNetworks[0]', [10], 'an address or a CIDR range such as 10.0.0.0/8; it is 10.'],
  ['egress.ports[0]', ['8444'], 'a whole number from 1 to 65,535; it is a text (not shown).'],
  ['rateLimit.shared', 1, 'true or false; it is 1.'],
  ['rateLimit.admin', null, 'an object with `requests`, `seconds` or `burst`; it is null.'],
  ['rateLimit.key.live', 5, 'an object with `requests`, `seconds` or `burst`; it is 5.'],
  ['rateLimit.admin.requests', '5', 'a number above 0; it is a text (not shown).'],
  ['issuerTag', null, 'a text of 2 to 8 letters or digits; it is null.'],
  ['mail.operator', 1, 'an e-mail address; it is 1.'],
  ['mail.from', {}, 'an address of a sender, as a text; it is an object.'],
  ['mailer', {}, 'a mailer with `send`, or false; it is an object.'],
  ['leakPolicy', 'x', '"revoke" or "notify"; it is a text (not shown).'],
  ['leaks.github.keysUrl', 1, 'an `http` or `https` address; it is 1.'],
  ['leaks.sources', 'x', 'a list of leak sources; it is a text (not shown).'],
  ['leaks.sources', {}, 'a list of leak sources; it is an object.'],
  ['leaks.sources[0]', [{}], 'a leak source with `name`, a text, and `verify`; it is an object.'],
  ['docUrl', 'docs', 'an `http` or `https` address without a `#`; it is a text (not shown).'],
  ['logger', () => 0, 'a logger with `debug`, `info`, `warn` and `error`; it is a function.'],
  ['clock', {}, 'a clock with `now` and `monotonicMs`; it is an object.'],
  ['database', 5, `${AN_ADDRESS}, a \`pg.Pool\` or a knex; it is 5.`],
  ['database', {}, `${AN_ADDRESS}, a \`pg.Pool\` or a knex; it is an object.`],
  ...['mysql://localhost/shop', 'http://localhost:5432/shop', 'localhost/shop'].map(
    (address) =>
      [
        'database',
        address,
        `${AN_ADDRESS}, a \`pg.Pool\` or a knex; it is a text (not shown).`,
      ] as const,
  ),
  ['crashPoint', {}, 'a function; it is an object.'],
];

/** Their members are static. */
const StaticClock = Object.assign(class {}, {
  now: () => new Date('2026-11-21T09:30:00.000Z'),
  monotonicMs: () => performance.now(),
});
const StaticProcessor = Object.assign(class {}, {
  capabilities: { methods: ['card'] },
  tokenize: never,
  authorize: never,
  capture: never,
  cancel: never,
  refund: never,
  lookup: never,
});

function never(): Promise<never> {
  return Promise.reject(new Error('Nobody asks.'));
}

describe('the options', () => {
  const sealingKeys = makeSealingKeys();
  let database: TestDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  const bootError = async (options: Untyped): Promise<string> => {
    const given: Untyped = { database: database.url, sealingKeys, ...options };
    return String((await startError(given as unknown as PaymountOptions)) ?? 'It started.');
  };

  for (const [option, value, told] of WRONG) {
    it(`refuse ${option}: ${JSON.stringify(value)}, when it must be ${told}`, async () => {
      const nested = option
        .replace(/\[\d+\]$/, '')
        .split('.')
        .reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
      expect(await bootError(nested as Untyped)).to.equal(
        `TypeError: createPaymount(): the option \`${option}\` must be ${told}`,
      );
    });
  }

  it('refuse one that nothing reads, at any depth, and name the one probably meant', async () => {
    expect(await bootError({ poolsize: 3 })).to.equal(
      'TypeError: createPaymount() has no option `poolsize`; did you mean `poolSize`?',
    );
    expect(await bootError({ sandbox: { latency: 3 } })).to.equal(
      'TypeError: createPaymount() has no option `sandbox.latency`; did you mean `sandbox.latencyMs`?',
    );
  });

  it('name an unknown fault of the sandbox', async () => {
    expect(await bootError({ sandbox: { faults: { no_such: 1 } } })).to.equal(
      'TypeError: createPaymount() has no option `sandbox.faults.no_such`; did you mean `sandbox.faults.not_sent`?',
    );
  });

  it('are an object, or nothing is started', async () => {
    for (const [given, told] of [
      [undefined, 'undefined'],
      [null, 'null'],
      ['postgres://localhost/shop', 'a text'],
      [[], 'a list'],
    ] as const) {
      const started = createPaymount(given as unknown as PaymountOptions);
      expect(await started.catch(String)).to.equal(
        `TypeError: createPaymount() takes an object of options, such as \`{ database }\`; it got ${told}.`,
      );
    }
  });

  it('may be functions, or classes with static methods, that do what is asked of them', async () => {
    const functions = {
      logger: Object.assign(() => undefined, SILENT),
      clock: StaticClock,
      processors: { test: StaticProcessor },
      sandbox: { seed: -1.5 },
    };
    expect(await bootError(functions)).to.equal('It started.');
  });

  it('may be undefined, as settings that were not given are', async () => {
    const absent = { poolSize: undefined, hook: undefined, redis: undefined };
    expect(await bootError(absent)).to.equal('It started.');
  });

  it('of routers and workers are validated in the same way', async () => {
    const { paymount, close } = await startHost({ databaseUrl: database.url, sealingKeys });
    try {
      const mount = { environment: 'test', requireTls: 'no' } as unknown as { environment: 'test' };
      expect(() => paymount.router(mount)).to.throw(
        'router(): the option `requireTls` must be true or false; it is a text (not shown).',
      );
      expect(() => paymount.router(null as unknown as typeof mount)).to.throw(
        'router() takes an object of options, such as `{ environment }`; it got null.',
      );
      const work = { reconcile: 1 } as unknown as { reconcile: boolean };
      const refused = await startWorker(paymount, work).catch((error: unknown) => String(error));
      expect(refused).to.equal(
        'TypeError: startWorker(): the option `reconcile` must be true or false; it is 1.',
      );
    } finally {
      await close();
    }
  });
});
