import { expect } from 'chai';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.ts';
import { ClockSetup } from '../support/clock-setup.ts';

const DAYS = 10;
/** Of each kind, each day. */
const EACH = 4;
const KINDS = [
  { card: 'pm_card_visa', more: {} },
  { card: 'pm_card_visa', more: { capture: false } },
  { card: 'pm_card_createDispute', more: {} },
  { card: 'pm_card_createDisputeInquiry', more: {} },
  { card: 'pm_card_refundFail', more: {}, refunded: true },
];

const day = (number: number): string => `2030-01-${String(number).padStart(2, '0')}T00:00:00.000Z`;

describe('a year on a test clock', function () {
  this.timeout(180_000);
  let app: TestApp;
  let setup: ClockSetup;

  before(async () => {
    app = await startApp();
    setup = new ClockSetup(app);
  });
  after(() => app.close());

  it('passes with 200 charges, in order of time, each step at its own time', async () => {
    const clock = await setup.clock(day(1));
    const customers = new Map<string, string>();
    for (const { card } of KINDS) {
      if (!customers.has(card)) customers.set(card, await setup.customer(clock, card));
    }
    for (let today = 1; today <= DAYS; today += 1) {
      if (today > 1) await setup.advance(clock, day(today));
      for (const { card, more, refunded } of KINDS) {
        await Promise.all(
          Array.from({ length: EACH }, async () => {
            const charge = await setup.charge(customers.get(card) ?? '', more);
            if (refunded) await setup.make('/v1/refunds', { charge, amount: 1_000 });
          }),
        );
      }
    }
    const sql = new pg.Client({ connectionString: app.databaseUrl });
    await sql.connect();
    try {
      await setup.advance(clock, '2031-01-01T00:00:00.000Z');
      const { rows } = await sql.query(`SELECT type, count(*)::integer AS count,
          min(created) AS first, max(created) AS last
        FROM paymount.events GROUP BY type ORDER BY type COLLATE "C"`);
      expect(
        rows.map(({ type, count, first, last }) =>
          [type, count, first.toISOString(), last.toISOString()].join(' '),
        ),
      ).to.deep.equal([
        // Seven days after they were authorized.
        'charge.failed 40 2030-01-08T00:00:00.000Z 2030-01-17T00:00:00.000Z',
        'charge.refunded 40 2030-01-01T00:00:00.000Z 2030-01-10T00:00:00.000Z',
        'charge.succeeded 160 2030-01-01T00:00:00.000Z 2030-01-10T00:00:00.000Z',
        'dispute.alert 40 2030-01-03T00:00:00.000Z 2030-01-12T00:00:00.000Z',
        'dispute.created 40 2030-01-03T00:00:00.000Z 2030-01-12T00:00:00.000Z',
        // Twenty days after they were opened.
        'dispute.lost 40 2030-01-23T00:00:00.000Z 2030-02-01T00:00:00.000Z',
      ]);
      const order = await sql.query(`SELECT count(*)::integer AS wrong FROM (
        SELECT created, lag(created) OVER (ORDER BY id) AS before FROM paymount.events) e
        WHERE created < before`);
      expect(order.rows).to.deep.equal([{ wrong: 0 }]);
      const states = await sql.query(`SELECT
        (SELECT count(*)::integer FROM paymount.refunds WHERE status = 'failed') AS returned,
        (SELECT count(*)::integer FROM paymount.disputes WHERE status = 'warning_closed') AS alerts,
        (SELECT count(*)::integer FROM paymount.balance_transactions
          WHERE status = 'pending') AS pending`);
      expect(states.rows).to.deep.equal([{ returned: 40, alerts: 40, pending: 0 }]);
      // 160 were captured, and 40 of them lost to chargebacks.
      expect(await setup.balance()).to.deep.equal([120 * 4_200, 0]);
    } finally {
      await sql.end();
    }
    expect(await app.paymount.verify()).to.deep.equal([]);
  });
});
