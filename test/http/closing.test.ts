import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import type { HookPayload } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postForm } from '../support/ask.ts';
import { withClient } from '../support/database.ts';
import { rejectionCode } from '../support/rejection-code.ts';
import { type Signal, signal } from '../support/signal.ts';

const sale = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };

describe('closing', () => {
  let app: TestApp;
  const called = signal();
  before(async () => {
    app = await startApp({
      paymount: {
        sandbox: { latencyMs: 300 },
        crashPoint: (name) => {
          if (name === 'operation.before_call') called.give();
        },
      },
    });
  });
  after(() => app.close());

  it('lets requests that came before end, counts the use of their keys, and takes no more', async () => {
    const charge = postForm(
      `${app.url}/v1/charges`,
      'amount=4200&currency=eur&payment_method=pm_card_visa',
      {
        key: app.secretKey,
      },
    );
    await called.given;
    const closed = app.paymount.close();
    const late = await ask(`${app.url}/v1/charges`, { key: app.secretKey });
    expect([late.status, late.error['code']]).to.deep.equal([503, 'unavailable']);
    const { status, json } = await charge;
    expect([status, json['status']]).to.deep.equal([200, 'succeeded']);
    await closed;
    const used = await withClient(
      app.databaseUrl,
      async (client) =>
        (await client.query('SELECT succeeded, failed FROM paymount.key_usage_hourly')).rows,
    );
    expect(used).to.deep.equal([{ succeeded: '1', failed: '0' }]);
  });
});

describe("closing, for calls of the host's own code", () => {
  let app: TestApp;
  let knex: Knex;
  let called: Signal;
  let hook: (trx: Knex.Transaction, settled: HookPayload) => Promise<void>;
  beforeEach(async () => {
    called = signal();
    hook = async () => undefined;
    app = await startApp({
      paymount: {
        sandbox: { latencyMs: 300 },
        hook: (trx, settled) => hook(trx, settled),
        crashPoint: (name) => {
          if (name === 'operation.before_call') called.give();
        },
      },
    });
    // The worker would go on with what was dropped.
    await app.worker.close();
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 4 } });
  });
  afterEach(async () => {
    await knex.destroy();
    await app.close();
  });

  it('lets those that came before end, and refuses what comes', async () => {
    const { paymount } = app;
    const charge = paymount.charges.create(app.acting, sale);
    await called.given;
    const closed = paymount.close();
    const late = await Promise.all(
      [
        paymount.charges.create(app.acting, sale),
        paymount.refunds.retrieve(app.acting, 're_1'),
        paymount.accounts.suspend(app.account),
        paymount.verify(),
        knex.transaction(async (trx) => paymount.using(trx).charges.create(app.acting, sale)),
      ].map(rejectionCode),
    );
    expect(late).to.deep.equal(Array(5).fill('unavailable'));
    expect((await charge).status).to.equal('succeeded');
    await closed;
    expect(await knex('paymount.charges').pluck('status')).to.deep.equal(['succeeded']);
  });

  it('lets the hook of a result that is under way make calls in its transaction', async () => {
    const { paymount } = app;
    const noted = await paymount.charges.create(app.acting, sale);
    called = signal();
    hook = async (trx, { kind }) => {
      const metadata = { hook: kind };
      await paymount.using(trx).charges.update(app.acting, noted.id, { metadata });
    };
    const charge = paymount.charges.create(app.acting, sale);
    await called.given;
    await paymount.close();
    expect((await charge).status).to.equal('succeeded');
    const row = await knex('paymount.charges').where({ id: noted.id }).first('metadata');
    expect(row.metadata).to.deep.equal({ hook: 'charge' });
  });

  it('goes on after transactions that are committed within the limit', async () => {
    const { paymount } = app;
    const decided = signal();
    const written = signal();
    const order = knex.transaction(async (trx) => {
      await paymount.using(trx).charges.create(app.acting, sale);
      written.give();
      await decided.given;
    });
    await written.given;
    const closed = paymount.close();
    decided.give();
    await order;
    await closed;
    expect(await knex('paymount.charges').pluck('status')).to.deep.equal(['succeeded']);
  });

  it('waits 10 s for a transaction that stays open, and leaves its charge to others', async () => {
    const { paymount } = app;
    const trx = await knex.transaction();
    await paymount.using(trx).charges.create(app.acting, sale);
    const startedMs = performance.now();
    await paymount.close();
    expect(performance.now() - startedMs).to.be.within(9_900, 13_000);
    await trx.commit();
    expect(await knex('paymount.operations').pluck('state')).to.deep.equal(['created']);
  }).timeout(20_000);
});
