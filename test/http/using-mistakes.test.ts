import { PrismaPg } from '@prisma/adapter-pg';
import { expect } from 'chai';
import { drizzle } from 'drizzle-orm/node-postgres';
import createKnex from 'knex';
import type { HostTransaction, Paymount, TransactionPort } from 'paymount';
import pg from 'pg';
import postgres from 'postgres';
import { DataSource } from 'typeorm';
import { startApp, type TestApp } from '../support/app.ts';
import { openOrders } from '../support/prisma/orders-client.ts';

const TAKES =
  '`using()` takes a knex transaction, the `trx` of `knex.transaction(async (trx) => { … })`; a pg client ' +
  'on which `BEGIN` was awaited; or a port, `{ query, onEnd }`.';
const ON_END =
  '`onEnd(ended)` has `ended` called when the transaction has committed or rolled back; it is null ' +
  'if the outcome is unknown.';

describe('what is passed to `using()` by mistake', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  it('is refused with what it is, and what to pass instead', async () => {
    const pool = new pg.Pool({ connectionString: app.databaseUrl });
    const knex = createKnex({ client: 'pg', connection: app.databaseUrl });
    const prisma = openOrders(app.databaseUrl);
    const source = new DataSource({ type: 'postgres', url: app.databaseUrl });
    const sql = postgres(app.databaseUrl);
    const query = () => undefined;
    const wrong: readonly (readonly [unknown, string])[] = [
      [pool, 'This is a pg Pool'],
      [knex, 'This is knex itself. Pass the `trx` of `knex.transaction(async (trx) => { … })`.'],
      [sql, 'This is a `sql` of postgres.js. Make a port, `{ query, onEnd }`, in `sql.begin('],
      [prisma, 'This is a Prisma client. Make a port'],
      [source, 'This is a DataSource of TypeORM. Pass the client'],
      [source.manager, 'This is an EntityManager of TypeORM. Pass the client under it'],
      [drizzle({ client: pool }), 'This is a database of Drizzle. Pass the pg client'],
      [
        new PrismaPg({ connectionString: app.databaseUrl }),
        `an object of the class PrismaPgAdapterFactory. ${TAKES}`,
      ],
      [{ query, escapeLiteral: () => '' }, 'Update pg to 8.23 or later.'],
      [() => undefined, `a function. ${TAKES}`],
      [{ client: pool, log: [] }, `an object with client, log. ${TAKES}`],
      [{}, `an object without members. ${TAKES}`],
      [null, `null. ${TAKES}`],
      [undefined, `undefined. ${TAKES}`],
      ['postgres://shop:secret@db/shop', `a string. ${TAKES}`],
    ];
    for (const [value, message] of wrong) {
      expect(() => app.paymount.using(value as HostTransaction), message).to.throw(
        TypeError,
        message,
      );
    }
    await Promise.all([pool.end(), knex.destroy(), prisma.$disconnect(), sql.end()]);
  });

  it('gets an error that names the function that a port lacks', () => {
    const query = async () => ({ rows: [] });
    const wrong: readonly (readonly [unknown, string])[] = [
      [{ query }, `This port has no \`onEnd\`. ${ON_END}`],
      [{ query, onEnd: undefined }, `This port has no \`onEnd\`. ${ON_END}`],
      [
        { query, onEnd: true },
        `\`onEnd\` of this port is no function, but of the type boolean. ${ON_END}`,
      ],
      [{ onEnd: null }, 'This port has no `query`. `query(text, values)` runs one statement'],
      [
        { query: 'SELECT 1', onEnd: null },
        '`query` of this port is no function, but of the type string. `query(',
      ],
    ];
    for (const [value, message] of wrong) {
      expect(() => app.paymount.using(value as HostTransaction), message).to.throw(
        TypeError,
        message,
      );
    }
  });

  it('is a transaction on a database without our tables, and stays usable', async () => {
    const elsewhere = new URL(app.databaseUrl);
    elsewhere.pathname = '/postgres';
    const client = new pg.Client({ connectionString: elsewhere.href });
    await client.connect();
    await client.query('BEGIN');
    const { charges } = app.paymount.using(client);
    const keyed = { ...app.acting, idempotencyKey: 'order_1' };
    const sale = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };
    for (const call of [
      () => charges.create(app.acting, sale),
      () => charges.create(keyed, sale),
      () => charges.list(app.acting),
    ]) {
      expect(await call().catch(String)).to.equal(
        'Error: The database of this transaction has no tables of Paymount in its schema "paymount". ' +
          'Begin the transaction on the database that `createPaymount()` was given.',
      );
    }
    expect((await client.query('SELECT 1 AS one')).rows).to.deep.equal([{ one: 1 }]);
    await client.end();
  });

  it('is an error of the compiler already, where it has no end', () => {
    const port: TransactionPort = { query: async () => ({ rows: [] }), onEnd: null };
    expect(port.onEnd).to.equal(null);
    // @ts-expect-error A pool takes another connection for each statement.
    const fromPool: HostTransaction = new pg.Pool({ connectionString: app.databaseUrl });
    // @ts-expect-error A plain knex does as well.
    const fromKnex: HostTransaction = createKnex({ client: 'pg' });
    expect([fromPool, fromKnex]).to.have.length(2);
  });
});

describe('what is not offered in a transaction', () => {
  it('is a compile error, and a runtime error in JavaScript', async () => {
    const app = await startApp();
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    await client.query('BEGIN');
    const bound = app.paymount.using(client);
    // @ts-expect-error A transaction has no accounts.
    expect(() => bound.accounts).to.throw(
      TypeError,
      '`using(transaction)` has no `accounts`: call `paymount.accounts` outside the transaction. ' +
        'In it are charges, refunds, customers, paymentMethods, disputes, payouts, products, prices, ' +
        'subscriptions, subscriptionItems, invoices, invoiceItems, webhookEndpoints.',
    );
    const untyped: Partial<Paymount> = bound;
    for (const name of ['keys', 'leaks', 'verify', 'close', 'using', 'router'] as const)
      expect(() => untyped[name]).to.throw(TypeError, `has no \`${name}\`: call \`paymount.`);
    expect(Object.keys(bound)).to.deep.equal([
      'charges',
      'refunds',
      'customers',
      'paymentMethods',
      'disputes',
      'payouts',
      'products',
      'prices',
      'subscriptions',
      'subscriptionItems',
      'invoices',
      'invoiceItems',
      'webhookEndpoints',
    ]);
    // It may be awaited, logged and compared, as any other object.
    expect(await Promise.resolve(bound)).to.equal(bound);
    expect(String(bound)).to.equal('[object Object]');
    await client.end();
    await app.close();
  });
});
