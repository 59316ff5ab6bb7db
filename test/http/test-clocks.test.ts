import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import type { Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { ClockSetup } from '../support/clock-setup.ts';
import { PaidOut } from '../support/paid-out.ts';

const PATH = '/v1/test_helpers/test_clocks';
const DAY = 86_400_000;
const JAN_1 = '2030-01-01T00:00:00.000Z';
const PAST = '2020-01-01T00:00:00.000Z';

const refused = ({ status, error }: Reply) => [status, error['code'], error['param']];

describe('what is on a test clock', function () {
  this.timeout(60_000);
  let app: TestApp;
  let setup: ClockSetup;
  let clock: FakeClock;

  before(async () => {
    clock = fakeClock();
    app = await startApp({ paymount: { clock, sandbox: { silenceMs: 20 } } });
    setup = new ClockSetup(app);
  });
  after(() => app.close());
  afterEach(async () => {
    expect(await app.paymount.verify()).to.deep.equal([]);
  });

  it('shows every field of a clock', async () => {
    const made = await setup.make(PATH, { frozen_time: JAN_1, name: 'A year' });
    expect(made).to.deep.include({
      object: 'test_helpers.test_clock',
      livemode: false,
      frozen_time: JAN_1,
      name: 'A year',
      status: 'ready',
      status_details: {},
    });
    const created = Date.parse(String(made['created']));
    expect(Date.parse(String(made['deletes_after'])) - created).to.equal(30 * DAY);
    const asked = await setup.make(`${PATH}/${made['id']}/advance`, {
      frozen_time: '2030-02-01T00:00:00Z',
    });
    expect(asked).to.deep.include({
      frozen_time: JAN_1,
      status: 'advancing',
      status_details: { advancing: { target_frozen_time: '2030-02-01T00:00:00.000Z' } },
    });
    await app.worker.drain();
    const after = await setup.read(`${PATH}/${made['id']}`);
    expect(after).to.deep.include({
      frozen_time: '2030-02-01T00:00:00.000Z',
      status: 'ready',
      status_details: {},
    });
    const { data } = await setup.read(`${PATH}?limit=1`);
    expect(data).to.deep.equal([after]);
    const since = await setup.read(`${PATH}?created[gte]=${made['created']}`);
    expect(since['data']).to.deep.equal([after]);
    const before = await setup.read(`${PATH}?created[lt]=${made['created']}`);
    expect(before['data']).to.not.deep.include(after);
  });

  it('gives a customer, its card and its charges the time of the clock', async () => {
    const id = await setup.clock(JAN_1);
    const customer = await setup.customer(id);
    expect(await setup.read(`/v1/customers/${customer}`)).to.include({
      test_clock: id,
      created: JAN_1,
    });
    const methods = await setup.read(`/v1/customers/${customer}/payment_methods`);
    expect((methods['data'] as object[])[0]).to.include({ created: JAN_1 });
    const charge = await setup.charge(customer);
    expect(await setup.read(`/v1/charges/${charge}`)).to.include({ created: JAN_1 });
    expect(await setup.eventsOf(charge)).to.deep.equal([`charge.succeeded ${JAN_1}`]);
    const listed = await setup.read(`/v1/customers?test_clock=${id}`);
    expect((listed['data'] as { id: string }[]).map((each) => each.id)).to.deep.equal([customer]);
    const others = await setup.read('/v1/customers');
    expect((others['data'] as { id: string }[]).map((each) => each.id)).not.to.include(customer);
  });

  it('releases funds and expires authorizations when the clock passes their times', async () => {
    const id = await setup.clock(PAST);
    const customer = await setup.customer(id);
    const [available, pending] = await setup.balance();
    const sold = await setup.charge(customer);
    const held = await setup.charge(customer, { capture: false });
    expect(await setup.read(`/v1/charges/${held}`)).to.include({
      status: 'authorized',
      capture_before: '2020-01-08T00:00:00.000Z',
    });
    const line = await setup.read(`/v1/balance_transactions?source=${sold}`);
    expect((line['data'] as object[])[0]).to.include({
      created: PAST,
      available_on: '2020-01-03T00:00:00.000Z',
      status: 'pending',
    });
    // Everything is long past for everybody else, and nothing happens.
    clock.advance(20 * DAY);
    await app.worker.drain();
    expect(await setup.balance()).to.deep.equal([available, pending + 4_200]);
    expect(await setup.read(`/v1/charges/${held}`)).to.include({ status: 'authorized' });
    await setup.advance(id, '2020-01-03T00:00:00.000Z');
    expect(await setup.balance()).to.deep.equal([available + 4_200, pending]);
    await setup.advance(id, '2020-01-07T23:59:59.999Z');
    expect(await setup.read(`/v1/charges/${held}`)).to.include({ status: 'authorized' });
    await setup.advance(id, '2020-03-01T00:00:00.000Z');
    expect(await setup.read(`/v1/charges/${held}`)).to.include({
      status: 'failed',
      failure_code: 'charge_expired_for_capture',
    });
    expect(await setup.eventsOf(held)).to.deep.equal(['charge.failed 2020-01-08T00:00:00.000Z']);
  });

  it('settles and returns refunds days later', async () => {
    const id = await setup.clock(JAN_1);
    const settled = await setup.charge(await setup.customer(id, 'pm_card_pendingRefund'));
    const returned = await setup.charge(await setup.customer(id, 'pm_card_refundFail'));
    const first = await setup.make('/v1/refunds', { charge: settled });
    expect(first).to.include({ status: 'pending', created: JAN_1 });
    const second = await setup.make('/v1/refunds', { charge: returned });
    expect(second).to.include({ status: 'succeeded' });
    await setup.advance(id, '2030-01-05T23:59:59.999Z');
    expect(await setup.read(`/v1/refunds/${first['id']}`)).to.include({ status: 'pending' });
    await setup.advance(id, '2030-01-06T00:00:00.000Z');
    expect(await setup.read(`/v1/refunds/${first['id']}`)).to.include({ status: 'succeeded' });
    expect(await setup.read(`/v1/refunds/${second['id']}`)).to.include({ status: 'succeeded' });
    await setup.advance(id, '2030-02-01T00:00:00.000Z');
    expect(await setup.read(`/v1/refunds/${second['id']}`)).to.include({ status: 'failed' });
    expect(await setup.eventsOf(settled)).to.deep.equal([
      `charge.succeeded ${JAN_1}`,
      'charge.refunded 2030-01-06T00:00:00.000Z',
    ]);
  });

  it('opens a dispute days later, and loses it at its due date', async () => {
    const id = await setup.clock(JAN_1);
    const charge = await setup.charge(await setup.customer(id, 'pm_card_createDispute'));
    await setup.advance(id, '2030-01-03T00:00:00.000Z');
    const { data } = await setup.read(`/v1/disputes?charge=${charge}`);
    const [dispute] = data as Readonly<Record<string, unknown>>[];
    expect(dispute).to.include({ status: 'needs_response', created: '2030-01-03T00:00:00.000Z' });
    expect(dispute?.['evidence_details']).to.include({ due_by: '2030-01-23T00:00:00.000Z' });
    await setup.advance(id, '2031-01-01T00:00:00.000Z');
    const after = await setup.read(`/v1/disputes/${dispute?.['id']}`);
    expect(after).to.include({ status: 'lost', closed_reason: 'expired' });
    expect(await setup.eventsOf(String(dispute?.['id']))).to.deep.equal([
      'dispute.created 2030-01-03T00:00:00.000Z',
      'dispute.lost 2030-01-23T00:00:00.000Z',
    ]);
  });

  it('sends an alert, makes a chargeback of it, and rules 30 days after the evidence', async () => {
    const id = await setup.clock(JAN_1);
    const charge = await setup.charge(await setup.customer(id, 'pm_card_alert_then_chargeback'));
    await setup.advance(id, '2030-01-10T00:00:00.000Z');
    const { data } = await setup.read(`/v1/disputes?charge=${charge}`);
    const [dispute] = data as { id: string; status: string }[];
    const sent = await setup.make(`/v1/disputes/${dispute?.id}`, {
      evidence: { uncategorized_text: 'winning_evidence' },
    });
    expect(sent).to.include({ status: 'under_review' });
    await setup.advance(id, '2030-02-08T23:00:00.000Z');
    expect(await setup.read(`/v1/disputes/${dispute?.id}`)).to.include({ status: 'under_review' });
    await setup.advance(id, '2030-02-09T00:00:00.000Z');
    expect(await setup.eventsOf(String(dispute?.id))).to.deep.equal([
      'dispute.alert 2030-01-03T00:00:00.000Z',
      'dispute.created 2030-01-05T00:00:00.000Z',
      'dispute.won 2030-02-09T00:00:00.000Z',
    ]);
  });

  it('sends a payout as the clock advances, and pays it two days later', async () => {
    const shop = new PaidOut(app, clock);
    await shop.earn(100_000);
    await shop.addBank();
    const id = await setup.clock(PAST);
    const made = await setup.make('/v1/payouts', { amount: 500, currency: 'eur', test_clock: id });
    const payout = String(made['id']);
    expect(made).to.include({ status: 'pending', created: PAST });
    const canceled = await setup.make('/v1/payouts', {
      amount: 1,
      currency: 'eur',
      test_clock: id,
    });
    await shop.pass(12 * DAY);
    expect(await setup.read(`/v1/payouts/${payout}`)).to.include({ status: 'pending' });
    await setup.make(`/v1/payouts/${canceled['id']}/cancel`);
    await setup.advance(id, '2020-01-02T00:00:00.000Z');
    expect(await setup.read(`/v1/payouts/${payout}`)).to.include({ status: 'in_transit' });
    // The resolver asks, and hears what the time of the clock says.
    await shop.pass(12 * DAY);
    expect(await setup.read(`/v1/payouts/${payout}`)).to.include({ status: 'in_transit' });
    await setup.advance(id, '2020-01-05T00:00:00.000Z');
    expect(await setup.read(`/v1/payouts/${payout}`)).to.include({ status: 'paid' });
    expect(await setup.eventsOf(payout)).to.deep.equal(['payout.paid 2020-01-03T00:00:00.000Z']);
  });

  it('settles a charge whose answer was lost at the time that the clock shows', async () => {
    const id = await setup.clock(JAN_1);
    const customer = await setup.customer(id, 'pm_card_timeout_approved');
    const sale = { amount: 4_200, currency: 'eur', customer };
    const answered = await setup.post('/v1/charges', sale);
    const charge = String(answered.json['id']);
    expect(answered.json).to.include({ status: 'pending' });
    clock.advance(60_000);
    await app.worker.drain();
    expect(await setup.eventsOf(charge)).to.deep.equal([`charge.succeeded ${JAN_1}`]);
  });

  it('refuses an earlier time, the same time, and a second advance', async () => {
    const id = await setup.clock(JAN_1);
    const advance = (frozen_time: unknown) => setup.post(`${PATH}/${id}/advance`, { frozen_time });
    for (const time of [JAN_1, '2029-12-31T23:59:59.999Z', 0]) {
      expect(refused(await advance(time))).to.deep.equal([
        400,
        'test_clock_backwards',
        'frozen_time',
      ]);
    }
    const customer = await setup.customer(id);
    const held = await setup.charge(customer, { capture: false });
    await advance('2030-01-02T00:00:00Z');
    const busy = [
      await advance('2030-01-03T00:00:00Z'),
      await setup.post('/v1/charges', { amount: 100, currency: 'eur', customer }),
      await setup.post(`/v1/charges/${held}/capture`),
      await setup.post('/v1/refunds', { charge: held }),
      await setup.post('/v1/customers', { test_clock: id }),
      await setup.post('/v1/payouts', { amount: 1, currency: 'eur', test_clock: id }),
      await setup.post('/v1/payment_methods/pm_card_visa/attach', { customer }),
    ];
    expect(busy.map(({ status, error }) => [status, error['code']])).to.deep.equal(
      busy.map(() => [409, 'test_clock_advancing']),
    );
    await app.worker.drain();
    expect((await setup.post(`/v1/charges/${held}/capture`)).status).to.equal(200);
  });

  it('deletes a clock with its customers, and keeps what happened', async () => {
    const id = await setup.clock(JAN_1);
    const customer = await setup.customer(id);
    const charge = await setup.charge(customer);
    await setup.make(`${PATH}/${id}/advance`, { frozen_time: '2031-01-01T00:00:00Z' });
    const gone = await setup.delete(`${PATH}/${id}`);
    expect(gone.json).to.deep.equal({ id, object: 'test_helpers.test_clock', deleted: true });
    await app.worker.drain();
    expect(refused(await setup.get(`${PATH}/${id}`))).to.deep.equal([
      404,
      'resource_missing',
      undefined,
    ]);
    expect(await setup.read(`/v1/customers/${customer}`)).to.include({ deleted: true });
    expect(await setup.read(`/v1/charges/${charge}`)).to.include({ status: 'succeeded' });
    const refund = await setup.make('/v1/refunds', { charge });
    expect(refund).to.include({ status: 'succeeded', created: JAN_1 });
    expect((await setup.delete(`${PATH}/${id}`)).status).to.equal(404);
  });

  it('deletes clocks after 30 days', async () => {
    const id = await setup.clock(JAN_1);
    const customer = await setup.customer(id);
    clock.advance(30 * DAY - 60_000);
    await app.worker.drain();
    expect((await setup.get(`${PATH}/${id}`)).status).to.equal(200);
    clock.advance(120_000);
    await app.worker.drain();
    expect((await setup.get(`${PATH}/${id}`)).status).to.equal(404);
    expect(await setup.read(`/v1/customers/${customer}`)).to.include({ deleted: true });
  });
});
