import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { ask, postForm, postJson, type Reply } from '../support/ask.ts';
import { query } from '../support/database.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Hook, type WebhookSetting, webhookSetting } from '../support/webhook-setting.ts';

const NOTE = 'Ada Lovelace, 12 Saint James Square';

describe('Expunging the personal data of events', () => {
  let app: AdminApp;
  let receiver: Receiver;
  let setting: WebhookSetting;
  let hook: Hook;

  before(async () => {
    app = await startAdminApp();
    receiver = await startReceiver();
    setting = webhookSetting(app);
    hook = await setting.register(receiver.url);
  });
  after(async () => {
    await receiver.close();
    await app.close();
  });

  /** A charge with personal data, whose event is delivered. */
  async function charge(): Promise<{ readonly charge: string; readonly event: string }> {
    const form = `amount=500&currency=eur&source=tok_visa&description=${encodeURIComponent(NOTE)}`;
    const made = await postForm(`${app.url}/v1/charges`, form, { key: app.secretKey });
    expect(made.status, made.text).to.equal(200);
    await app.worker.drain();
    const { json } = await v1(`/events?object_id=${String(made.json['id'])}`);
    const [event] = json['data'] as { id: string }[];
    return { charge: String(made.json['id']), event: event?.id ?? '' };
  }

  const v1 = (path: string) => ask(`${app.url}/v1${path}`, { key: app.secretKey });
  const request = (body: object, token?: string): Promise<Reply> =>
    app.admin('/expunge_requests', {
      body: { account: app.account, livemode: false, reason: 'Ticket 4711', ...body },
      ...(token === undefined ? {} : { token }),
    });
  const dataOf = ({ json }: Reply) => json['data'] as readonly Record<string, unknown>[];

  /** Lets a worker do what is due until the request has ended. */
  async function ended(reply: Reply): Promise<Reply['json']> {
    expect(reply.status, reply.text).to.equal(200);
    for (let tries = 0; tries < 100; tries += 1) {
      await app.worker.drain();
      const { json } = await app.admin(`/expunge_requests/${String(reply.json['id'])}`);
      if (json['finished_at'] !== null) return json;
    }
    throw new Error('The request does not end.');
  }

  it('deletes the bodies of the events and of what was sent and answered, and nothing else', async () => {
    receiver.script({ status: 200, body: `Thank you, ${NOTE}` });
    const made = await charge();
    const before = await v1(`/events/${made.event}`);
    expect(before.text).to.include(NOTE);
    const [delivery] = dataOf(await v1(`/deliveries?event=${made.event}`));
    const counts = (await v1('/deliveries/summary')).json['attempts'];

    const asked = await request({ object_id: made.charge });
    expect(asked.json).to.deep.equal({
      id: asked.json['id'],
      object: 'expunge_request',
      account: app.account,
      livemode: false,
      status: 'pending',
      events: null,
      object_id: made.charge,
      created_filter: null,
      reason: 'Ticket 4711',
      expunged_events: 0,
      expunged_attempts: 0,
      canceled_deliveries: 0,
      created: asked.json['created'],
      started_at: null,
      finished_at: null,
      failure: null,
    });
    expect(await ended(asked)).to.include({
      status: 'succeeded',
      expunged_events: 1,
      expunged_attempts: 1,
      canceled_deliveries: 0,
    });

    const after = await v1(`/events/${made.event}`);
    expect(after.json).to.deep.equal({
      ...before.json,
      data: { object: { id: made.charge, object: 'charge' } },
      expunged_at: after.json['expunged_at'],
    });
    const at = Date.parse(String(after.json['expunged_at']));
    expect(app.clock.now().getTime() - at).to.be.within(0, 60_000);
    expect(dataOf(await v1(`/events?object_id=${made.charge}`))).to.deep.equal([after.json]);
    const admins = await app.admin(`/events/${made.event}`);
    expect(admins.json).to.deep.equal({ ...after.json, account: app.account });
    const shown = await v1(`/deliveries/${String(delivery?.['id'])}`);
    expect(shown.json).to.deep.include({
      status: 'succeeded',
      request_body: null,
      expunged_at: after.json['expunged_at'],
    });
    const [attempt] = shown.json['attempts'] as Record<string, unknown>[];
    expect(attempt).to.deep.include({
      outcome: 'succeeded',
      response_status: 200,
      request_headers: null,
      response_headers: null,
      response_body: null,
      response_body_base64: null,
    });
    expect((await v1('/deliveries/summary')).json['attempts']).to.deep.equal(counts);
    expect(await app.paymount.charges.retrieve(app.acting, made.charge)).to.include({
      description: NOTE,
    });
  });

  it('shows times of an expunged event as Stripe does to its SDKs', async () => {
    const made = await charge();
    await ended(await request({ events: [made.event] }));
    const headers = { 'stripe-version': '2026-03-25.dahlia' };
    const { json } = await ask(`${app.url}/v1/events/${made.event}`, {
      key: app.secretKey,
      headers,
    });
    const nowSeconds = app.clock.now().getTime() / 1_000;
    expect(nowSeconds - Number(json['expunged_at'])).to.be.within(0, 60);
    expect(json['data']).to.deep.equal({ object: { id: made.charge, object: 'charge' } });
  });

  it('refuses to send an expunged event again, and passes it over in a replay of many', async () => {
    const [gone, kept] = [await charge(), await charge()];
    await ended(await request({ events: [gone.event] }));
    const one = await postJson(
      `${app.url}/v1/events/${gone.event}/replay`,
      {},
      {
        key: app.secretKey,
      },
    );
    expect([one.status, one.error['code']]).to.deep.equal([409, 'event_expunged']);
    expect(one.error['message']).to.include(gone.event);
    const admins = await app.admin(`/events/${gone.event}/replay`, { body: {} });
    expect([admins.status, admins.error['code']]).to.deep.equal([409, 'event_expunged']);

    const other = await setting.register(`${receiver.url}/other`, ['payout.paid']);
    for (const [dryRun, created] of [
      [true, 0],
      [false, 1],
    ] as const) {
      const asked = await app.admin('/replays', {
        body: {
          account: app.account,
          livemode: false,
          to: other.id,
          dry_run: dryRun,
          created: { gte: 0 },
        },
      });
      const total = dataOf(await v1('/events?limit=100'));
      const expunged = total.filter((event) => 'expunged_at' in event).length;
      const matched = total.length - expunged;
      const { json } = await completed(String(asked.json['id']));
      expect(json).to.include({ matched, skipped: expunged });
      expect(json['created_count']).to.equal(created * matched);
    }
    const paths = receiver.requests.filter(({ path }) => path === '/other');
    const sent = paths.map(({ headers }) => headers['webhook-id']);
    expect(sent).to.include(kept.event).and.not.include(gone.event);
    await setting.remove(other);
  });

  async function completed(id: string): Promise<Reply> {
    for (let tries = 0; tries < 40; tries += 1) {
      await app.worker.drain();
      const reply = await app.admin(`/replays/${id}`);
      if (reply.json['status'] === 'completed') return reply;
      app.clock.advance(250);
    }
    throw new Error('The replay does not end.');
  }

  it('cancels what waits, with the reason, so that no event is sent without its data', async () => {
    receiver.script(500);
    const waiting = await charge();
    const parked = await setting.register('https://127.0.0.1:8443/');
    const failed = await charge();
    await setting.set(parked, { disabled: true });
    await app.worker.drain();
    await query(
      app.databaseUrl,
      `UPDATE paymount.deliveries SET state = 'failed', finished_at = now()
       WHERE event_id = $1 AND endpoint_id = $2`,
      [failed.event, hook.id],
    );
    const before = receiver.requests.length;
    const done = await ended(await request({ events: [waiting.event, failed.event] }));
    expect(done).to.include({ expunged_events: 2, canceled_deliveries: 2 });
    const all = [
      ...dataOf(await v1(`/deliveries?event=${waiting.event}`)),
      ...dataOf(await v1(`/deliveries?event=${failed.event}`)),
    ];
    expect(
      all.map((each) => [each['endpoint'], each['status'], each['last_error']]),
    ).to.have.deep.members([
      [hook.id, 'canceled', 'event_expunged'],
      [parked.id, 'canceled', 'event_expunged'],
      [hook.id, 'failed', null],
    ]);
    const canceled = await v1('/deliveries?error=event_expunged');
    expect(dataOf(canceled)).to.have.length(2);
    for (const { id, status } of all) {
      const retried = await postJson(
        `${app.url}/v1/deliveries/${String(id)}/retry`,
        {},
        {
          key: app.secretKey,
        },
      );
      const code = status === 'failed' ? 'event_expunged' : 'delivery_not_pending';
      expect([retried.status, retried.error['code']]).to.deep.equal([409, code]);
    }
    await setting.set(parked, { disabled: false });
    app.clock.advance(86_400_000);
    await app.worker.drain();
    expect(receiver.requests).to.have.length(before);
    await setting.remove(parked);
  });

  it('concerns the events of a time, of one account and environment', async () => {
    const day = 86_400_000;
    app.clock.advance(10 * day);
    const from = app.clock.now();
    const [first, second] = [await charge(), await charge()];
    app.clock.advance(day);
    const later = await charge();
    const created = { gte: from.toISOString(), lt: new Date(from.getTime() + day).toISOString() };
    const stranger = await app.newAccount();
    const elsewhere = await ended(await request({ account: stranger, created }));
    expect(elsewhere).to.include({ status: 'succeeded', expunged_events: 0 });
    const asked = await request({ created });
    expect(asked.json['created_filter']).to.deep.equal({ ...created, gt: null, lte: null });
    expect(await ended(asked)).to.include({ expunged_events: 2, expunged_attempts: 2 });
    for (const [event, isExpunged] of [
      [first.event, true],
      [second.event, true],
      [later.event, false],
    ] as const) {
      const { json } = await v1(`/events/${event}`);
      expect('expunged_at' in json, event).to.equal(isExpunged);
    }
    const narrowed = await request({ created, events: [later.event], object_id: later.charge });
    expect(await ended(narrowed)).to.include({ expunged_events: 0 });
    const again = await ended(await request({ created: { gte: created.gte } }));
    expect(again).to.include({ expunged_events: 1 });
  });

  it('is in a list of requests, by account, environment and status', async () => {
    const { event } = await charge();
    const asked = await request({ events: [event] });
    await ended(asked);
    const listed = async (search: string) =>
      dataOf(await app.admin(`/expunge_requests?${search}`)).map(({ id }) => id);
    const mine = `account=${app.account}&livemode=false`;
    expect((await listed(`${mine}&status=succeeded&limit=1`))[0]).to.equal(asked.json['id']);
    expect(await listed('status=failed')).to.deep.equal([]);
    expect(await listed('livemode=true')).to.deep.equal([]);
    expect(await listed(`account=${await app.newAccount()}`)).to.deep.equal([]);
  });

  it('is audited once, with what was selected, why, and none of the data', async () => {
    const { charge: object_id } = await charge();
    const asked = await request({ object_id, reason: ' Erasure request 12 ' });
    await ended(asked);
    const { json, text } = await app.admin(`/audit?target=${String(asked.json['id'])}`);
    expect(text).to.not.include(NOTE);
    expect(json['data']).to.have.length(1);
    expect((json['data'] as object[])[0]).to.deep.include({
      action: 'expunge_request.create',
      target: asked.json['id'],
      after: { events: null, object_id, created_filter: null, reason: 'Erasure request 12' },
    });
  });

  it('leaves data that agree', async () => {
    const { paymount } = app;
    expect(await paymount.verify()).to.deep.equal([]);
  });

  for (const [what, body, param, code] of [
    ['no account', { account: undefined }, 'account', 'parameter_missing'],
    ['no environment', { livemode: undefined }, 'livemode', 'parameter_missing'],
    ['no reason', { reason: undefined }, 'reason', 'parameter_missing'],
    ['an empty reason', { reason: '' }, 'reason', 'parameter_invalid_empty'],
    ['a long reason', { reason: 'x'.repeat(501) }, 'reason', 'parameter_invalid'],
    ['no events', { events: [] }, 'events', 'parameter_invalid'],
    ['what is no id', { events: ['ch_1'] }, 'events[0]', 'resource_missing'],
    [
      'an unknown event',
      { events: ['evt_01jd00000000000000000000aa'] },
      'events[0]',
      'resource_missing',
    ],
    ['an unknown object', { object_id: 'ch_1' }, 'object_id', 'resource_missing'],
    ['a time that is none', { created: { lt: 'soon' } }, 'created[lt]', 'parameter_invalid'],
    ['no condition', {}, 'events', 'parameter_missing'],
    ['no bound', { created: {} }, 'events', 'parameter_missing'],
    ['an unknown parameter', { object: 'ch_1' }, 'object', 'parameter_unknown'],
  ] as const) {
    it(`refuses ${what}, naming it`, async () => {
      const selected = 'events' in body || 'object_id' in body || 'created' in body;
      const some = selected || what === 'no condition' ? {} : { created: { gte: 0 } };
      const { status, error } = await request({ ...some, ...body });
      expect([status, error['code'], error['param']]).to.deep.equal([400, code, param]);
    });
  }

  it('is for admins of that permission, freshly logged in, with a token of one use', async () => {
    const { event } = await charge();
    const body = { events: [event] };
    for (const role of ['viewer', 'support', 'developer', 'security']) {
      const refused = await request(body, await app.token([role]));
      expect([refused.status, refused.error['required_permission']], role).to.deep.equal([
        403,
        'events.expunge',
      ]);
    }
    const old = Math.floor(app.clock.now().getTime() / 1_000) - 700;
    const stale = await app.token(['admin'], { auth_time: old });
    const live = await request({ created: { gte: 0 }, livemode: true }, stale);
    expect([live.status, live.error['code']]).to.deep.equal([
      401,
      'insufficient_user_authentication',
    ]);
    const token = await app.token(['admin']);
    expect((await request(body, token)).status).to.equal(200);
    expect((await request(body, token)).status).to.equal(401);
  });
});
