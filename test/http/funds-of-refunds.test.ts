import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import type { Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { query, withClient } from '../support/database.ts';
import { PaidOut } from '../support/paid-out.ts';

const DAY = 86_400_000;
const REFUNDS = 9;

describe('Available funds that cover refunds of pending charges', () => {
  let app: AdminApp;
  let clock: FakeClock;
  let shop: PaidOut;

  beforeEach(async () => {
    clock = fakeClock('2026-11-21T12:00:00.000Z');
    const fees = (_: unknown, amount: number) => ({
      amount: amount / 10,
      details: [{ amount: amount / 10, type: 'application_fee', description: 'Fee' }],
    });
    app = await startAdminApp({ clock, paymount: { fees } });
    shop = new PaidOut(app, clock);
    // 900.00 are available, and refunds of nine pending charges of 990.00 take their fees, 891.00, from it.
    await shop.earn(100_000);
    await shop.addBank();
    for (let made = 0; made < REFUNDS; made += 1) {
      const sale = { amount: 99_000, currency: 'eur', payment_method: 'pm_card_visa' };
      const charge = (await shop.post('/v1/charges', sale)).json['id'];
      expect((await shop.post('/v1/refunds', { charge })).status).to.equal(200);
    }
  });
  afterEach(async () => {
    expect(await app.paymount.verify()).to.deep.equal([]);
    await app.close();
  });

  const payout = (amount: number): Promise<Reply> =>
    shop.post('/v1/payouts', { amount, currency: 'eur' });
  const adjust = (kind: string, amount: number): Promise<Reply> =>
    app.admin('/adjustments', {
      body: {
        account: app.account,
        livemode: false,
        kind,
        amount,
        currency: 'eur',
        reason: 'Agreed.',
      },
    });
  const refused = ({ status, error }: Reply) => [status, error['code'], error['message']];
  /** Funds of all pools in minor units, after everything has become available. */
  const endsAt = async (): Promise<unknown> => {
    await shop.pass(3 * DAY);
    const sums = await query(
      app.databaseUrl,
      `SELECT sum(amount - fee)::integer AS net FROM paymount.balance_transactions
       WHERE status = 'available'`,
    );
    return sums[0]?.['net'];
  };

  it('are not paid out: what is left is', async () => {
    expect(refused(await payout(90_000))).to.deep.equal([
      400,
      'balance_insufficient',
      '9.00 EUR are available besides the 891.00 EUR that cover refunds of pending charges; the payout is 900.00 EUR.',
    ]);
    expect((await payout(901)).status).to.equal(400);
    expect((await payout(900)).status).to.equal(200);
    expect(await endsAt()).to.equal(0);
  });

  it('are not paid out by a statement that looked at nothing: the database refuses it', async () => {
    /** A payout is recorded when the pending funds are so much lower. @returns the constraint that refuses it */
    const recorded = (lower: number): Promise<unknown> =>
      withClient(app.databaseUrl, async (client) => {
        await client.query('BEGIN');
        // No trigger of the ledger sees this, and it is not kept.
        await client.query('SET LOCAL session_replication_role = replica');
        const lowered = `UPDATE paymount.ledger_account SET balance = balance - $1 WHERE code = 'pending'`;
        await client.query(lowered, [lower]);
        await client.query('SET LOCAL session_replication_role = origin');
        const insert = `INSERT INTO paymount.balance_transactions
          SELECT (jsonb_populate_record(b, '{"id": "txn_planted", "type": "payout"}')).*
          FROM paymount.balance_transactions b LIMIT 1`;
        try {
          await client.query(insert);
          return 'recorded';
        } catch (error) {
          return (error as { constraint?: string }).constraint;
        } finally {
          await client.query('ROLLBACK');
        }
      });
    expect(await recorded(900)).to.equal('recorded');
    expect(await recorded(901)).to.equal('balance_refunds_covered');
  });

  it('are neither reserved nor written off', async () => {
    expect((await adjust('reserve', 901)).status).to.equal(400);
    expect(refused(await adjust('write_off', 1))).to.deep.equal([
      400,
      'balance_insufficient',
      '0.00 EUR are owed; the write_off is 0.01 EUR.',
    ]);
    expect((await adjust('reserve', 900)).status).to.equal(200);
    expect(await endsAt()).to.equal(0);
  });

  it('hold an automatic payout until they have covered them', async () => {
    const schedule = { interval: 'daily', delay_days: 0 };
    const path = `/accounts/${app.account}/payout_settings`;
    await app.admin(path, { body: { schedule } });
    await shop.pass(DAY);
    const { json } = await app.admin(path);
    expect(JSON.stringify(json)).to.contain('balance_insufficient');
    await shop.pass(3 * DAY);
    const paid = await query(
      app.databaseUrl,
      `SELECT amount::integer FROM paymount.payouts WHERE automatic`,
    );
    expect(paid).to.deep.equal([{ amount: 900 }]);
  });
});
