import { expect } from 'chai';
import type { HostHook } from 'paymount';
import type { Processor } from 'paymount/processor';
import { startWorker } from 'paymount/worker';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { fakeClock } from '../support/clock.ts';
import { ClockSetup } from '../support/clock-setup.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { stuckClock } from '../support/stuck-clock.ts';
import { WatchedBank } from '../support/watched-bank.ts';

const PATH = '/v1/test_helpers/test_clocks';
const JAN_1 = '2030-01-01T00:00:00.000Z';
const JAN_8 = '2030-01-08T00:00:00.000Z';
const FEB_1 = '2030-02-01T00:00:00.000Z';

type Json = Readonly<Record<string, unknown>>;

describe('test clocks that an operator sets to ready', () => {
  let app: AdminApp;
  let setup: ClockSetup;
  let hook: HostHook;

  before(async () => {
    app = await startAdminApp({ paymount: { hook: (trx, settled) => hook(trx, settled) } });
    setup = new ClockSetup(app);
  });
  after(() => app.close());
  beforeEach(() => {
    hook = async () => undefined;
  });

  const failed = () => stuckClock(app, 'test', { url: `${app.url}/v1`, key: app.secretKey });
  const clear = (id: string, body: object = {}) =>
    app.admin(`/test_clocks/${id}/clear`, { method: 'POST', body });
  const audited = async (id: string): Promise<readonly Json[]> => {
    const { json } = await app.admin(`/audit?target=${id}`);
    return (json['data'] as Json[]).map(({ action, actor, before, after }) => ({
      action,
      actor,
      before,
      after,
    }));
  };

  it('are found by their status, and advance again from where they stand', async () => {
    const id = await failed();
    const { json: found } = await app.admin('/test_clocks?status=internal_failure');
    const [first] = found['data'] as Json[];
    expect(first).to.deep.include({
      id,
      account: app.account,
      status: 'internal_failure',
      frozen_time: JAN_1,
      status_details: { internal_failure: { message: 'It failed.' } },
    });
    const { status, json } = await clear(id);
    expect(status).to.equal(200);
    expect(json).to.deep.include({
      id,
      account: app.account,
      status: 'ready',
      frozen_time: JAN_1,
      status_details: {},
    });
    const { json: left } = await app.admin('/test_clocks?status=internal_failure');
    expect(left['data']).to.deep.equal([]);
    await setup.advance(id, FEB_1);
    const [entry] = await audited(id);
    expect(entry).to.deep.include({
      action: 'test_clock.clear',
      before: { status: 'internal_failure', failure: 'It failed.' },
      after: { status: 'ready' },
    });
  });

  it('are let go while they wait for the hook, and the merchant settles by hand', async () => {
    const id = await setup.clock(JAN_1);
    const charge = await setup.charge(await setup.customer(id), { capture: false });
    hook = () => Promise.reject(new Error('The order is locked.'));
    await setup.make(`${PATH}/${id}/advance`, { frozen_time: FEB_1 });
    await app.worker.drain();
    const { json: shown } = await app.admin(`/test_clocks/${id}`);
    expect(shown).to.have.nested.property('status_details.advancing.waits_for_hook_since');
    expect((await clear(id)).json).to.deep.include({
      status: 'ready',
      frozen_time: JAN_8,
      status_details: {},
    });
    expect((await audited(id))[0]).to.deep.include({
      before: { status: 'advancing' },
      after: { status: 'ready' },
    });
    hook = async () => undefined;
    await setup.make(`/v1/charges/${charge}/cancel`);
    await setup.advance(id, FEB_1);
  });

  it('are left alone unless they are stuck, and need the permission', async () => {
    const id = await setup.clock(JAN_1);
    const refused = async () => {
      const { status, error } = await clear(id);
      return [status, error['code'], error['message']];
    };
    const message = (status: string) =>
      `Test clock ${id} is ${status}; only one in internal_failure, or one that waits for the hook or for an answer, can be cleared.`;
    expect(await refused()).to.deep.equal([400, 'status_transition_invalid', message('ready')]);
    await setup.make(`${PATH}/${id}/advance`, { frozen_time: FEB_1 });
    expect(await refused()).to.deep.equal([400, 'status_transition_invalid', message('advancing')]);
    await app.worker.drain();
    const stuck = await failed();
    const token = await app.token(['viewer']);
    const { status } = await app.admin(`/test_clocks/${stuck}/clear`, {
      method: 'POST',
      body: {},
      token,
    });
    expect(status).to.equal(403);
    await setup.delete(`${PATH}/${stuck}`);
    expect((await clear(stuck)).status).to.equal(404);
    expect((await clear(`clock_${'0'.repeat(26)}`)).status).to.equal(404);
  });
});

/** Fails to answer a charge, and does not find it. */
class LosingBank extends WatchedBank {
  override authorize(): ReturnType<Processor['authorize']> {
    return Promise.reject(new Error('The bank did not answer.'));
  }

  override lookup(): ReturnType<Processor['lookup']> {
    return Promise.resolve('not_found');
  }
}

describe('a test clock that stands for an answer of a processor that was replaced', function () {
  this.timeout(60_000);
  let app: AdminApp;
  let other: TestHost;
  let setup: ClockSetup;

  before(async () => {
    const clock = fakeClock();
    const hosted = (bank: WatchedBank) => ({ paymount: { clock, processors: { test: bank } } });
    app = await startAdminApp({ clock, ...hosted(new LosingBank(clock, 'former')) });
    other = await startHost(app, hosted(new WatchedBank(clock, 'present')));
    setup = new ClockSetup(app);
  });
  after(async () => {
    await other.close();
    await app.close();
  });

  it('says since when, and is let go by an operator', async () => {
    const id = await setup.clock(JAN_1);
    const since = app.clock.now().getTime();
    const charge = await setup.charge(await setup.customer(id));
    app.clock.advance(15_000);
    await app.worker.drain();
    await app.worker.close();
    await setup.make(`${PATH}/${id}/advance`, { frozen_time: FEB_1 });
    const worker = await startWorker(other.paymount);
    for (let pass = 0; pass < 3; pass += 1) {
      app.clock.advance(10 * 60_000);
      await worker.drain();
    }
    const shown = await setup.read(`${PATH}/${id}`);
    expect(shown).to.deep.include({ status: 'advancing', frozen_time: JAN_1 });
    const { advancing } = shown['status_details'] as { advancing: Record<string, string> };
    expect(advancing).to.have.keys('target_frozen_time', 'waits_for_answer_since');
    const shownSince = Date.parse(String(advancing['waits_for_answer_since']));
    expect(shownSince).to.be.closeTo(since, 5_000);
    expect((await setup.read(PATH))['data']).to.deep.equal([shown]);
    const { json } = await app.admin('/test_clocks?status=advancing');
    expect((json['data'] as Json[])[0]).to.deep.include(shown);
    const cleared = await app.admin(`/test_clocks/${id}/clear`, { method: 'POST', body: {} });
    expect(cleared.json).to.deep.include({
      id,
      status: 'ready',
      frozen_time: JAN_1,
      status_details: {},
    });
    await worker.drain();
    await worker.close();
    await setup.customer(id);
    expect((await setup.read(`/v1/charges/${charge}`))['status']).to.equal('pending');
  });
});
