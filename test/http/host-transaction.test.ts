import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import type { HookPayload } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

describe("a host's own transaction", () => {
  let app: TestApp;
  let knex: Knex;
  /** What the hook does with each result; tests replace it. */
  let hook: (trx: Knex.Transaction, settled: HookPayload) => Promise<void> = async () => undefined;
  const sale = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };

  before(async () => {
    app = await startApp({ paymount: { hook: (trx, settled) => hook(trx, settled) } });
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 4 } });
    await knex.raw('CREATE TABLE orders (id text PRIMARY KEY, charge text, state text NOT NULL)');
  });
  after(async () => {
    await knex.destroy();
    await app.close();
  });
  afterEach(() => {
    hook = async () => undefined;
  });

  const readStatus = async (id: string): Promise<string> =>
    (await app.paymount.charges.retrieve(app.acting, id)).status;
  const listEvents = async (id: string): Promise<string[]> =>
    (await knex('paymount.events').where({ object_id: id }).orderBy('id')).map((row) => row.type);

  it('commits a host row and a database-only operation together', async () => {
    const made = await knex.transaction(async (trx) => {
      await trx('orders').insert({ id: 'o_commit', state: 'new' });
      return app.paymount.using(trx).webhookEndpoints.create(app.acting, {
        url: 'http://127.0.0.1:9/hook',
        enabled_events: ['payout.paid'],
      });
    });
    expect(await knex('orders').where({ id: 'o_commit' })).to.have.length(1);
    expect(await knex('paymount.webhook_endpoints').where({ id: made.id })).to.have.length(1);
  });

  it('rolls a host row and a database-only operation back together', async () => {
    let id = '';
    const work = knex.transaction(async (trx) => {
      await trx('orders').insert({ id: 'o_rollback', state: 'new' });
      const made = await app.paymount.using(trx).webhookEndpoints.create(app.acting, {
        url: 'http://127.0.0.1:9/hook',
        enabled_events: ['payout.paid'],
      });
      id = made.id;
      throw new Error('the host changed its mind');
    });
    await work.catch(() => undefined);
    expect(id).to.match(/^we_/);
    expect(await knex('orders').where({ id: 'o_rollback' })).to.deep.equal([]);
    expect(await knex('paymount.webhook_endpoints').where({ id })).to.deep.equal([]);
  });

  it("writes a charge's intent with the order, and goes on after the commit", async () => {
    const charge = await knex.transaction(async (trx) => {
      const intent = await app.paymount.using(trx).charges.create(app.acting, sale);
      await trx('orders').insert({ id: 'o_paid', charge: intent.id, state: 'waiting' });
      expect(intent.status).to.equal('pending');
      return intent;
    });
    await eventually(
      () => readStatus(charge.id),
      (status) => status === 'succeeded',
    );
    expect(await listEvents(charge.id)).to.deep.equal(['charge.succeeded']);
  });

  it('asks no processor inside it: a payment method is made before', async () => {
    const work = knex.transaction((trx) =>
      app.paymount.using(trx).paymentMethods.create(app.acting, {
        type: 'card',
        card: { token: 'tok_visa' },
      }),
    );
    const refused = await work.catch((error: unknown) => error);
    expect(refused).to.include({ name: 'PaymountError', code: 'operation_not_supported' });
  });

  it('captures, cancels and refunds after the commit too', async () => {
    const held = await app.paymount.charges.create(app.acting, { ...sale, capture: false });
    const released = await app.paymount.charges.create(app.acting, { ...sale, capture: false });
    await knex.transaction(async (trx) => {
      const { charges } = app.paymount.using(trx);
      expect((await charges.capture(app.acting, held.id)).status).to.equal('authorized');
      expect((await charges.cancel(app.acting, released.id)).status).to.equal('authorized');
    });
    await eventually(
      () => readStatus(held.id),
      (status) => status === 'succeeded',
    );
    await eventually(
      () => readStatus(released.id),
      (status) => status === 'canceled',
    );
    const refund = await knex.transaction((trx) =>
      app.paymount.using(trx).refunds.create(app.acting, { charge: held.id, amount: 4200 }),
    );
    expect(refund.status).to.equal('pending');
    await eventually(
      async () => (await app.paymount.refunds.retrieve(app.acting, refund.id)).status,
      (status) => status === 'succeeded',
    );
    expect(await listEvents(held.id)).to.deep.equal(['charge.captured', 'charge.refunded']);
  });

  it('waits for the outermost transaction, not for a savepoint', async () => {
    const charge = await knex.transaction(async (outer) => {
      const intent = await outer.transaction((inner) =>
        app.paymount.using(inner).charges.create(app.acting, sale),
      );
      const sent = await outer('paymount.operations').where({ subject_id: intent.id });
      expect(sent.map((row) => row.state)).to.deep.equal(['created']);
      const seenFromOutside = await knex('paymount.charges').where({ id: intent.id });
      expect(seenFromOutside).to.deep.equal([]);
      return intent;
    });
    await eventually(
      () => readStatus(charge.id),
      (status) => status === 'succeeded',
    );
  });

  it('charges no card when the host rolls back', async () => {
    let id = '';
    const executed = await knex('paymount.sandbox_operations').count();
    const work = knex.transaction(async (trx) => {
      id = (await app.paymount.using(trx).charges.create(app.acting, sale)).id;
      throw new Error('the host changed its mind');
    });
    await work.catch(() => undefined);
    await app.worker.drain();
    expect(await knex('paymount.charges').where({ id })).to.deep.equal([]);
    expect(await knex('paymount.operations').where({ subject_id: id })).to.deep.equal([]);
    expect(await knex('paymount.sandbox_operations').count()).to.deep.equal(executed);
  });

  it('commits host SQL of the hook with the result, its ledger rows and its event', async () => {
    hook = async (trx, settled) => {
      if (settled.kind !== 'charge') return;
      const state = settled.charge.status === 'succeeded' ? 'paid' : 'failed';
      await trx('orders').where({ charge: settled.charge.id }).update({ state });
    };
    const charge = await knex.transaction(async (trx) => {
      const intent = await app.paymount.using(trx).charges.create(app.acting, sale);
      await trx('orders').insert({ id: 'o_hook', charge: intent.id, state: 'waiting' });
      return intent;
    });
    await eventually(
      () => knex('orders').where({ id: 'o_hook' }).first('state'),
      (row) => row.state === 'paid',
    );
    expect(await readStatus(charge.id)).to.equal('succeeded');
    expect(await listEvents(charge.id)).to.deep.equal(['charge.succeeded']);
    expect(
      await knex('paymount.ledger_transaction').where({ source_id: charge.id }),
    ).to.have.length(1);
  });

  it('writes nothing when the hook throws, and offers the same outcome again', async () => {
    let refusals = 1;
    hook = async (trx, settled) => {
      await trx('orders').where({ id: 'o_refused' }).update({ state: settled.kind });
      if (refusals > 0) {
        refusals -= 1;
        throw new Error('the shop is not ready');
      }
    };
    await knex('orders').insert({ id: 'o_refused', state: 'waiting' });
    const charge = await app.paymount.charges.create(app.acting, sale);
    expect(charge.status).to.equal('pending');
    expect(await knex('orders').where({ id: 'o_refused' }).first('state')).to.deep.equal({
      state: 'waiting',
    });
    expect(await listEvents(charge.id)).to.deep.equal([]);
    expect(await knex('paymount.ledger_transaction').where({ source_id: charge.id })).to.deep.equal(
      [],
    );
    const operation = await knex('paymount.operations').where({ subject_id: charge.id }).first();
    expect(operation.state).to.equal('unknown');
    expect(operation.outcome.outcome).to.equal('approved');

    await knex('paymount.operations')
      .where({ id: operation.id })
      .update({ next_lookup_at: new Date(0) });
    await app.worker.drain();
    expect(await readStatus(charge.id)).to.equal('succeeded');
    expect(await knex('orders').where({ id: 'o_refused' }).first('state')).to.deep.equal({
      state: 'charge',
    });
    expect(await listEvents(charge.id)).to.deep.equal(['charge.succeeded']);
  });
});
