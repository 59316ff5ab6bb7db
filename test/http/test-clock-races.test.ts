import { expect } from 'chai';
import type { HostHook } from 'paymount';
import { startWorker, type Worker } from 'paymount/worker';
import { startApp, type TestApp } from '../support/app.ts';
import type { Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { ClockSetup } from '../support/clock-setup.ts';
import { eventually } from '../support/eventually.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { PaidOut } from '../support/paid-out.ts';

const PATH = '/v1/test_helpers/test_clocks';
const JAN_1 = '2030-01-01T00:00:00.000Z';
const JAN_8 = '2030-01-08T00:00:00.000Z';
const FEB_1 = '2030-02-01T00:00:00.000Z';
/** Longer than a worker holds a clock without a sign of life. */
const LEASE_MS = 61_000;

describe('a test clock that several use at once', function () {
  this.timeout(60_000);
  let app: TestApp;
  let other: TestHost;
  let setup: ClockSetup;
  let beside: ClockSetup;
  let clock: FakeClock;
  let hook: HostHook;

  beforeEach(async () => {
    clock = fakeClock();
    hook = async () => undefined;
    const paymount = { clock, hook: ((trx, settled) => hook(trx, settled)) satisfies HostHook };
    app = await startApp({ paymount });
    await app.worker.close();
    other = await startHost(app, { paymount });
    setup = new ClockSetup(app);
    beside = new ClockSetup({ ...app, url: other.url });
  });
  afterEach(async () => {
    expect(await app.paymount.verify()).to.deep.equal([]);
    await other.close();
    await app.close();
  });

  const statusOf = async (path: string): Promise<unknown> => (await setup.read(path))['status'];
  const using = async (host: TestHost, use: (worker: Worker) => Promise<void>): Promise<void> => {
    const worker = await startWorker(host.paymount);
    try {
      await use(worker);
    } finally {
      await worker.close();
    }
  };
  const work = (host: TestHost) => using(host, (worker) => worker.drain());
  /** Makes the hook wait for failed charges. */
  const slowHook = () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    let calls = 0;
    hook = async (_, settled) => {
      if (settled.kind !== 'charge' || settled.charge.status !== 'failed') return;
      calls += 1;
      await opened;
    };
    return { open: () => open(), calls: () => calls };
  };
  /** A clock on its way to February, with an authorization that expires on the 8th. */
  const onItsWay = async (): Promise<{ id: string; charge: string }> => {
    const id = await setup.clock(JAN_1);
    const charge = await setup.charge(await setup.customer(id), { capture: false });
    await setup.make(`${PATH}/${id}/advance`, { frozen_time: FEB_1 });
    return { id, charge };
  };

  it('is advanced by one of twenty requests to two processes', async () => {
    const id = await setup.clock(JAN_1);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, day) =>
        (day % 2 === 0 ? setup : beside).post(`${PATH}/${id}/advance`, {
          frozen_time: `2030-02-${String(day + 1).padStart(2, '0')}T00:00:00.000Z`,
        }),
      ),
    );
    const [taken, ...more] = answers.filter(({ status }) => status === 200);
    expect(more).to.deep.equal([]);
    const refused = answers.filter((each) => each !== taken);
    expect(refused.map(({ status, error }) => [status, error['code']])).to.deep.equal(
      refused.map(() => [409, 'test_clock_advancing']),
    );
    await work(app);
    const { status, frozen_time } = await setup.read(`${PATH}/${id}`);
    expect(status).to.equal('ready');
    expect(taken?.json).to.have.nested.property(
      'status_details.advancing.target_frozen_time',
      frozen_time,
    );
  });

  it('does its work once when the hook is slower than the lease of a worker', async () => {
    const { id, charge } = await onItsWay();
    const slow = slowHook();
    await using(app, async (first) => {
      const drained = first.drain();
      await eventually(() => slow.calls() > 0);
      clock.advance(LEASE_MS);
      // It waits for the charge, and gives up.
      await work(other);
      expect(await statusOf(`${PATH}/${id}`)).to.equal('advancing');
      slow.open();
      await drained;
    });
    for (let pass = 0; pass < 3; pass += 1) {
      clock.advance(LEASE_MS);
      await work(other);
    }
    expect(await setup.read(`${PATH}/${id}`)).to.include({ status: 'ready', frozen_time: FEB_1 });
    expect(await setup.eventsOf(charge)).to.deep.equal([`charge.failed ${JAN_8}`]);
  });

  it('is deleted while a worker is at its work, after which nothing more is done', async () => {
    const { id, charge } = await onItsWay();
    const slow = slowHook();
    await using(app, async (worker) => {
      const drained = worker.drain();
      await eventually(() => slow.calls() > 0);
      const deleted = beside.delete(`${PATH}/${id}`);
      slow.open();
      expect((await deleted).status).to.equal(200);
      await drained;
    });
    expect((await setup.get(`${PATH}/${id}`)).status).to.equal(404);
    expect(await setup.eventsOf(charge)).to.deep.equal([`charge.failed ${JAN_8}`]);
  });

  it('keeps no payout that is made while it is deleted', async () => {
    const sale = { amount: 100_000, currency: 'eur', payment_method: 'pm_card_visa' };
    await app.paymount.charges.create(app.acting, sale);
    clock.advance(3 * 86_400_000);
    await work(app);
    await new PaidOut(app, clock).addBank();
    const [available] = await setup.balance();
    const id = await setup.clock(JAN_1);
    const pay = (from: ClockSetup) =>
      from.post('/v1/payouts', { amount: 10, currency: 'eur', test_clock: id });
    const asked = Array.from({ length: 30 }, (_, each) => pay(each % 2 === 0 ? setup : beside));
    const accepted = async (reply: Promise<Reply>) => expect((await reply).status).to.equal(200);
    const makes = Promise.all(asked);
    // The others are still on their way.
    await Promise.any(asked.map(accepted));
    let tries = 0;
    while ((await beside.delete(`${PATH}/${id}`)).status !== 200) {
      tries += 1;
      expect(tries).to.be.lessThan(50);
    }
    const made = (await makes).filter(({ status }) => status === 200);
    expect(made).not.to.deep.equal([]);
    for (const { json } of made) {
      expect(await statusOf(`/v1/payouts/${json['id']}`)).to.equal('canceled');
    }
    expect((await pay(setup)).status).to.equal(400);
    expect((await setup.balance())[0]).to.equal(available);
  });
});
