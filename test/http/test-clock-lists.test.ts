import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { ClockSetup } from '../support/clock-setup.ts';
import { PaidOut } from '../support/paid-out.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { webhookSetting } from '../support/webhook-setting.ts';

const JAN_1 = '2030-01-01T00:00:00.000Z';
const PAST = '2020-01-01T00:00:00.000Z';
const DAY = 86_400_000;

describe('lists, and what is on a test clock', function () {
  this.timeout(60_000);
  let app: TestApp;
  let setup: ClockSetup;
  let clock: FakeClock;
  let receiver: Receiver;

  before(async () => {
    clock = fakeClock();
    app = await startApp({ paymount: { clock, sandbox: { silenceMs: 20 } } });
    setup = new ClockSetup(app);
    receiver = await startReceiver();
  });
  after(async () => {
    await app.close();
    await receiver.close();
  });

  async function ids(path: string): Promise<readonly string[]> {
    const { data } = await setup.read(path);
    return (data as { id: string }[]).map(({ id }) => id);
  }

  /** Of each list: what is on the clock, and an object that is on none. */
  type Expected = Readonly<Record<string, readonly [clocked: string, other: string]>>;

  async function charged(more: object): Promise<string> {
    return String(
      (await setup.make('/v1/charges', { amount: 900, currency: 'eur', ...more }))['id'],
    );
  }

  async function refunded(charge: string): Promise<string> {
    return String((await setup.make('/v1/refunds', { charge, amount: 100 }))['id']);
  }

  it('leave it out, and show what is on one clock if asked', async () => {
    const shop = new PaidOut(app, clock);
    await shop.earn(100_000);
    await shop.addBank();
    const id = await setup.clock(JAN_1);
    const customer = await setup.customer(id);
    const charges = [await charged({ customer }), await charged({ source: 'tok_visa' })] as const;
    const refunds = [await refunded(charges[0]), await refunded(charges[1])] as const;
    const payout = async (more: object) =>
      String((await setup.make('/v1/payouts', { amount: 500, currency: 'eur', ...more }))['id']);
    const payouts = [await payout({ test_clock: id }), await payout({})] as const;
    const lineOf = async (source: string) =>
      String((await ids(`/v1/balance_transactions?source=${source}`))[0]);
    const eventOf = async (object: string) =>
      String((await ids(`/v1/events?object_id=${object}`)).at(-1));
    const lists: Expected = {
      charges,
      refunds,
      payouts,
      balance_transactions: [await lineOf(charges[0]), await lineOf(charges[1])],
      events: [await eventOf(charges[0]), await eventOf(charges[1])],
    };
    for (const [list, [clocked, other]] of Object.entries(lists)) {
      const all = await ids(`/v1/${list}?limit=100`);
      expect(all, list).to.include(other);
      expect(all, list).not.to.include(clocked);
      const of = await ids(`/v1/${list}?test_clock=${id}&limit=100`);
      expect(of, list).to.include(clocked);
      expect(of, list).not.to.include(other);
      const { status, error } = await setup.get(`/v1/${list}?test_clock=clock_no`);
      expect([status, error['code'], error['param']], list).to.deep.equal([
        400,
        'resource_missing',
        'test_clock',
      ]);
      const cursor = await setup.get(`/v1/${list}?ending_before=${clocked}`);
      expect(cursor.error['code'], list).to.equal('invalid_cursor');
    }
    expect(await ids(`/v1/charges?customer=${customer}`)).to.deep.equal([charges[0]]);
    expect(await ids(`/v1/refunds?charge=${charges[0]}`)).to.deep.equal([refunds[0]]);
    expect(await ids(`/v1/charges/${charges[0]}/refunds`)).to.deep.equal([refunds[0]]);
    expect(await ids(`/v1/balance_transactions?test_clock=${id}&type=charge`)).to.deep.equal([
      lists['balance_transactions']?.[0],
    ]);
    expect(await ids(`/v1/events?test_clock=${id}&type=charge.succeeded`)).to.deep.equal([
      lists['events']?.[0],
    ]);
    expect(await ids(`/v1/events?test_clock=${id}&type=charge.failed`)).to.deep.equal([]);
  });

  it('leave out disputes on a clock, unless it or their charge is asked for', async () => {
    const id = await setup.clock(JAN_1);
    const customer = await setup.customer(id, 'pm_card_createDispute');
    const charge = await setup.charge(customer);
    await setup.advance(id, '2030-01-05T00:00:00.000Z');
    const [dispute] = await ids(`/v1/disputes?charge=${charge}`);
    expect(dispute).to.match(/^dp_/);
    expect(await ids('/v1/disputes')).to.deep.equal([]);
    expect(await ids(`/v1/disputes?test_clock=${id}`)).to.deep.equal([dispute]);
  });

  it('show a poller what is new, whatever is on clocks', async () => {
    const first = await charged({ source: 'tok_visa' });
    const id = await setup.clock(JAN_1);
    await setup.charge(await setup.customer(id));
    expect((await ids('/v1/charges?limit=1'))[0]).to.equal(first);
    clock.advance(1_000);
    const next = await charged({ source: 'tok_visa' });
    expect(await ids(`/v1/charges?ending_before=${first}`)).to.deep.equal([next]);
  });

  it('have deliveries in real time, also those about what is on a clock', async () => {
    const hook = await webhookSetting(app).register(receiver.url);
    const id = await setup.clock(JAN_1);
    const charge = await setup.charge(await setup.customer(id));
    const [event] = await ids(`/v1/events?object_id=${charge}`);
    const { data } = await setup.read(`/v1/deliveries?event=${event}`);
    const [delivery] = data as { id: string; created: string }[];
    expect(Date.parse(String(delivery?.created))).to.be.closeTo(clock.now().getTime(), 60_000);
    clock.advance(60_000);
    const other = await charged({ source: 'tok_visa' });
    const [newer] = await ids(`/v1/events?object_id=${other}`);
    const listed = (await setup.read(`/v1/deliveries?endpoint=${hook.id}`))['data'];
    expect((listed as { event: string }[]).map((each) => each.event)).to.deep.equal([newer, event]);
    await webhookSetting(app).remove(hook);
  });

  it('have events of past clocks among what an endpoint missed, and a replay sends them', async () => {
    const hook = await webhookSetting(app).register(receiver.url);
    const path = `/v1/webhook_endpoints/${hook.id}`;
    await setup.make(path, { disabled: true });
    const charges = [
      await setup.charge(await setup.customer(await setup.clock(PAST))),
      await setup.charge(await setup.customer(await setup.clock(JAN_1))),
    ];
    const enabled = await setup.make(path, { disabled: false });
    expect(enabled).to.include({ missed: 2 });
    const before = receiver.requests.length;
    const replay = await setup.make('/v1/replays', {
      endpoint: hook.id,
      states: ['skipped'],
      created: { gte: enabled['missed_since'], lt: new Date(clock.now().getTime() + DAY) },
    });
    for (let round = 0; round < 3; round += 1) {
      await app.worker.drain();
      clock.advance(60_000);
    }
    expect(await setup.read(`/v1/replays/${replay['id']}`)).to.include({
      status: 'completed',
      created_count: 2,
    });
    const sent = receiver.requests.slice(before).map(({ body }) => JSON.parse(String(body)));
    const objects = sent.map(({ data }) => String(data.object.id));
    const replayed = objects.filter((object) => object.startsWith('ch_')).sort();
    expect(replayed).to.deep.equal(charges.toSorted());
  });

  it('keep the ledger as it is', async () => {
    expect(await app.paymount.verify()).to.deep.equal([]);
  });
});
