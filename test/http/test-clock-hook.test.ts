import { expect } from 'chai';
import type { HostHook } from 'paymount';
import { startWorker } from 'paymount/worker';
import { startApp, type TestApp } from '../support/app.ts';
import { advanceToNoon, type FakeClock, fakeClock } from '../support/clock.ts';
import { ClockSetup } from '../support/clock-setup.ts';
import { query } from '../support/database.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { OPERATOR } from '../support/operator-setup.ts';
import { PaidOut } from '../support/paid-out.ts';
import { type WrittenLog, writtenLog } from '../support/written-log.ts';

const PATH = '/v1/test_helpers/test_clocks';
const JAN_1 = '2030-01-01T00:00:00.000Z';
const JAN_8 = '2030-01-08T00:00:00.000Z';
const FEB_1 = '2030-02-01T00:00:00.000Z';
const MARCH = '2030-03-01T00:00:00.000Z';
const TEN_SECONDS = 10_000;

describe('a test clock whose work waits for the hook', function () {
  this.timeout(60_000);
  let app: TestApp;
  let bare: TestHost;
  let setup: ClockSetup;
  let clock: FakeClock;
  let hook: HostHook;
  let log: WrittenLog;
  /** Subjects of what the operator got. */
  let mails: string[];

  beforeEach(async () => {
    clock = fakeClock();
    advanceToNoon(clock);
    hook = async () => undefined;
    log = writtenLog();
    const { logger } = log;
    app = await startApp({
      paymount: { clock, logger, hook: (trx, settled) => hook(trx, settled) },
    });
    await app.worker.close();
    mails = [];
    const mailer = {
      send: async ({ subject }: { subject: string }) => void mails.push(subject),
    };
    bare = await startHost(app, { paymount: { clock, mail: { operator: OPERATOR }, mailer } });
    setup = new ClockSetup(app);
  });
  afterEach(async () => {
    expect(await app.paymount.verify()).to.deep.equal([]);
    await bare.close();
    await app.close();
  });

  /** A clock on its way to February, with an authorization that expires on the 8th. */
  const onItsWay = async (): Promise<{ id: string; charge: string }> => {
    const id = await setup.clock(JAN_1);
    const charge = await setup.charge(await setup.customer(id), { capture: false });
    await setup.make(`${PATH}/${id}/advance`, { frozen_time: FEB_1 });
    return { id, charge };
  };
  /** Lets a worker of one process do what is due. */
  const work = async ({ paymount }: TestHost): Promise<void> => {
    const worker = await startWorker(paymount);
    await worker.drain();
    await worker.close();
  };
  const read = (id: string) => setup.read(`${PATH}/${id}`);
  const stored = async (id: string) => {
    const text = `SELECT claims, failures FROM paymount.test_clocks WHERE id = '${id}'`;
    const [row] = await query<{ claims: number; failures: number }>(app.databaseUrl, text);
    return row;
  };

  it('is left to a worker with the hook by one without it, and nothing is counted', async () => {
    const { id, charge } = await onItsWay();
    await work(bare);
    const since = new Date(clock.now()).getTime();
    for (let pass = 0; pass < 7; pass += 1) {
      clock.advance(TEN_SECONDS);
      await work(bare);
    }
    const { status, frozen_time, status_details } = await read(id);
    expect([status, frozen_time]).to.deep.equal(['advancing', JAN_8]);
    const { advancing } = status_details as { advancing: Record<string, string> };
    expect(advancing).to.include({ target_frozen_time: FEB_1 });
    expect(Date.parse(String(advancing['waits_for_hook_since']))).to.be.closeTo(since, 5_000);
    // It was tried once.
    expect(await stored(id)).to.deep.equal({ claims: 1, failures: 0 });
    await work(app);
    expect(await read(id)).to.deep.include({
      status: 'ready',
      frozen_time: FEB_1,
      status_details: {},
    });
    expect(await setup.eventsOf(charge)).to.deep.equal([`charge.failed ${JAN_8}`]);
  });

  it('goes on after the hook has refused it for an hour', async () => {
    const { id, charge } = await onItsWay();
    hook = () => Promise.reject(new Error('The order is locked.'));
    await work(app);
    for (let pass = 0; pass < 6; pass += 1) {
      clock.advance(60 * TEN_SECONDS);
      await work(app);
      await work(bare);
    }
    expect(await read(id)).to.include({ status: 'advancing', frozen_time: JAN_8 });
    expect(await stored(id)).to.include({ failures: 0 });
    expect(mails).to.deep.equal(['1 test result waits for the hook']);
    hook = async () => undefined;
    clock.advance(TEN_SECONDS);
    await work(app);
    expect(await read(id)).to.include({ status: 'ready', frozen_time: FEB_1 });
    expect(await setup.eventsOf(charge)).to.deep.equal([`charge.failed ${JAN_8}`]);
  });

  it('says in the log which charge the hook refuses', async () => {
    const { id, charge } = await onItsWay();
    hook = () => Promise.reject(new Error('The order is locked.'));
    await work(app);
    const line = log
      .text()
      .split('\n')
      .find((each) => each.includes(`"test_clock":"${id}"`));
    const { charge: refused, msg } = JSON.parse(String(line));
    expect(refused).to.equal(charge);
    expect(msg).to.match(/^The hook refused the result of ch_\w+: Error: The order is locked, at /);
    expect(msg).to.include(`. Test clock ${id} stands until it is recorded, and tries again.`);
  });

  it('says it again at once, if the hook refuses a later result', async () => {
    const { id, charge } = await onItsWay();
    const worker = await startWorker(app.paymount);
    const refuse = async (times: number): Promise<void> => {
      hook = () => Promise.reject(new Error('The order is locked.'));
      for (let pass = 0; pass < times; pass += 1) {
        await worker.drain();
        clock.advance(TEN_SECONDS);
      }
      hook = async () => undefined;
      await worker.drain();
    };
    await refuse(3);
    const { customer } = await setup.read(`/v1/charges/${charge}`);
    const later = await setup.charge(String(customer), { capture: false });
    await setup.make(`${PATH}/${id}/advance`, { frozen_time: MARCH });
    await refuse(1);
    await worker.close();
    const lines = log
      .text()
      .split('\n')
      .filter((each) => each.includes(`"test_clock":"${id}"`))
      .map((each) => JSON.parse(each))
      .map((each) => [each.charge, each.refusals]);
    expect(lines).to.deep.equal([
      [charge, undefined],
      [charge, 2],
      [later, undefined],
    ]);
    expect(await read(id)).to.include({ status: 'ready', frozen_time: MARCH });
  });

  it('keeps the time of a payout whose result the hook refuses', async () => {
    const sale = { amount: 4_200, currency: 'eur', payment_method: 'pm_card_visa' };
    await app.paymount.charges.create(app.acting, sale);
    clock.advance(3 * 86_400_000);
    await work(app);
    const shop = new PaidOut(app, clock);
    await shop.addBank('000777777704');
    const id = await setup.clock(JAN_1);
    const asked = { amount: 500, currency: 'eur', test_clock: id };
    const payout = String((await setup.make('/v1/payouts', asked))['id']);
    hook = () => Promise.reject(new Error('The order is locked.'));
    await setup.make(`${PATH}/${id}/advance`, { frozen_time: FEB_1 });
    for (let pass = 0; pass < 3; pass += 1) {
      await work(app);
      clock.advance(TEN_SECONDS);
      await work(bare);
    }
    const { status, frozen_time, status_details } = await read(id);
    expect([status, frozen_time]).to.deep.equal(['advancing', JAN_1]);
    expect(status_details).to.have.nested.property('advancing.waits_for_hook_since');
    hook = async () => undefined;
    await work(app);
    clock.advance(TEN_SECONDS);
    await work(app);
    expect(await read(id)).to.include({ status: 'ready', frozen_time: FEB_1 });
    expect(await setup.eventsOf(payout)).to.deep.equal([`payout.failed ${JAN_1}`]);
  });

  it('is done by any worker when no process has the hook any more', async () => {
    const { id } = await onItsWay();
    await work(bare);
    await query(app.databaseUrl, 'DELETE FROM paymount.hook_use');
    clock.advance(TEN_SECONDS);
    await work(bare);
    expect(await read(id)).to.include({ status: 'ready', frozen_time: FEB_1 });
  });
});
