import { expect } from 'chai';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

const ENDED = 'Error: This transaction has ended; nothing more can be done in it.';

describe('the end of a transaction on a client of pg', () => {
  let app: TestApp;
  let pool: pg.Pool;
  let client: pg.PoolClient;
  const sale = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };

  before(async () => {
    app = await startApp();
    // So that what goes on by itself is told from what a worker finds.
    await app.worker.close();
    pool = new pg.Pool({ connectionString: app.databaseUrl, max: 4 });
    await pool.query('CREATE TABLE orders (id text PRIMARY KEY)');
  });
  after(async () => {
    await pool.end();
    await app.close();
  });
  beforeEach(async () => {
    client = await pool.connect();
  });
  afterEach(() => client.release(true));

  const readState = async (charge: string): Promise<string | undefined> =>
    (await pool.query('SELECT state FROM paymount.operations WHERE subject_id = $1', [charge]))
      .rows[0]?.state;
  const isCharged = (charge: string) =>
    eventually(
      () => readState(charge),
      (state) => state === 'done',
    );
  const charged = async (): Promise<string> =>
    (await app.paymount.using(client).charges.create(app.acting, sale)).id;
  const limit = async (): Promise<string> =>
    (await client.query('SHOW lock_timeout')).rows[0].lock_timeout;

  /** Each commits, and has begun the next transaction before the client has nothing more to send. */
  const COMMITS: Readonly<Record<string, () => Promise<unknown>>> = {
    'COMMIT AND CHAIN': () => client.query('COMMIT AND CHAIN'),
    'END AND CHAIN': () => client.query('END AND CHAIN'),
    'COMMIT and BEGIN in one message': () => client.query('COMMIT; BEGIN'),
    'a COMMIT that is not awaited before BEGIN': () =>
      Promise.all([client.query('COMMIT'), client.query('BEGIN')]),
    'a COMMIT with a callback that sends BEGIN': () =>
      new Promise((resolve, reject) => {
        client.query('COMMIT', () => void client.query('BEGIN').then(resolve, reject));
      }),
  };
  for (const [name, commit] of Object.entries(COMMITS)) {
    it(`is noticed at ${name}: the card is charged while the next is open`, async () => {
      await client.query('BEGIN');
      const first = await charged();
      await commit();
      await isCharged(first);
      const second = await charged();
      expect(await readState(second)).to.equal(undefined);
      await client.query('ROLLBACK');
      expect(await readState(second)).to.equal(undefined);
    });
  }

  /** Each rolls back, and has begun the next transaction in the same breath. */
  const ROLLBACKS: Readonly<Record<string, () => Promise<unknown>>> = {
    'ROLLBACK AND CHAIN': () => client.query('ROLLBACK AND CHAIN'),
    'ROLLBACK and BEGIN in one message': () => client.query('ROLLBACK; BEGIN'),
    'a ROLLBACK that is not awaited before BEGIN': () =>
      Promise.all([client.query('ROLLBACK'), client.query('BEGIN')]),
    'a COMMIT of what had failed': async () => {
      await client.query('SELECT 1/0').catch(() => undefined);
      await client.query('COMMIT AND CHAIN');
    },
  };
  for (const [name, rollBack] of Object.entries(ROLLBACKS)) {
    it(`is recognized after ${name}: only what is committed is charged`, async () => {
      await client.query('BEGIN');
      const undone = await charged();
      await rollBack();
      const kept = await charged();
      await client.query('COMMIT');
      await isCharged(kept);
      expect(await readState(undone)).to.equal(undefined);
    });

    it(`ends what was bound to it at ${name}, and leaves the next as it was`, async () => {
      await client.query('BEGIN');
      const { charges } = app.paymount.using(client);
      await charges.create(app.acting, sale);
      await rollBack();
      expect(await charges.create(app.acting, sale).catch(String)).to.equal(ENDED);
      expect(await limit()).to.equal('0');
      await client.query('COMMIT');
    });
  }

  it('is noticed when a later call finds another transaction, and close() does not wait for it', async () => {
    const other = await startApp();
    const alone = new pg.Client({ connectionString: other.databaseUrl });
    await alone.connect();
    const acts = { account: other.account, environment: 'test' } as const;
    await alone.query('BEGIN');
    await other.paymount.using(alone).charges.create(acts, sale);
    await alone.query('ROLLBACK AND CHAIN');
    await other.paymount.using(alone).charges.list(acts);
    await other.worker.close();
    const startedMs = performance.now();
    await other.paymount.close();
    // It would wait 10 s for what goes on after a transaction.
    expect(performance.now() - startedMs).to.be.below(8_000);
    await alone.end();
    await other.close();
  });

  it('asks no processor for what was rolled back, whole or to a savepoint, and tells of no event', async () => {
    const other = await startApp();
    const alone = new pg.Client({ connectionString: other.databaseUrl });
    await alone.connect();
    const create = () =>
      other.paymount
        .using(alone)
        .charges.create({ account: other.account, environment: 'test' }, sale);
    await alone.query('BEGIN; SAVEPOINT before_it');
    await create();
    await alone.query('ROLLBACK TO SAVEPOINT before_it');
    await alone.query('COMMIT AND CHAIN');
    await create();
    await alone.query('ROLLBACK AND CHAIN');
    await create();
    await alone.query('ROLLBACK');
    // It waits for what goes on after a transaction.
    await other.paymount.close();
    const { rows } = await alone.query(`SELECT
      (SELECT count(*)::integer FROM paymount.sandbox_operations) AS asked,
      (SELECT count(*)::integer FROM paymount.events) AS events`);
    expect(rows).to.deep.equal([{ asked: 0, events: 0 }]);
    await alone.end();
    await other.close();
  });

  it('undoes a call that its transaction did not live to see, and leaves the next as it was', async () => {
    await client.query('BEGIN');
    const { charges } = app.paymount.using(client);
    await charges.list(app.acting);
    const both = [client.query('COMMIT'), client.query('BEGIN')];
    expect(await charges.create(app.acting, sale).catch(String)).to.equal(ENDED);
    await Promise.all(both);
    expect(await limit()).to.equal('0');
    await client.query("INSERT INTO orders VALUES ('o_next')");
    await client.query('COMMIT');
    expect((await pool.query("SELECT FROM orders WHERE id = 'o_next'")).rowCount).to.equal(1);
  });
});
