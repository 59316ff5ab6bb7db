import { expect } from 'chai';
import { createPaymount, type Paymount } from 'paymount';
import { startWorker } from 'paymount/worker';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { makeSealingKeys } from '../support/make.ts';

const LOGGER = { debug() {}, info() {}, warn() {}, error() {} };
/** What JavaScript lets through. */
type Untyped = Readonly<Record<string, unknown>>;

/** An option, a value that is wrong, and the end of what is said of it. */
const WRONG: readonly (readonly [option: string, value: unknown, told: string])[] = [
  ['schema', 7, 'the name of a schema, as a text; it is 7.'],
  ['migrate', 'yes', 'true or false; it is another text.'],
  ['poolSize', 0, 'a whole number from 1 to 1,000; it is 0.'],
  ['poolSize', '10', 'a whole number from 1 to 1,000; it is another text.'],
  ['poolSize', 2.5, 'a whole number from 1 to 1,000; it is 2.5.'],
  ['directUrl', '', 'a connection string; it is an empty text.'],
  ['preparedStatements', 0, 'true or false; it is 0.'],
  ['processors', 'x', 'an object with `live` or `test`; it is another text.'],
  [
    'processors.live',
    {},
    'a processor with `tokenize`, `authorize`, `capture`, `cancel`, `refund` and `lookup`; it is an object.',
  ],
  ['sandbox.latencyMs', -1, 'a whole number from 0 to 600,000; it is -1.'],
  ['sealingKeys', 'x', 'a list of `{ kid, key }`, or a key provider; it is another text.'],
  ['redis', true, 'an address such as redis://localhost:6379; it is true.'],
  ['hook', 'x', 'a function `(transaction, settled) => Promise<void>`; it is another text.'],
  ['fees', 0.015, 'a function `(charge, amount, account) => ({ amount, details })`; it is 0.015.'],
  ['refundOverdraft', -1, 'a whole number from 0 to 9,007,199,254,740,991; it is -1.'],
  ['egress', [], 'an object with `allowedNetworks`, `ports` or `ca`; it is a list.'],
  ['egress.ports', 8080, 'a list of port numbers such as [8444], or "any"; it is 8080.'],
  ['egress.ports', [0], 'a list of port numbers such as [8444], or "any"; it is a list.'],
  [
    'egress.allowedNetworks',
    '10.0.0.0/8',
    "a list of CIDR ranges such as ['10.0.0.0/8']; it is another text.",
  ],
  [
    'trustedProxies',
    true,
    "a list of addresses and CIDR ranges such as ['10.0.0.0/8']; it is true.",
  ],
  ['tlsVersionHeader', 1, 'the name of a header; it is 1.'],
  ['rateLimit.shared', 1, 'true or false; it is 1.'],
  ['issuerTag', null, 'a text of 2 to 8 letters or digits; it is null.'],
  ['mail.operator', 1, 'an e-mail address; it is 1.'],
  ['mail.from', {}, 'an address of a sender, as a text; it is an object.'],
  ['mailer', {}, 'a mailer with `send`, or false; it is an object.'],
  ['leakPolicy', 'x', '"revoke" or "notify"; it is another text.'],
  ['leaks.github.keysUrl', 1, 'an `http` or `https` address; it is 1.'],
  ['docUrl', 'docs', 'an `http` or `https` address without a `#`; it is another text.'],
  ['logger', () => 0, 'a logger with `debug`, `info`, `warn` and `error`; it is a function.'],
  ['clock', {}, 'a clock with `now` and `monotonicMs`; it is an object.'],
  ['crashPoint', {}, 'a function; it is an object.'],
];

describe('the options', () => {
  const sealingKeys = makeSealingKeys();
  let database: TestDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  const start = (options: Untyped): Promise<Paymount> => {
    const given: Untyped = { database: database.url, logger: LOGGER, sealingKeys, ...options };
    return createPaymount(given as unknown as Parameters<typeof createPaymount>[0]);
  };
  const refusalOf = (options: Untyped): Promise<string> =>
    start(options).then(
      async (paymount) => {
        await paymount.close();
        return 'It started.';
      },
      (error: unknown) => String(error),
    );

  for (const [option, value, told] of WRONG) {
    it(`refuse ${option} when it must be ${told}`, async () => {
      const nested = option
        .split('.')
        .reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
      expect(await refusalOf(nested as Untyped)).to.equal(
        `TypeError: createPaymount(): the option \`${option}\` must be ${told}`,
      );
    });
  }

  it('refuse one that nothing reads, at any depth, and name the one probably meant', async () => {
    expect(await refusalOf({ poolsize: 3 })).to.equal(
      'TypeError: createPaymount() has no option `poolsize`; did you mean `poolSize`?',
    );
    expect(await refusalOf({ sandbox: { latency: 3 } })).to.equal(
      'TypeError: createPaymount() has no option `sandbox.latency`; did you mean `sandbox.latencyMs`?',
    );
  });

  it('may be undefined, as settings that were not given are', async () => {
    const paymount = await start({ poolSize: undefined, hook: undefined, redis: undefined });
    await paymount.close();
  });

  it('of routers and workers are judged alike', async () => {
    const paymount = await start({});
    try {
      const mount = { environment: 'test', requireTls: 'no' } as unknown as { environment: 'test' };
      expect(() => paymount.router(mount)).to.throw(
        'router(): the option `requireTls` must be true or false; it is another text.',
      );
      const work = { reconcile: 1 } as unknown as { reconcile: boolean };
      const refused = await startWorker(paymount, work).catch((error: unknown) => String(error));
      expect(refused).to.equal(
        'TypeError: startWorker(): the option `reconcile` must be true or false; it is 1.',
      );
    } finally {
      await paymount.close();
    }
  });
});
