import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postJson, type Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Hook, type WebhookSetting, webhookSetting } from '../support/webhook-setting.ts';

type Json = Readonly<Record<string, unknown>>;

describe('The log of deliveries', () => {
  let app: TestApp;
  let clock: FakeClock;
  let receiver: Receiver;
  let setting: WebhookSetting;
  let hook: Hook;

  beforeEach(async () => {
    clock = fakeClock();
    app = await startApp({ paymount: { clock } });
    receiver = await startReceiver();
    setting = webhookSetting(app);
    hook = await setting.register(`${receiver.url}/hook`);
  });
  afterEach(async () => {
    await app.close();
    await receiver.close();
  });

  const get = (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
    ask(`${app.url}/v1${path}`, { key: app.secretKey, headers });

  async function list(filter: string): Promise<readonly Json[]> {
    const reply = await get(`/deliveries?${filter}`);
    expect(reply.status, reply.text).to.equal(200);
    return reply.json['data'] as Json[];
  }

  async function publish(): Promise<string> {
    const event = await setting.publish();
    await app.worker.drain();
    return event;
  }

  const deliveryOf = async (event: string): Promise<Json> =>
    (await list(`event=${event}`))[0] as Json;
  const logOf = async (event: string): Promise<Json> =>
    (await get(`/deliveries/${String((await deliveryOf(event))['id'])}`)).json;
  const attemptsOf = async (event: string): Promise<readonly Json[]> =>
    (await logOf(event))['attempts'] as Json[];

  it('shows what was sent, byte for byte, what came back, and how long each phase took', async () => {
    receiver.script({ status: 500, headers: { 'x-why': 'because' }, body: 'Not now, café.' });
    const event = await publish();
    clock.advance(400_000);
    await app.worker.drain();
    const log = await logOf(event);
    const [request] = receiver.requests;
    const [second, first] = log['attempts'] as [Json, Json];
    expect(log).to.include({ object: 'delivery', status: 'succeeded', attempt: 2, event });
    expect(log).not.to.have.property('account');
    expect(log['request_body']).to.equal(request?.body.toString('utf8'));
    expect(first).to.deep.include({
      object: 'delivery_attempt',
      attempt: 1,
      outcome: 'failed',
      error_code: 'http_status',
      url: hook.url,
      remote_address: '127.0.0.1',
      response_status: 500,
      response_body: 'Not now, café.',
      response_body_base64: null,
      response_truncated: false,
      reused_connection: false,
      redialed: false,
    });
    expect(first['response_headers']).to.include({ 'x-why': 'because' });
    for (const phase of ['duration_ms', 'connect_ms', 'wait_ms']) {
      expect(first[phase], phase).to.be.a('number');
    }
    for (const [name, value] of Object.entries(first['request_headers'] as object)) {
      expect(request?.headers[name.toLowerCase()], name).to.equal(value);
    }
    expect(first['request_headers']).to.include.keys('Service-Signature', 'webhook-signature');
    expect(second).to.include({ attempt: 2, outcome: 'succeeded', response_status: 200 });
    expect(JSON.stringify(log)).to.not.include(hook.secret);
  });

  it('shows the body in the form in which an endpoint with a version of Stripe gets it', async () => {
    const stripe = { url: `${receiver.url}/stripe`, enabled_events: ['*'] };
    const more = { key: app.secretKey };
    const made = await postJson(
      `${app.url}/v1/webhook_endpoints`,
      { ...stripe, api_version: '2024-06-20' },
      more,
    );
    const event = await publish();
    const [delivery] = await list(`event=${event}&endpoint=${String(made.json['id'])}`);
    const { json } = await get(`/deliveries/${String(delivery?.['id'])}`);
    const sent = receiver.requests.find(({ path }) => path === '/stripe');
    expect(json['request_body']).to.equal(sent?.body.toString('utf8'));
    expect(json['request_body']).to.include('"api_version":"2024-06-20"');
  });

  it('shows the first 16 KiB of a response, and bytes that are not UTF-8 in base64', async () => {
    receiver.script({ status: 500, body: `${'a'.repeat(16_383)}é and more` });
    const [long] = await attemptsOf(await publish());
    expect(long).to.include({ response_body: 'a'.repeat(16_383), response_truncated: true });
    receiver.script({ status: 500, body: Buffer.from([0xff, 0x00, 0xfe]) });
    const [binary] = await attemptsOf(await publish());
    expect(binary).to.include({ response_body: null, response_body_base64: '/wD+' });
    receiver.script({ status: 500, body: Buffer.from([0x61, 0xc3]) });
    const [broken] = await attemptsOf(await publish());
    expect(broken).to.include({ response_body: null, response_body_base64: 'YcM=' });
  });

  it('stores and shows a response without the secrets and cookies that its server repeats', async () => {
    receiver.script({
      status: 500,
      headers: { 'x-seen': `Bearer ${app.secretKey}`, 'set-cookie': ['a=1; Path=/', 'b=2'] },
      body: `{"key":"${app.secretKey}","signing":"${hook.secret}","order":"A17"}`,
    });
    const [attempt] = await attemptsOf(await publish());
    expect(attempt?.['response_headers']).to.include({
      'x-seen': 'Bearer [secret]',
      'set-cookie': '[secret]',
    });
    expect(attempt?.['response_body']).to.equal(
      '{"key":"[secret]","signing":"[secret]","order":"A17"}',
    );
    const [stored] = await query(
      app.databaseUrl,
      `SELECT convert_from(response_body, 'utf8') || response_headers AS text
         FROM paymount.delivery_attempts`,
    );
    expect(stored?.['text']).to.include('A17').and.not.include(app.secretKey.slice(0, 16));
    expect(stored?.['text']).not.to.include(hook.secret.slice(0, 12));
    expect(stored?.['text']).not.to.include('a=1');
  });

  it('shows what an earlier version stored without the secrets, too', async () => {
    receiver.script({ status: 500, body: 'x' });
    const event = await publish();
    await query(app.databaseUrl, 'UPDATE paymount.delivery_attempts SET response_body = $1', [
      Buffer.from(`key: ${app.secretKey}`),
    ]);
    const [attempt] = await attemptsOf(event);
    expect(attempt?.['response_body']).to.equal('key: [secret]');
  });

  it('shows no headers of an attempt whose process died', async () => {
    const event = await publish();
    await query(
      app.databaseUrl,
      `UPDATE paymount.delivery_attempts SET outcome = 'unknown', request_headers = '{}'`,
    );
    expect((await attemptsOf(event))[0]).to.include({ outcome: 'unknown', request_headers: null });
  });

  it('is in Unix seconds for a caller that sends Stripe-Version', async () => {
    const { id } = await deliveryOf(await publish());
    const { json } = await get(`/deliveries/${String(id)}`, { 'stripe-version': '2024-06-20' });
    const [attempt] = json['attempts'] as Json[];
    expect(json['created']).to.be.a('number');
    expect(attempt?.['started_at']).to.be.a('number');
    expect(json['request_body']).to.include('"created":"20');
  });

  describe('of deliveries that ended in different ways', () => {
    let other: Hook;
    let failing: string;
    let refused: string;
    let good: string;
    let skipped: string;

    beforeEach(async () => {
      good = await publish();
      clock.advance(1_000);
      receiver.script(503);
      failing = await publish();
      clock.advance(1_000);
      receiver.script('reset');
      refused = await publish();
      await setting.remove(hook);
      other = await setting.register(`${receiver.url}/other`, ['charge.*']);
      await setting.set(other, { disabled: true });
      clock.advance(1_000);
      skipped = await publish();
    });

    const eventsIn = async (filter: string): Promise<unknown[]> =>
      (await list(filter)).map(({ event }) => event);

    it('finds them by each filter, and by several at once', async () => {
      const first = await deliveryOf(good);
      const created = String((await deliveryOf(failing))['created']);
      const [object] = await query<{ object_id: string }>(
        app.databaseUrl,
        `SELECT object_id FROM paymount.events WHERE id = '${failing}'`,
      );
      const found: Readonly<Record<string, readonly string[]>> = {
        '': [skipped, refused, failing, good],
        [`event=${good}`]: [good],
        [`object_id=${object?.object_id}`]: [failing],
        [`object_id=${object?.object_id}&event=${good}`]: [],
        [`endpoint=${hook.id}`]: [refused, failing, good],
        [`endpoint=${other.id}`]: [skipped],
        'type=charge.succeeded': [skipped, refused, failing, good],
        'type=charge.failed': [],
        [`type=charge.succeeded&endpoint=${hook.id}`]: [refused, failing, good],
        'status=succeeded': [good],
        'status=canceled': [refused, failing],
        'status=skipped&type=charge.succeeded': [skipped],
        'status=pending': [],
        'status_class=2xx': [good],
        'status_class=2xx&status=canceled': [],
        'status_class=5xx': [failing],
        'status_class=4xx': [],
        [`status_class=5xx&endpoint=${hook.id}&error=http_status`]: [failing],
        'error=connection': [refused],
        'error=http_status': [failing],
        'error=timeout': [],
        [`error=connection&endpoint=${other.id}`]: [],
        [`created[gte]=${created}`]: [skipped, refused, failing],
        [`created[lt]=${created}`]: [good],
        [`created[gt]=${created}&status=canceled`]: [refused],
        [`event=${failing}&status=succeeded`]: [],
      };
      for (const [filter, events] of Object.entries(found)) {
        expect(await eventsIn(filter), filter).to.deep.equal(events);
      }
      expect(first).to.include({ last_status: 200, last_error: null, replay: null });
    });

    it('is read page by page in both directions, whatever the filter', async () => {
      for (const filter of ['', '&type=charge.succeeded']) {
        const all = await list(`limit=100${filter}`);
        const ids = all.map(({ id }) => id);
        const two = await list(`limit=2${filter}`);
        expect(two.map(({ id }) => id)).to.deep.equal(ids.slice(0, 2));
        const rest = await get(`/deliveries?limit=2${filter}&starting_after=${String(ids[1])}`);
        expect((rest.json['data'] as Json[]).map(({ id }) => id)).to.deep.equal(ids.slice(2));
        expect(rest.json).to.include({ has_more: false, url: '/v1/deliveries' });
        const back = await list(`limit=2${filter}&ending_before=${String(ids[3])}`);
        expect(back.map(({ id }) => id)).to.deep.equal(ids.slice(1, 3));
      }
    });

    it('says what a filter by event takes, when it gets a part of an id or a type', async () => {
      for (const [query, message] of [
        ['event=evt_...', 'event is not a whole id: send evt_ and the 26 characters after it.'],
        ['event=ch_1', 'event must be an id that begins with evt_.'],
        [
          'event=charge.succeeded',
          'event is the id of an event; to filter by its type, send type=charge.succeeded.',
        ],
      ]) {
        const { status, error } = await get(`/deliveries?${query}`);
        expect([status, error['param'], error['message']]).to.deep.equal([400, 'event', message]);
      }
      const { error } = await postJson(
        `${app.url}/v1/webhook_endpoints`,
        { url: `${receiver.url}/hook`, enabled_events: ['evt_01m8fcm7gze7pasdbxtmp5t4c7'] },
        { key: app.secretKey },
      );
      expect([error['code'], error['param'], error['message']]).to.deep.equal([
        'event_type_unknown',
        'enabled_events[0]',
        'An event type is a text such as charge.succeeded, not the id of an event.',
      ]);
    });

    it('refuses filters that it does not understand, naming them', async () => {
      for (const [filter, code, param] of [
        ['endpoint=evt_1', 'parameter_invalid', 'endpoint'],
        ['status=unknown', 'parameter_invalid', 'status'],
        ['status_class=200', 'parameter_invalid', 'status_class'],
        ['error=none', 'parameter_invalid', 'error'],
        ['state=failed', 'parameter_unknown', 'state'],
      ]) {
        const { status, error } = await get(`/deliveries?${filter}`);
        expect([status, error['code'], error['param']], filter).to.deep.equal([400, code, param]);
      }
    });
  });

  it('tells events that an endpoint has not received from those that all have', async () => {
    const eventsWith = async (isDelivered: boolean) => {
      const { json } = await get(`/events?delivery_success=${isDelivered}`);
      return (json['data'] as Json[]).map(({ id }) => id);
    };
    const replay = (event: string, endpoint: Hook) =>
      postJson(
        `${app.url}/v1/events/${event}/replay`,
        { endpoint: endpoint.id },
        { key: app.secretKey },
      );
    const second = await setting.register(`${receiver.url}/second`);
    const unsubscribed = await setting.register(`${receiver.url}/none`, ['payout.paid']);
    const good = await publish();
    receiver.otherwise(({ path }) => (path === '/none' ? 200 : 500));
    const bad = await publish();
    expect(await eventsWith(false)).to.deep.equal([bad]);
    expect(await eventsWith(true)).to.deep.equal([good]);
    await replay(bad, unsubscribed);
    await replay(good, hook);
    await app.worker.drain();
    // An endpoint that was not subscribed counts for nothing, and what was received stays received.
    expect(await eventsWith(false)).to.deep.equal([bad]);
    expect(await eventsWith(true)).to.deep.equal([good]);
    receiver.otherwise(200);
    await replay(bad, hook);
    await app.worker.drain();
    expect(await eventsWith(false)).to.deep.equal([bad]);
    await replay(bad, second);
    await app.worker.drain();
    expect(await eventsWith(false)).to.deep.equal([]);
    expect(await eventsWith(true)).to.deep.equal([bad, good]);
  });

  it('makes a delivery due now when it is retried, with the same number', async () => {
    receiver.script(500);
    const event = await publish();
    const { id } = await deliveryOf(event);
    const path = `${app.url}/v1/deliveries/${String(id)}/retry`;
    const key = { 'idempotency-key': 'again' };
    const retried = await postJson(path, {}, { key: app.secretKey, headers: key });
    expect(retried.json).to.include({ id, status: 'pending', attempt: 2 });
    const repeated = await postJson(path, {}, { key: app.secretKey, headers: key });
    expect(repeated.text).to.equal(retried.text);
    await app.worker.drain();
    expect(receiver.requests[1]?.headers).to.include({
      'service-attempt': '2',
      'service-delivery': id,
    });
    const refusal = await postJson(path, {}, { key: app.secretKey });
    expect([refusal.status, refusal.error['code']]).to.deep.equal([409, 'delivery_not_pending']);
  });
});
