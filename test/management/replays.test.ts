import { expect } from 'chai';
import { type AdminApp, MOUNT, startAdminApp } from '../support/admin-app.ts';
import { postForm, type Reply } from '../support/ask.ts';
import { openReplay } from '../support/open-replay.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

describe('Replays of the management API', () => {
  let app: AdminApp;
  let receiver: Receiver;
  let endpoint: string;

  before(async () => {
    app = await startAdminApp();
    receiver = await startReceiver();
    const { id } = await app.paymount.webhookEndpoints.create(app.acting, {
      url: receiver.url,
      enabled_events: ['*'],
    });
    endpoint = id;
    for (let made = 0; made < 3; made += 1) await charge();
    await receiver.waitFor(3);
    await app.worker.drain();
  });
  after(async () => {
    await receiver.close();
    await app.close();
  });

  const charge = (): Promise<Reply> =>
    postForm(`${app.url}/v1/charges`, 'amount=500&currency=eur&source=tok_visa', {
      key: app.secretKey,
    });

  const replay = (body: object, token?: string): Promise<Reply> =>
    app.admin('/replays', {
      body: { account: app.account, livemode: false, ...body },
      ...(token === undefined ? {} : { token }),
    });

  /** Lets a worker do what is due until the replay is over. */
  async function ended(id: unknown): Promise<Reply['json']> {
    for (let tries = 0; tries < 40; tries += 1) {
      await app.worker.drain();
      const { json } = await app.admin(`/replays/${String(id)}`);
      if (json['status'] === 'completed') return json;
      app.clock.advance(250);
    }
    throw new Error('The replay does not end.');
  }

  const listed = async (path: string): Promise<readonly Record<string, unknown>[]> => {
    const { json, text } = await app.admin(path);
    expect(json['data'], text).to.be.an('array');
    return json['data'] as Record<string, unknown>[];
  };

  it('are sent by a worker, and show how far they are and how it fares', async () => {
    const before = receiver.requests.length;
    const made = await replay({ endpoint, rate: 4 });
    expect(made.status, made.text).to.equal(200);
    expect(made.json).not.to.have.property('deliveries');
    const json = await ended(made.json['id']);
    expect(json).to.deep.include({
      matched: 3,
      counting: false,
      created_count: 3,
      deliveries: { pending: 0, newest: 3, succeeded: 3, failed: 0, canceled: 0 },
    });
    const sent = receiver.requests.slice(before);
    expect(sent.map(({ headers }) => headers['service-replay'])).to.deep.equal(
      Array(3).fill('true'),
    );
    const ids = sent.map(({ headers }) => headers['webhook-id']);
    expect(ids.sort()).to.deep.equal(
      receiver.requests
        .slice(0, 3)
        .map(({ headers }) => headers['webhook-id'])
        .sort(),
    );
  });

  it('are in a list, by account, environment and status, and their deliveries in another', async () => {
    const { json } = await replay({ endpoint, dry_run: true });
    await ended(json['id']);
    const found = await listed(`/replays?account=${app.account}&livemode=false&status=completed`);
    expect(found[0]).to.include({ id: json['id'], dry_run: true, matched: 3, created_count: 0 });
    expect(found[0]).not.to.have.property('deliveries');
    expect(await listed('/replays?status=canceled')).to.deep.equal([]);
    expect(await listed('/replays?livemode=true')).to.deep.equal([]);
    const other = await app.newAccount();
    expect(await listed(`/replays?account=${other}`)).to.deep.equal([]);
    const sent = found.findLast((each) => each['created_count'] === 3);
    const deliveries = await listed(`/deliveries?replay=${String(sent?.['id'])}`);
    expect(deliveries).to.have.length(3);
    for (const delivery of deliveries) {
      expect(delivery).to.include({ replay: sent?.['id'], origin: 'replay', status: 'succeeded' });
    }
    const [fresh] = (await listed('/deliveries?limit=100')).slice(-1);
    expect(fresh).to.include({ replay: null, origin: 'event' });
    expect(await listed(`/deliveries?replay=${String(json['id'])}`)).to.deep.equal([]);
    const bad = await app.admin('/deliveries?replay=we_1');
    expect(bad.error).to.include({ code: 'parameter_invalid', param: 'replay' });
  });

  it('are asked for by a form as well, as the guide does', async () => {
    // States are known of the last 30 days.
    const gte = new Date(Date.now() - 86_400_000).toISOString();
    const created = encodeURIComponent(gte);
    const form = `account=${app.account}&livemode=false&endpoint=${endpoint}&dry_run=true&rate=7`;
    const filter = `states[]=succeeded&states[]=failed&types[]=charge.succeeded&created[gte]=${created}`;
    const authorization = `Bearer ${await app.token(['support'])}`;
    const { status, json, text } = await postForm(
      `${app.url}${MOUNT}/replays`,
      `${form}&${filter}`,
      { key: '', headers: { authorization } },
    );
    expect(status, text).to.equal(200);
    expect(json).to.deep.include({
      endpoint,
      dry_run: true,
      rate: 7,
      states: ['succeeded', 'failed'],
      types: ['charge.succeeded'],
      created_filter: { gt: null, gte, lt: null, lte: null },
    });
    expect(await ended(json['id'])).to.include({ matched: 3, created_count: 0 });
  });

  it('are made and canceled by support and above, and seen by viewers', async () => {
    for (const role of ['support', 'developer', 'admin']) {
      const made = await replay({ endpoint, dry_run: true }, await app.token([role]));
      expect(made.status, role).to.equal(200);
    }
    const viewer = await app.token(['viewer']);
    const refused = await replay({ endpoint, dry_run: true }, viewer);
    expect([refused.status, refused.error['required_permission']]).to.deep.equal([
      403,
      'deliveries.replay',
    ]);
    expect((await app.admin('/replays', { token: viewer })).status).to.equal(200);
  });

  for (const [what, body, param, code] of [
    ['no account', { account: undefined }, 'account', 'parameter_missing'],
    ['no environment', { livemode: undefined }, 'livemode', 'parameter_missing'],
    ['a rate of 0', { rate: 0 }, 'rate', 'parameter_invalid'],
    ['a rate of 1,001', { rate: 1_001 }, 'rate', 'parameter_invalid'],
    ['a rate of 1.5', { rate: 1.5 }, 'rate', 'parameter_invalid_integer'],
    ['an unknown state', { states: ['parked'] }, 'states[0]', 'parameter_invalid'],
    ['no state', { states: [] }, 'states', 'parameter_invalid'],
    ['an unknown type', { types: ['charge.*'] }, 'types[0]', 'parameter_invalid'],
    ['an unknown bound', { created: { after: 1 } }, 'created[after]', 'parameter_unknown'],
    ['a time that is none', { created: { gte: 'yesterday' } }, 'created[gte]', 'parameter_invalid'],
    ['an unknown parameter', { status: 'running' }, 'status', 'parameter_unknown'],
  ] as const) {
    it(`refuse ${what}, naming it`, async () => {
      const { status, error } = await replay({ endpoint, ...body });
      expect([status, error['code'], error['param']]).to.deep.equal([400, code, param]);
    });
  }

  it('of everything to everybody are made of no request that forgot to say so', async () => {
    const { status, error } = await replay({});
    expect([status, error['code'], error['param'], error['message']]).to.deep.equal([
      400,
      'parameter_missing',
      'created',
      'Send at least one of created[gte], types[], states[], endpoint and to. To send all events again, send created[gte]=0.',
    ]);
    expect((await replay({ dry_run: true })).json).to.include({ status: 'pending', dry_run: true });
    const { json } = await replay({ created: { gte: 0 } });
    expect(json).to.include({ status: 'pending', dry_run: false });
    expect((await app.admin(`/replays/${json['id']}/cancel`, { body: {} })).status).to.equal(200);
  });

  it('refuse an endpoint that is disabled where all would go to it', async () => {
    const url = receiver.url;
    const { webhookEndpoints } = app.paymount;
    const { id } = await webhookEndpoints.create(app.acting, { url, enabled_events: ['*'] });
    await app.admin(`/endpoints/${id}`, { body: { disabled: true } });
    for (const [param, body] of [
      ['endpoint', { endpoint: id }],
      ['to', { to: id }],
      ['to', { endpoint, to: id, dry_run: true }],
    ] as const) {
      const { status, error } = await replay(body);
      expect([status, error['code'], error['param']]).to.deep.equal([
        409,
        'endpoint_disabled',
        param,
      ]);
    }
    const judged = await replay({ endpoint: id, to: endpoint, dry_run: true });
    expect(judged.status, judged.text).to.equal(200);
  });

  it('are 10 at most in one environment that are not over', async () => {
    const { id: to } = await app.paymount.webhookEndpoints.create(app.acting, {
      url: receiver.url,
      enabled_events: ['payout.failed'],
    });
    const made: unknown[] = [];
    for (let count = 0; count < 10; count += 1) {
      made.push(await openReplay(app, { ...app.acting, url: receiver.url }));
    }
    const { status, error } = await replay({ to });
    expect([status, error['code']]).to.deep.equal([409, 'open_replays_limit_reached']);
    const live = await app.admin('/replays', {
      body: { account: app.account, livemode: true, dry_run: true },
    });
    expect(live.status, live.text).to.equal(200);
    for (const id of made) await app.admin(`/replays/${String(id)}/cancel`, { body: {} });
    expect((await replay({ to, dry_run: true })).status).to.equal(200);
  });

  it('cannot be canceled once they are completed, where nothing waits', async () => {
    const { json } = await replay({ endpoint, dry_run: true });
    await ended(json['id']);
    const { status, error } = await app.admin(`/replays/${String(json['id'])}/cancel`, {
      body: {},
    });
    expect([status, error['code']]).to.deep.equal([409, 'replay_finished']);
    expect(error['message']).to.equal(
      `Replay ${String(json['id'])} is completed, and has no pending deliveries.`,
    );
  });

  it('go on by themselves, several times a second', async function () {
    this.timeout(20_000);
    for (let made = 0; made < 5; made += 1) await charge();
    await app.worker.drain();
    const before = receiver.requests.length;
    const { json } = await replay({ endpoint, rate: 10 });
    await receiver.waitFor(before + 8, 15_000);
    // One a tenth of a second; at a step a second they would be 1 and 7.
    const made = await listed(`/deliveries?replay=${String(json['id'])}`);
    expect(made).to.have.length(8);
    expect(new Set(made.map((each) => each['created'])).size).to.be.at.least(5);
  });
});
