import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postJson, type Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Hook, type WebhookSetting, webhookSetting } from '../support/webhook-setting.ts';

type Json = Readonly<Record<string, unknown>>;

describe('Replays of a merchant', () => {
  let app: TestApp;
  let clock: FakeClock;
  let receiver: Receiver;
  let setting: WebhookSetting;
  let hook: Hook;

  before(async () => {
    clock = fakeClock();
    app = await startApp({ paymount: { clock } });
    receiver = await startReceiver();
    setting = webhookSetting(app);
    hook = await setting.register(receiver.url);
    for (let made = 0; made < 3; made += 1) await setting.publish();
    await receiver.waitFor(3);
    await app.worker.drain();
  });
  after(async () => {
    await app.close();
    await receiver.close();
  });

  const get = (path: string): Promise<Reply> => ask(`${app.url}/v1${path}`, { key: app.secretKey });
  const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Reply> =>
    postJson(`${app.url}/v1${path}`, body, { key: app.secretKey, headers });

  /** Lets a worker do what is due until the replay is over. */
  async function ended(id: unknown): Promise<Json> {
    for (let tries = 0; tries < 40; tries += 1) {
      await app.worker.drain();
      const { json } = await get(`/replays/${String(id)}`);
      if (json['status'] === 'completed') return json;
      clock.advance(250);
    }
    throw new Error('The replay does not end.');
  }

  it('send events again, and show how far they are and how their deliveries ended', async () => {
    const body = { endpoint: hook.id, rate: 4 };
    const made = await post('/replays', body, { 'idempotency-key': 'once' });
    expect(made.status, made.text).to.equal(200);
    expect(made.json).to.include({ object: 'replay', livemode: false, endpoint: hook.id });
    expect(made.json).not.to.have.any.keys('account', 'deliveries');
    const repeated = await post('/replays', body, { 'idempotency-key': 'once' });
    expect(repeated.text).to.equal(made.text);
    expect(await ended(made.json['id'])).to.deep.include({
      status: 'completed',
      matched: 3,
      created_count: 3,
      deliveries: { pending: 0, newest: 3, succeeded: 3, failed: 0, canceled: 0 },
    });
    const { json } = await get(`/deliveries?replay=${String(made.json['id'])}`);
    expect((json['data'] as Json[]).map(({ origin }) => origin)).to.deep.equal(
      Array(3).fill('replay'),
    );
  });

  it('only count the events in a dry run, and are in a list by status and time', async () => {
    clock.advance(60_000);
    const { json } = await post('/replays', { dry_run: true });
    const done = await ended(json['id']);
    expect(done).to.include({ dry_run: true, matched: 3, created_count: 0 });
    const idsOf = async (filter: string) => {
      const list = await get(`/replays?${filter}`);
      return (list.json['data'] as Json[]).map(({ id }) => id);
    };
    const created = String(done['created']);
    expect(await idsOf(`status=completed&created[gte]=${created}`)).to.deep.equal([json['id']]);
    expect(await idsOf('status=canceled')).to.deep.equal([]);
    expect(await idsOf(`created[lt]=${created}`)).to.not.include(json['id']);
  });

  it('can be canceled, once', async () => {
    await setting.set(hook, { disabled: false });
    receiver.otherwise(500);
    const { json } = await post('/replays', { endpoint: hook.id, rate: 1 });
    await app.worker.drain();
    const canceled = await post(`/replays/${String(json['id'])}/cancel`, {});
    expect(canceled.json).to.include({ id: json['id'], status: 'canceled' });
    const again = await post(`/replays/${String(json['id'])}/cancel`, {});
    expect([again.status, again.error['code']]).to.deep.equal([409, 'replay_finished']);
  });

  it('refuse a request that forgot to say which events', async () => {
    const { status, error } = await post('/replays', {});
    expect([status, error['code'], error['param']]).to.deep.equal([
      400,
      'parameter_missing',
      'created',
    ]);
  });
});
