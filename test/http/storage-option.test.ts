import { expect } from 'chai';
import { createPaymount, type Paymount, type PaymountStorageOptions } from 'paymount';
import {
  type PostgresStorageOptions,
  postgresStorage,
  type StorageAdapter,
} from 'paymount/storage';
import { pgliteStorage } from 'paymount/testing';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';
import { SILENT, startError } from '../support/host.ts';
import { makeSealingKeys } from '../support/make.ts';

describe('createPaymount({ storage })', () => {
  const sealingKeys = makeSealingKeys();
  let database: TestDatabase;
  const opened: Paymount[] = [];

  before(async () => {
    database = await emptyDatabase();
  });
  after(async () => {
    for (const paymount of opened) await paymount.close();
    await database.drop();
  });

  async function start(options: PaymountStorageOptions): Promise<Paymount> {
    const paymount = await createPaymount({ logger: SILENT, sealingKeys, ...options });
    opened.push(paymount);
    return paymount;
  }

  async function bootError(options: object): Promise<string> {
    const error = await startError({ sealingKeys, ...(options as PaymountStorageOptions) });
    return error?.message ?? 'no refusal';
  }

  it('migrates, opens and closes the storage that it is given, and charges on it', async () => {
    const calls: string[] = [];
    const inner = postgresStorage({ database: database.url, schema: 'shop_payments' });
    const storage: StorageAdapter = {
      namespace: inner.namespace,
      migrate: () => {
        calls.push('migrate');
        return inner.migrate();
      },
      open: (ports) => {
        calls.push('open');
        const stores = inner.open(ports);
        const close = (): Promise<void> => {
          calls.push('close');
          return stores.close();
        };
        return { ...stores, close };
      },
    };
    const paymount = await start({ storage, migrate: true });
    const facts = { name: 'Shop', country: 'DE', default_currency: 'eur' } as const;
    const account = await paymount.accounts.create(facts);
    const charge = await paymount.charges.create(
      { account: account.id, environment: 'test' },
      { amount: 1_200, currency: 'eur', payment_method: 'tok_visa' },
    );
    expect(charge.status).to.equal('succeeded');
    expect(await paymount.verify()).to.deep.equal([]);
    await paymount.close();
    expect(calls).to.deep.equal(['migrate', 'open', 'close']);
  });

  it('refuses options of PostgreSQL beside a storage, which would go unread', async () => {
    const storage = postgresStorage({ database: database.url });
    expect(await bootError({ storage, database: database.url })).to.equal(
      '`storage` and `database` cannot both be given: pass `database` to the storage, or leave `storage` out.',
    );
    expect(await bootError({ storage, poolSize: 3 })).to.equal(
      '`storage` and `poolSize` cannot both be given: pass `poolSize` to the storage, or leave `storage` out.',
    );
  });

  it('validates options as createPaymount does', () => {
    const refusals: readonly (readonly [unknown, string])[] = [
      [
        { database: database.url, poolSize: 0 },
        'TypeError: postgresStorage(): the option `poolSize` must be a whole number from 1 to 1,000; it is 0.',
      ],
      [
        { database: database.url, poolsize: 2 },
        'TypeError: postgresStorage() has no option `poolsize`; did you mean `poolSize`?',
      ],
      [
        { database: 5 },
        'TypeError: postgresStorage(): the option `database` must be a connection string that begins with `postgres://`, `postgresql://`, `socket:` or `/`, a `pg.Pool` or a knex; it is 5.',
      ],
      [{ database: '' }, 'Error: `database` is empty; is DATABASE_URL set?'],
      [{}, 'Error: `database` is empty; is DATABASE_URL set?'],
      [
        { database: database.url, schema: 'a-b' },
        'TypeError: postgresStorage(): the option `schema` must be the name of a schema: letters, digits and `_`, at most 63, and no digit first; it is a text (not shown).',
      ],
      [
        database.url,
        'TypeError: postgresStorage() takes an object of options, such as `{ database }`; it got a text.',
      ],
    ];
    for (const [options, refusal] of refusals) {
      let told = 'no refusal';
      try {
        postgresStorage(options as PostgresStorageOptions);
      } catch (error) {
        told = String(error);
      }
      expect(told).to.equal(refusal);
    }
  });

  it('refuses options together with PGlite', async () => {
    const start = pgliteStorage as (options?: object) => Promise<unknown>;
    expect(await start({ schema: 'shop' }).catch(String)).to.equal(
      'TypeError: pgliteStorage() takes no options: its data is in memory, in the schema `paymount`.',
    );
  });

  it('refuses a value that is not an adapter, and names the members of one', async () => {
    const expected =
      '`storage` is not a storage adapter: it needs `namespace` (letters, digits and `_`) and the functions `migrate` and `open`. `pgliteStorage()` returns a promise: await it.';
    const storage = postgresStorage({ database: database.url });
    expect(await bootError({ storage: 'postgres://localhost/shop' })).to.equal(expected);
    expect(await bootError({ storage: Promise.resolve(storage) })).to.equal(expected);
    expect(await bootError({ storage: { ...storage, namespace: 'a:b' } })).to.equal(expected);
    expect(await bootError({ storage: { ...storage, namespace: undefined } })).to.equal(expected);
    expect(await bootError({ storage: null })).to.equal(expected);
    expect(await bootError({ storage: null, database: database.url })).to.equal(expected);
    expect(await bootError({ storage: 'x', database: database.url })).to.equal(expected);
  });
});
