import { newId, PaymountError } from '@paymount/core/kernel';
import { storageCases } from '@paymount/testing';
import { expect } from 'chai';
import { knex as createKnex, type Knex } from 'knex';
import { createPaymount } from 'paymount';
import { type PgliteStorage, pgliteStorage } from 'paymount/testing';
import { SILENT } from '../support/host.ts';
import { makeSealingKeys } from '../support/make.ts';

/** It starts in seconds; the machine may have others to do. */
const START_LIMIT_MS = 120_000;

describe('storage on PGlite', () => {
  let storage: PgliteStorage;
  let host: Knex;

  before(async function () {
    this.timeout(START_LIMIT_MS);
    storage = await pgliteStorage();
    host = createKnex({ client: 'pg', connectionPool: storage.pool });
  });
  // Closed by the last test too; twice is harmless.
  after(() => storage.close());

  const cases = storageCases(() => storage, {
    lacks: [
      'processes',
      'parallel-transactions',
      'access-change-notifications',
      'delivery-notifications',
    ],
    hostTransaction: (work) => host.transaction(work),
  });
  for (const { name, leftOut, run } of cases) if (leftOut === undefined) it(name, run);

  it('leaves out what one session in one process cannot do, and nothing else', () => {
    const left = cases.filter(({ leftOut }) => leftOut !== undefined).map(({ name }) => name);
    expect(left).to.deep.equal([
      'shows a second process the commits of the first',
      'gives one of two processes an idempotency key',
      'lets one transaction end while another one is open',
      'shows readers the committed state while a transaction holds the row',
      'refuses a caller that waits over 3 s for a row, with lock_timeout',
      'notifies every process that has the store open of each change of access',
      'notifies every process that listens of the deliveries that any process announces',
      'notifies of 1,000 deliveries that are announced at once',
      'notifies nobody who has stopped listening',
      'does not throw if deliveries are announced after it was closed',
    ]);
  });

  it('makes transactions wait for each other, so that none sees half of another', async () => {
    await storage.pool.query('CREATE TABLE counts (n integer); INSERT INTO counts VALUES (0)');
    const increments = Array.from({ length: 20 }, () =>
      host.transaction(async (trx) => {
        const { n } = await trx('counts').first('n');
        await trx('counts').update({ n: n + 1 });
      }),
    );
    await Promise.all(increments);
    expect((await storage.pool.query('SELECT n FROM counts')).rows).to.deep.equal([{ n: 20 }]);
  });

  it('rolls back what a client leaves behind, and lets the next one go on', async () => {
    const client = await storage.pool.connect();
    await client.query('BEGIN; CREATE TABLE abandoned (n integer)');
    const waiting = storage.pool.query(`SELECT to_regclass('abandoned') AS found`);
    client.release(new Error('The host lost its way.'));
    expect((await waiting).rows).to.deep.equal([{ found: null }]);
  });

  it('answers a statement that fails as PostgreSQL does, and the next one', async () => {
    const failure = await storage.pool.query('SELECT $1::integer / 0', [1]).catch((error) => error);
    expect(failure).to.include({ code: '22012', severity: 'ERROR' });
    expect((await storage.pool.query('SELECT $1::integer AS n', [5])).rows).to.deep.equal([
      { n: 5 },
    ]);
  });

  it('refuses a statement that waits for an open transaction', async function () {
    this.timeout(20_000);
    const waiting = await storage.pool.connect();
    try {
      await waiting.query('SELECT 1');
      const codes = await host.transaction(async (trx) => {
        await trx.raw('SELECT 1');
        const asked = [
          waiting.query('SELECT 1'),
          waiting.query('SELECT $1::integer', [1]),
          ...Array.from({ length: 3 }, () => storage.pool.query('SELECT 1')),
        ];
        return Promise.all(asked.map((each) => each.catch(({ code }) => code)));
      });
      expect(codes).to.deep.equal(Array.from({ length: 5 }, () => '53PM1'));
      expect((await waiting.query('SELECT $1::integer AS n', [7])).rows).to.deep.equal([{ n: 7 }]);
    } finally {
      waiting.release();
    }
  });

  describe('and another one', function () {
    this.timeout(START_LIMIT_MS);
    let other: PgliteStorage;
    before(async () => {
      other = await pgliteStorage();
    });
    // Its last test closes it.

    it('starts empty', async () => {
      const found = await other.pool.query('SELECT count(*)::integer AS n FROM paymount.accounts');
      expect(found.rows).to.deep.equal([{ n: 0 }]);
    });

    it('tells a call inside an open transaction to use `using()`, and answers it afterwards', async () => {
      const database = createKnex({ client: 'pg', connectionPool: other.pool });
      const sealingKeys = makeSealingKeys();
      const paymount = await createPaymount({ storage: other, sealingKeys, logger: SILENT });
      const list = (): Promise<unknown> =>
        paymount.charges.list({ account: newId('acct'), environment: 'test' });
      const told = await database.transaction(async (trx) => {
        await trx.raw('SELECT 1');
        return list().catch((error: unknown) => error);
      });
      expect(told).to.be.instanceOf(PaymountError);
      expect(told).to.include({
        code: 'unavailable',
        message:
          'PGlite has one session, and an open transaction holds it: nothing happened in it for ' +
          '1.5 s. Inside your transaction call what `paymount.using(transaction)` gives, and ' +
          'nothing else; or end the transaction first.',
      });
      expect(await list()).to.include({ object: 'list', has_more: false });
      await paymount.close();
      await database.destroy();
    });

    it('ends, and says so, when a client was not returned', async () => {
      const lent = await other.pool.connect();
      // Its connection ends with the database.
      lent.on('error', () => undefined);
      await lent.query('BEGIN');
      expect(await other.close().catch(String)).to.equal(
        'Error: PGlite was closed while 1 client of `storage.pool` was in use. Before ' +
          '`storage.close()`, end each transaction, release each client that ' +
          '`storage.pool.connect()` gave, and call `paymount.close()`.',
      );
      expect(await lent.query('SELECT 1').catch(() => 'ended')).to.equal('ended');
    });
  });

  it('ends twice without harm', async () => {
    await host.destroy();
    await storage.close();
    await storage.close();
  });
});
