import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { startApp, type TestApp } from '../support/app.ts';
import type { Reply } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { startHost } from '../support/host.ts';
import { PaidOut } from '../support/paid-out.ts';

const SALE = { amount: 4_200, currency: 'eur', payment_method: 'pm_card_visa' };

describe('a cancellation while a worker begins to send', () => {
  const clock = fakeClock();
  let app: TestApp;
  let shop: PaidOut;
  let knex: Knex;

  before(async () => {
    app = await startApp({ paymount: { clock } });
    shop = new PaidOut(app, clock);
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 4 } });
  });
  after(async () => {
    await knex.destroy();
    await app.close();
  });

  /** Cancels at a moment at which a worker has written that it sends, but has not committed yet. */
  async function cancelDuringStart(path: string, subject: string): Promise<Reply> {
    const operation = () => knex('paymount.operations').where({ subject_id: subject });
    const worker = await knex.transaction();
    await operation()
      .update({ state: 'sent', attempt: 1, version: knex.raw('version + 1') })
      .transacting(worker);
    const canceled = shop.post(`${path}/${subject}/cancel`);
    await eventually(async () => {
      const { rows } = await knex.raw(`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`);
      return rows.length === 1;
    });
    await worker.commit();
    return canceled;
  }

  it('of a refund says that the refund was sent', async () => {
    const charge = await app.paymount.charges.create(app.acting, SALE);
    // A host that dies about its commit leaves a refund that no process has begun to send.
    const crashPoint = (name: string): void => {
      if (name === 'operation.after_intent') throw new Error('died');
    };
    const dying = await startHost(app, { paymount: { clock, crashPoint } });
    const host = await knex.transaction();
    const made = { charge: charge.id, amount: 200 };
    const died = dying.paymount.using(host).refunds.create(app.acting, made);
    expect(await died.catch(String)).to.equal('Error: died');
    await host.commit();
    await dying.close();
    const [{ id }] = await knex('paymount.refunds').where({ charge_id: charge.id });
    const refused = await cancelDuringStart('/v1/refunds', id);
    expect(refused.status, refused.text).to.equal(400);
    expect(refused.error).to.include({
      code: 'status_transition_invalid',
      message: `Refund ${id} was sent to the processor; only an unsent one can be canceled.`,
    });
  });

  it('of a payout says that the payout was sent', async () => {
    await shop.addBank();
    await shop.earn(5_000);
    const paid = await shop.post('/v1/payouts', { amount: 1_000, currency: 'eur' });
    const id = String(paid.json['id']);
    const refused = await cancelDuringStart('/v1/payouts', id);
    expect(refused.status, refused.text).to.equal(400);
    expect(refused.error).to.include({
      code: 'status_transition_invalid',
      message: `Payout ${id} was sent to the processor; only an unsent one can be canceled.`,
    });
  });
});
