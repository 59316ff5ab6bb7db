import { connect } from 'node:net';
import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postForm } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { makeAccount, makeKey } from '../support/credentials.ts';
import { openStream, type StreamClient } from '../support/event-stream.ts';
import { eventually } from '../support/eventually.ts';
import { LiveBank } from '../support/live-bank.ts';
import { type StoredEvent, storeEvents } from '../support/store-event.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** The id of no event: a time, and zeros. */
const BEGINNING = /^retry: 2000\n\nid: (evt_[0-9a-z]{10}0{16})\n\n/;

describe('the event stream', () => {
  let app: TestApp;
  let clock: FakeClock;
  let url: string;
  const open = new Set<StreamClient>();

  before(async () => {
    clock = fakeClock();
    app = await startApp({
      paymount: { clock, processors: { live: new LiveBank(clock) } },
      mount: (host, paymount) => {
        host.use('/test', paymount.router({ environment: 'test' }));
        host.use('/live', paymount.router({ environment: 'live' }));
      },
    });
    url = `${app.url}/test/v1/events/stream`;
  });
  afterEach(() => {
    for (const client of open) client.close();
    open.clear();
  });
  after(() => app.close());

  async function follow(
    query = '',
    { key = app.secretKey, lastEventId }: { key?: string; lastEventId?: string } = {},
  ): Promise<StreamClient> {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const client = await openStream(url + query, key, headers);
    open.add(client);
    return client;
  }

  const store = (...events: readonly Omit<StoredEvent, 'account'>[]): Promise<readonly string[]> =>
    storeEvents(app.databaseUrl, ...events.map((event) => ({ account: app.account, ...event })));

  const toIds = ({ events }: StreamClient): unknown[] => events.map(({ id }) => id);

  async function charge(): Promise<string> {
    const sale = 'amount=4200&currency=eur&source=tok_visa&metadata[note]=caf%C3%A9%0Aline';
    const { json } = await postForm(`${app.url}/test/v1/charges`, sale, { key: app.secretKey });
    return String(json['id']);
  }

  it('sends each event as it is recorded, in the exact bytes that are delivered', async () => {
    const client = await follow();
    expect(client.status).to.equal(200);
    expect(client.headers).to.include({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    await client.until(/^retry: 2000\n\n/);
    const [one, two] = [await charge(), await charge()];
    const events = await client.waitFor(2);
    const listed = await ask(`${app.url}/test/v1/events?limit=2`, { key: app.secretKey });
    const envelopes = listed.json['data'] as { id: string; data: { object: { id: string } } }[];
    expect(events.map(({ id }) => id)).to.deep.equal(envelopes.map(({ id }) => id).reverse());
    expect(events.map(({ data }) => JSON.parse(data ?? ''))).to.deep.equal(envelopes.reverse());
    expect(envelopes.map(({ data }) => data.object.id)).to.deep.equal([one, two]);
    expect(events.map((block) => Object.keys(block))).to.deep.equal([
      ['id', 'data'],
      ['id', 'data'],
    ]);
  });

  it('sends nothing of what was there before, but says where it begins', async () => {
    await store({ ageMs: 2 }, {});
    const client = await follow();
    await client.until(BEGINNING);
    const [next] = await store({});
    expect((await client.waitFor(1)).map(({ id }) => id)).to.deep.equal([next]);
  });

  it('says where it begins to an account without any event, too, so that a cut loses nothing', async () => {
    const account = await makeAccount(app.paymount, 'A new shop');
    const { secret: key } = await makeKey(app.paymount, account);
    const client = await follow('', { key });
    await client.until(BEGINNING);
    client.close();
    const [missed] = await storeEvents(app.databaseUrl, { account });
    const lastEventId = String(BEGINNING.exec(client.text)?.[1]);
    const again = await follow('', { key, lastEventId });
    await again.waitFor(1);
    expect(toIds(again)).to.deep.equal([missed]);
    await again.until(/\n\nid: evt_[0-9a-z]{10}0{16}\n\n$/);
  });

  it('loses no event that commits after one with a greater id, for five minutes', async () => {
    const client = await follow();
    const [first] = await store({});
    await client.waitFor(1);
    const late = await store({ ageMs: 4 * MINUTE }, { ageMs: MINUTE });
    clock.advance(10_000);
    await client.waitFor(3);
    await store({ ageMs: 6 * MINUTE });
    const [last] = await store({});
    clock.advance(10_000);
    await client.waitFor(4);
    expect(toIds(client)).to.deep.equal([first, ...late, last]);
  });

  it('goes on five minutes before the event that a client had last', async () => {
    const [, inWindow, had, next] = await store(
      { ageMs: 66 * MINUTE },
      { ageMs: 64 * MINUTE },
      { ageMs: 60 * MINUTE },
      { ageMs: 50 * MINUTE },
    );
    const client = await follow('', { lastEventId: String(had) });
    await client.waitFor(3);
    expect(toIds(client).slice(0, 3)).to.deep.equal([inWindow, had, next]);
  });

  it('goes on through any number of events, each once', async () => {
    const account = await makeAccount(app.paymount, 'A busy shop');
    const { secret } = await makeKey(app.paymount, account);
    const many = Array.from({ length: 2_500 }, (_, index) => ({
      account,
      ageMs: 10 * MINUTE - index * 100,
    }));
    const ids = await storeEvents(app.databaseUrl, { account, ageMs: 11 * MINUTE }, ...many);
    const client = await follow('', { key: secret, lastEventId: String(ids[0]) });
    await client.waitFor(ids.length);
    const [fresh] = await storeEvents(app.databaseUrl, { account });
    await client.waitFor(ids.length + 1);
    expect(toIds(client)).to.deep.equal([...ids, fresh]);
  });

  it('refuses a cursor that is not an id of the last 30 days', async () => {
    const [old, young] = await store({ ageMs: 30 * DAY + MINUTE }, { ageMs: 30 * DAY - MINUTE });
    for (const lastEventId of [old, 'evt_1', 'x', `${young},${young}`, `${young}z`]) {
      const { status, error } = await ask(url, {
        key: app.secretKey,
        headers: { 'last-event-id': String(lastEventId) },
      });
      expect([status, error['code']], lastEventId).to.deep.equal([400, 'invalid_cursor']);
      expect(error['message']).to.match(/^Last-Event-ID is not an id that this stream sent/);
    }
    const client = await follow('', { lastEventId: String(young) });
    expect(client.status).to.equal(200);
  });

  it('takes a cursor for a place in time, and tells nothing of what others have', async () => {
    const account = await makeAccount(app.paymount, 'A curious shop');
    const { secret: key } = await makeKey(app.paymount, account);
    const [had, next] = await storeEvents(app.databaseUrl, { account, ageMs: 10 }, { account });
    const [foreign] = await store({});
    const [live] = await storeEvents(app.databaseUrl, { account, livemode: true });
    const clients: StreamClient[] = [];
    const unknown = `${String(had).slice(0, -4)}0000`;
    for (const lastEventId of [had, foreign, live, unknown]) {
      const client = await follow('', { key, lastEventId: String(lastEventId) });
      await client.until(/\n\nid: evt_[0-9a-z]{10}0{16}\n\n$/);
      clients.push(client);
    }
    expect(clients.map(toIds)).to.deep.equal(Array(4).fill([had, next]));
  });

  it('sends only what a type or a family selects', async () => {
    const client = await follow('?types[]=charge.failed&types[]=payout.*');
    const [, failed, paid] = await store(
      { ageMs: 3 },
      { ageMs: 2, type: 'charge.failed' },
      { ageMs: 1, type: 'payout.paid' },
      { type: 'dispute.created' },
    );
    await client.waitFor(2);
    const [again] = await store({ type: 'payout.failed' });
    await client.waitFor(3);
    expect(toIds(client)).to.deep.equal([failed, paid, again]);
    const { status, error } = await ask(`${url}?types[]=charge.suceeded`, { key: app.secretKey });
    expect([status, error['code'], error['param']]).to.deep.equal([
      400,
      'event_type_unknown',
      'types[0]',
    ]);
    expect(error['message']).to.include('did you mean charge.succeeded?');
  });

  it('never sends events of another account, or of live', async () => {
    const stranger = await makeAccount(app.paymount, 'A neighbour');
    const client = await follow();
    await storeEvents(app.databaseUrl, { account: stranger });
    await store({ livemode: true });
    const [mine] = await store({});
    await client.waitFor(1);
    expect(toIds(client)).to.deep.equal([mine]);
  });

  it('is for test alone', async () => {
    const { secret } = await makeKey(app.paymount, app.account, { environment: 'live' });
    const { status, error } = await ask(`${app.url}/live/v1/events/stream`, { key: secret });
    expect([status, error['code']]).to.deep.equal([400, 'test_mode_only']);
  });

  it('is open ten times per account at most, and a place is free once its client has gone', async () => {
    const account = await makeAccount(app.paymount, 'A shop with many terminals');
    const { secret: key } = await makeKey(app.paymount, account);
    const clients = await Promise.all(Array.from({ length: 10 }, () => follow('', { key })));
    expect(clients.map(({ status }) => status)).to.deep.equal(Array(10).fill(200));
    const refused = await ask(url, { key });
    expect([refused.status, refused.error['code']]).to.deep.equal([429, 'rate_limit']);
    expect(refused.headers['retry-after']).to.equal('10');
    expect(refused.error['message']).to.include('10 event streams open');
    expect((await follow()).status, 'of another account').to.equal(200);
    clients[0]?.close();
    await eventually(
      async () => (await follow('', { key })).status,
      (status) => status === 200,
    );
  });

  it('frees the places of requests that waited for their turn on a connection that is gone', async () => {
    const account = await makeAccount(app.paymount, 'A shop in a hurry');
    const { secret: key } = await makeKey(app.paymount, account);
    const socket = connect(app.port, '127.0.0.1');
    const head = `Host: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    socket.on('error', () => undefined).on('data', () => undefined);
    socket.write(`GET /test/v1/events/stream HTTP/1.1\r\n${head}`.repeat(10));
    const follows = async (): Promise<number> => {
      const client = await follow('', { key });
      client.close();
      return client.status;
    };
    await eventually(follows, (status) => status === 429);
    socket.destroy();
    await eventually(follows, (status) => status === 200);
    const clients = await Promise.all(Array.from({ length: 10 }, () => follow('', { key })));
    expect(clients.map(({ status }) => status)).to.deep.equal(Array(10).fill(200));
  });

  it('does not count a refused request or a HEAD request', async () => {
    const account = await makeAccount(app.paymount, 'A clumsy shop');
    const { secret: key } = await makeKey(app.paymount, account);
    for (let count = 0; count < 12; count += 1) {
      const refused = await ask(url, { key, headers: { 'last-event-id': 'evt_none' } });
      expect(refused.status).to.equal(400);
      const head = await ask(url, { key, method: 'HEAD' });
      expect([head.status, head.text]).to.deep.equal([200, '']);
      expect(head.headers['content-type']).to.equal('text/event-stream; charset=utf-8');
    }
    expect((await follow('', { key })).status).to.equal(200);
  });

  it('ends, saying why, once its key is revoked', async () => {
    const { id, secret } = await makeKey(app.paymount, app.account);
    const client = await follow('', { key: secret });
    await store({});
    await client.waitFor(1);
    await app.paymount.keys.revoke(id, { reason: 'owner' });
    const revokedMs = performance.now();
    await client.ended();
    expect(performance.now() - revokedMs).to.be.below(1_500);
    const { event, data } = client.events.at(-1) ?? {};
    expect([event, JSON.parse(data ?? '')]).to.deep.equal([
      'end',
      {
        code: 'credential_revoked',
        reason: 'api_key_revoked',
        message: JSON.parse(data ?? '').message,
      },
    ]);
    expect(client.text).to.not.include(secret.slice(0, -4));
  });

  it('ends once its account is suspended, its scope or address taken or its key expired', async () => {
    const reasons: Record<string, (key: string, account: string) => Promise<unknown>> = {
      account_disabled: (_, account) => app.paymount.accounts.suspend(account),
      insufficient_scope: (key) => app.paymount.keys.update(key, { scopes: ['charges:read'] }),
      ip_not_allowed: (key) =>
        app.paymount.keys.update(key, {
          allowed_ips: ['10.0.0.0/8'],
          confirm_lockout: true,
        }),
      api_key_expired: (key) =>
        app.paymount.keys.update(key, { expires_at: clock.now().toISOString() }),
    };
    for (const [reason, change] of Object.entries(reasons)) {
      const account = await makeAccount(app.paymount, reason);
      const scopes = ['webhooks:write', 'charges:read'] as const;
      const facts = { type: 'restricted', scopes } as const;
      const { id, secret } = await makeKey(app.paymount, account, facts);
      const client = await follow('', { key: secret });
      await change(id, account);
      await client.ended();
      const [end] = client.events;
      expect(JSON.parse(end?.['data'] ?? '{}'), client.text).to.include({
        code: 'credential_revoked',
        reason,
      });
    }
  });

  it('says every 15 s that it is there, and ends after an hour', async () => {
    const client = await follow();
    await client.until(/retry/);
    clock.advance(15_000);
    await client.until(/\n\n: still here\n\n$/);
    clock.advance(60 * MINUTE - 30_000);
    await client.until(/(: still here\n\n){2}$/);
    clock.advance(15_000);
    await client.ended();
    expect(client.events).to.deep.equal([]);
  });
});

describe('event streams of a mount that closes', () => {
  it('end, so that the server can close', async () => {
    const app = await startApp();
    try {
      const clients = await Promise.all(
        Array.from({ length: 3 }, () => openStream(`${app.url}/v1/events/stream`, app.secretKey)),
      );
      await clients[0]?.until(/retry/);
      void app.paymount.close();
      await Promise.all(clients.map((client) => client.ended()));
      const late = await ask(`${app.url}/v1/events/stream`, { key: app.secretKey });
      expect(late.status).to.equal(503);
    } finally {
      await app.close();
    }
  });
});

describe('event streams of a process', () => {
  it('are limited to a hundred in all', async function () {
    this.timeout(30_000);
    const app = await startApp();
    const clients: StreamClient[] = [];
    try {
      const url = `${app.url}/v1/events/stream`;
      for (let count = 0; count < 10; count += 1) {
        const account = await makeAccount(app.paymount, `Shop ${count}`);
        const { secret } = await makeKey(app.paymount, account);
        const ten = Array.from({ length: 10 }, () => openStream(url, secret));
        clients.push(...(await Promise.all(ten)));
      }
      expect(clients.map(({ status }) => status)).to.deep.equal(Array(100).fill(200));
      const refused = await ask(url, { key: app.secretKey });
      expect([refused.status, refused.error['code']]).to.deep.equal([429, 'rate_limit']);
      expect(refused.headers['retry-after']).to.equal('10');
      expect(refused.error['message']).to.include('This process has 100 event streams open');
    } finally {
      for (const client of clients) client.close();
      await app.close();
    }
  });
});
