import { expect } from 'chai';
import { query } from '../support/database.ts';
import { type DisputeSetup, OPENED, startDisputeSetup } from '../support/dispute-setup.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const DAY = 86_400_000;
const MONTH = 31 * DAY;

describe('verify, after a worker has deleted old events', function () {
  this.timeout(60_000);
  let receiver: Receiver;
  let setup: DisputeSetup;

  before(async () => {
    receiver = await startReceiver();
    setup = await startDisputeSetup({ retention: { eventsDays: 30 } });
  });
  after(async () => {
    await setup.close();
    await receiver.close();
  });

  const eventsOf = async (object: string): Promise<readonly string[]> => {
    const rows = await query<{ type: string }>(
      setup.databaseUrl,
      `SELECT type FROM paymount.events WHERE object_id = '${object}' ORDER BY object_version, type`,
    );
    return rows.map(({ type }) => type);
  };

  /** @param days of the clock before or after now; the charge is of 10,000 EUR cents */
  const chargeOnClock = async (days: number) => {
    const frozen_time = new Date(setup.clock.now().getTime() + days * DAY).toISOString();
    const made = await setup.post('/v1/test_helpers/test_clocks', { frozen_time }).expect(200);
    const facts = {
      test_clock: made.body.id,
      payment_method: 'pm_card_visa',
      invoice_settings: { default_payment_method: 'pm_card_visa' },
    };
    const customer = await setup.post('/v1/customers', facts).expect(200);
    const sale = { amount: 10_000, currency: 'eur', customer: customer.body.id };
    const { body } = await setup.post('/v1/charges', sale).expect(200);
    return { id: String(body.id), reference: String(body.processor.reference) };
  };

  it('misses what is gone of a test clock that shows an earlier year', async () => {
    const { id } = await chargeOnClock(-1_000);
    await query(
      setup.databaseUrl,
      `INSERT INTO paymount.purges (table_name, created_before)
        VALUES ('events', now() - interval '1 day')`,
    );
    expect(await setup.paymount.verify()).to.deep.equal([]);
    await query(setup.databaseUrl, `DELETE FROM paymount.events WHERE object_id = '${id}'`);
    const found = await setup.paymount.verify();
    expect(found.map(({ subject, expected }) => [subject, expected])).to.deep.equal([[id, '1']]);
  });

  it('misses no event of what is on a test clock that shows a later year', async () => {
    const { id: charge, reference } = await chargeOnClock(1_000);
    await setup.report('dispute.opened', reference, OPENED);
    await setup.report('dispute.closed', reference, { outcome: 'lost' });
    const { id } = await setup.disputeOf(charge);
    expect(await eventsOf(String(id))).to.deep.equal(['dispute.created', 'dispute.lost']);
    await setup.pass(MONTH);
    expect(await eventsOf(String(id))).to.deep.equal([]);
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  it('judges no order of events if those between them may be deleted', async () => {
    receiver.otherwise(500);
    const endpoint = { url: `${receiver.url}/hook`, enabled_events: ['dispute.created'] } as const;
    const { id } = await setup.paymount.webhookEndpoints.create(setup.acting, endpoint);
    const { reference, dispute } = await setup.chargeback();
    await setup.paymount.webhookEndpoints.update(setup.acting, id, { disabled: true });
    await setup.report('dispute.closed', reference, { outcome: 'won' });
    await setup.pass(MONTH);
    expect(await eventsOf(dispute)).to.deep.equal(['dispute.created']);
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });
});
