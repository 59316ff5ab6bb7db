import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import request from 'supertest';
import { startApp, type TestApp } from '../support/app.ts';
import { ofCharges } from '../support/charge-hook.ts';
import { fakeClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { WatchedBank } from '../support/watched-bank.ts';

const REFUNDS = 8;

/** The host locks its order, then refunds, while many results wait for that order in the hook. */
describe('a host that waits behind a queue of results', function () {
  this.timeout(60_000);
  let app: TestApp;
  let knex: Knex;
  let bank: WatchedBank;

  before(async () => {
    bank = new WatchedBank(fakeClock());
    const hook = ofCharges(async (trx, { charge }) => {
      await trx('orders').where({ charge: charge.id }).increment('results', 1);
    });
    app = await startApp({ paymount: { hook, poolSize: 20, processors: { test: bank } } });
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 8 } });
    await knex.raw('CREATE TABLE orders (charge text PRIMARY KEY, results integer NOT NULL)');
  });
  after(async () => {
    await knex.destroy();
    await app.close();
  });

  const post = async (path: string, body: object) =>
    (await request(app.url).post(path).auth(app.secretKey, '').send(body)).body;

  it('is not ended by a deadlock', async () => {
    const sale = { amount: 1_000, currency: 'eur', source: 'tok_visa' };
    const { id: charge } = await post('/v1/charges', sale);
    await knex('orders').insert({ charge, results: 0 });
    let refunds: Promise<unknown[]> = Promise.resolve([]);
    const release = bank.hold();
    refunds = Promise.all(
      Array.from({ length: REFUNDS }, () => post('/v1/refunds', { charge, amount: 10 })),
    );
    await eventually(
      async () => bank.calls.filter(({ kind }) => kind === 'refund').length,
      (asked) => asked === REFUNDS,
    );
    const made = await knex.transaction(async (trx) => {
      await trx('orders').where({ charge }).forUpdate();
      release();
      await eventually(
        async () =>
          (
            await knex.raw(`SELECT count(*)::int AS waiting FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock'`)
          ).rows[0].waiting,
        (waiting) => waiting >= REFUNDS / 2,
      );
      return app.paymount.using(trx).refunds.create(app.acting, { charge, amount: 10 });
    });
    expect(made.status).to.equal('pending');
    await refunds;
  });
});
