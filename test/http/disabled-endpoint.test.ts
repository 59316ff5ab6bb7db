import { expect } from 'chai';
import { startWorker } from 'paymount/worker';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { ask, postJson, type Reply } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { startHost } from '../support/host.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Hook, type WebhookSetting, webhookSetting } from '../support/webhook-setting.ts';

type Json = Readonly<Record<string, unknown>>;

const MINUTE_MS = 60_000;
const COPIES = 100;
const TURNS = 8;
/** More than one step. */
const MANY = 1_500;

describe('A disabled endpoint', () => {
  let app: AdminApp;
  let receiver: Receiver;
  let setting: WebhookSetting;
  let hook: Hook;

  before(async () => {
    app = await startAdminApp();
    setting = webhookSetting(app);
  });
  after(() => app.close());
  beforeEach(async () => {
    receiver = await startReceiver();
    hook = await setting.register(receiver.url);
  });
  afterEach(async () => {
    await setting.remove(hook);
    await receiver.close();
  });

  const post = async (path: string, body: object): Promise<Json> => {
    const reply: Reply = await postJson(`${app.url}/v1${path}`, body, { key: app.secretKey });
    expect(reply.status, reply.text).to.equal(200);
    return reply.json;
  };
  const get = async (path: string): Promise<Json> =>
    (await ask(`${app.url}/v1${path}`, { key: app.secretKey })).json;
  const set = (change: object): Promise<Json> => post(`/webhook_endpoints/${hook.id}`, change);

  /** Makes events. @returns their ids */
  async function publish(count: number): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let made = 0; made < count; made += 1) ids.push(await setting.publish());
    return ids;
  }

  function replayMissed({ missed_since: gte }: Json): Promise<Json> {
    return post('/replays', { endpoint: hook.id, states: ['skipped'], created: { gte } });
  }

  async function drainFor(ms: number): Promise<void> {
    await app.worker.drain();
    app.clock.advance(ms);
    await app.worker.drain();
  }

  /** How often each event was accepted by the receiver. */
  function arrived(after: number): Json {
    const counts: Record<string, number> = {};
    for (const { headers } of receiver.requests.slice(after)) {
      const id = String(headers['webhook-id']);
      counts[id] = (counts[id] ?? 0) + 1;
    }
    return counts;
  }

  const once = (ids: readonly string[]): Json => Object.fromEntries(ids.map((id) => [id, 1]));

  it('gets all that it missed by one call, each event once', async () => {
    receiver.otherwise(500);
    const waiting = await publish(2);
    await app.worker.drain();
    const failed = receiver.requests.length;
    await set({ disabled: true });
    const missed = await publish(3);
    await drainFor(MINUTE_MS);
    expect(receiver.requests).to.have.length(failed);
    receiver.otherwise(200);
    const enabled = await set({ disabled: false });
    expect(enabled).to.include({ status: 'enabled', resuming: 2, missed: 3 });
    const later = await publish(1);
    const replay = await replayMissed(enabled);
    for (let round = 0; round < 3; round += 1) await drainFor(MINUTE_MS);
    expect(arrived(failed)).to.deep.equal(once([...waiting, ...missed, ...later]));
    expect(await get(`/replays/${String(replay['id'])}`)).to.include({
      status: 'completed',
      matched: 3,
      created_count: 3,
    });
  });

  it('has missed nothing that was delivered since, when it is disabled twice in a minute', async () => {
    await set({ disabled: true });
    await publish(3);
    const first = await set({ disabled: false });
    expect(first).to.include({ missed: 3 });
    await replayMissed(first);
    for (let round = 0; round < 3; round += 1) await app.worker.drain();
    expect(receiver.requests).to.have.length(3);
    await set({ disabled: true });
    const [last] = await publish(1);
    const second = await set({ disabled: false });
    expect(second).to.include({ missed: 1 });
    const replay = await replayMissed(second);
    for (let round = 0; round < 3; round += 1) await drainFor(MINUTE_MS);
    expect(arrived(3)).to.deep.equal({ [String(last)]: 1 });
    expect(await get(`/replays/${String(replay['id'])}`)).to.include({ matched: 1 });
  });

  it('may get another URL meanwhile: what was parked goes there, and nothing to the old one', async () => {
    receiver.otherwise(500);
    const waiting = await publish(2);
    await app.worker.drain();
    const failed = receiver.requests.length;
    await set({ disabled: true });
    await app.worker.drain();
    const other = await startReceiver();
    try {
      expect(await set({ url: other.url })).to.include({
        status: 'disabled',
        disabled_reason: 'manual',
      });
      await drainFor(MINUTE_MS);
      expect([other.requests.length, receiver.requests.length]).to.deep.equal([0, failed]);
      expect(await set({ disabled: false })).to.include({ resuming: 2, missed: 0 });
      for (let round = 0; round < 3; round += 1) await drainFor(MINUTE_MS);
      expect(receiver.requests).to.have.length(failed);
      const ids = other.requests.map(({ headers }) => String(headers['webhook-id']));
      expect(ids.toSorted()).to.deep.equal([...waiting].toSorted());
    } finally {
      await other.close();
    }
  });

  it('has missed what another machine recorded, even if the clock there is behind', async () => {
    const clock = fakeClock();
    clock.advance(app.clock.shiftMs);
    app.clock.advance(30_000);
    const behind = await startHost(app, { paymount: { clock } });
    try {
      await set({ disabled: true });
      const there = webhookSetting({ url: behind.url, secretKey: app.secretKey });
      const missed = [await there.publish(), await there.publish()];
      const enabled = await set({ disabled: false });
      expect(enabled).to.include({ missed: 2 });
      await replayMissed(enabled);
      for (let round = 0; round < 3; round += 1) await drainFor(MINUTE_MS);
      expect(arrived(0)).to.deep.equal(once(missed));
    } finally {
      await behind.close();
    }
  });

  it('loses nothing while two callers disable and enable it in turn, and two workers follow', async () => {
    receiver.otherwise(500);
    await publish(1);
    await app.worker.drain();
    await addPending(COPIES);
    receiver.otherwise(200);
    const failed = receiver.requests.length;
    const other = await startHost(app, { paymount: { clock: app.clock } });
    const worker = await startWorker(other.paymount);
    try {
      const turns = async (disabled: boolean) => {
        for (let turn = 0; turn < TURNS; turn += 1) {
          const path = `${app.url}/v1/webhook_endpoints/${hook.id}`;
          const { status, text } = await postJson(path, { disabled }, { key: app.secretKey });
          // A caller that loses against the other three times in a row is asked to try again.
          if (status !== 200) expect(text).to.include('"lock_timeout"');
        }
      };
      await Promise.all([turns(true), turns(false), worker.drain(), app.worker.drain()]);
      // Nothing is parked so far if each worker came while the endpoint was enabled.
      await set({ disabled: true });
      await worker.drain();
      await set({ disabled: false });
      for (let round = 0; round < 3; round += 1) {
        await drainFor(MINUTE_MS);
        await worker.drain();
      }
    } finally {
      await worker.close();
      await other.close();
    }
    expect(await states()).to.deep.equal({ succeeded: 1 + COPIES });
    const sent = receiver.requests.slice(failed).map(({ headers }) => headers['service-delivery']);
    expect([sent.length, new Set(sent).size]).to.deep.equal([1 + COPIES, 1 + COPIES]);
  });

  it('can be deleted while its deliveries are parked: then all of them are canceled', async () => {
    receiver.otherwise(500);
    await publish(1);
    await app.worker.drain();
    await addPending(MANY);
    await set({ disabled: true });
    const parking = app.worker.drain();
    await setting.remove(hook);
    await parking;
    await app.worker.drain();
    expect(await states()).to.deep.equal({ canceled: 1 + MANY });
    hook = await setting.register(receiver.url);
  });

  it('is in the list of admins, and a failing one too, by whether it is failing', async () => {
    const ids = async (filter: string) => {
      const { status, text, json } = await app.admin(`/endpoints?${filter}`);
      expect(status, text).to.equal(200);
      return (json['data'] as readonly Json[]).map(({ id }) => id);
    };
    const healthy = await setting.register(`${receiver.url}/healthy`, ['payout.paid']);
    receiver.otherwise(500);
    await publish(1);
    await app.worker.drain();
    expect(await ids('failing=true')).to.deep.equal([hook.id]);
    expect(await ids('failing=false')).to.deep.equal([healthy.id]);
    await set({ disabled: true });
    expect(await ids('failing=true&status=disabled')).to.deep.equal([hook.id]);
    expect(await ids('failing=true&status=enabled')).to.deep.equal([]);
    await set({ disabled: false });
    expect(await ids('failing=true')).to.deep.equal([]);
    expect((await app.admin('/endpoints?failing=maybe')).error).to.include({ param: 'failing' });
    await setting.remove(healthy);
  });

  /** Copies the one delivery of the endpoint; copies are replays, which may repeat an event. */
  async function addPending(count: number): Promise<void> {
    await query(
      app.databaseUrl,
      `INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
         origin, state, attempt, due_at, created)
       SELECT account_id, livemode, 'dlv_' || lpad(n::text, 12, '0') || right(endpoint_id, 14),
         event_id, endpoint_id, event_type, 'replay', 'pending', 1, due_at, created
       FROM paymount.deliveries, generate_series(1, $2::integer) n WHERE endpoint_id = $1`,
      [hook.id, count],
    );
  }

  async function states(): Promise<Json> {
    const rows = await query<{ state: string; count: number }>(
      app.databaseUrl,
      `SELECT state, count(*)::integer AS count FROM paymount.deliveries WHERE endpoint_id = $1
       GROUP BY 1`,
      [hook.id],
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  }
});
