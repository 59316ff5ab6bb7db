import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import Stripe from 'stripe';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postJson, type Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { openStream } from '../support/event-stream.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

type Fields = Record<string, unknown>;
type EventJson = Fields & { readonly data: { readonly object: Fields } };

const VERSION = { 'stripe-version': '2025-09-30.clover' };
const NOON = '2026-11-21T12:00:00.250Z';
const NOON_SECONDS = 1_795_262_400;
/** Texts of a caller's that look like times, and names that look like members of resources. */
const METADATA = { object: 'charge', created: '2026-11-21T09:30:00.000Z', '7': '1795262400' };

describe('A request with Stripe-Version', () => {
  let app: TestApp;

  before(async () => {
    app = await startApp({ paymount: { clock: fakeClock(NOON) } });
  });
  after(() => app.close());

  const get = (path: string, headers = {}): Promise<Reply> =>
    ask(`${app.url}/v1${path}`, { key: app.secretKey, headers });
  const post = (path: string, body: object, headers = {}): Promise<Reply> =>
    postJson(`${app.url}/v1${path}`, body, { key: app.secretKey, headers });
  const charge = async (more: Fields = {}): Promise<Fields> =>
    (await post('/charges', { amount: 4200, currency: 'eur', source: 'tok_visa', ...more })).json;

  it('is answered with Unix seconds, and one without it with ISO 8601', async () => {
    const { id } = await charge({ capture: false });
    const inSeconds = await get(`/charges/${id}`, VERSION);
    expect(inSeconds.json).to.include({ created: NOON_SECONDS, amount: 4200 });
    expect(inSeconds.json['capture_before']).to.be.a('number');
    expect(Number(inSeconds.headers['content-length'])).to.equal(Buffer.byteLength(inSeconds.text));
    const plain = await get(`/charges/${id}`);
    expect(plain.json).to.include({ created: NOON });
    const { created: _, capture_before: before, ...rest } = plain.json;
    expect(inSeconds.json).to.deep.include(rest);
    expect(inSeconds.json['capture_before']).to.equal(Date.parse(String(before)) / 1_000 - 0.25);
    expect(Object.keys(inSeconds.json)).to.deep.equal(Object.keys(plain.json));
  });

  it('leaves texts and metadata as they are, whatever they look like', async () => {
    const made = await charge({ metadata: METADATA, description: '2026-11-21T09:30:00.000Z' });
    const { json } = await get(`/charges/${made['id']}`, VERSION);
    expect(json['metadata']).to.deep.equal(METADATA);
    expect(json['description']).to.equal('2026-11-21T09:30:00.000Z');
  });

  it('gets Unix seconds in lists, and in what is expanded', async () => {
    const { id } = await charge();
    await post('/refunds', { charge: id, amount: 100 });
    const paths = ['data.balance_transaction', 'data.refunds', 'data.payment_method'];
    const query = paths.map((path) => `expand[]=${path}`).join('&');
    const { json, text } = await get(`/charges?limit=1&${query}`, VERSION);
    const [first] = json['data'] as Fields[];
    expect(first).to.include({ id, created: NOON_SECONDS });
    expect(first?.['balance_transaction']).to.include({ created: NOON_SECONDS });
    expect(first?.['payment_method']).to.include({ created: NOON_SECONDS });
    const refunds = first?.['refunds'] as { data: Fields[] };
    expect(refunds.data[0]).to.include({ object: 'refund', created: NOON_SECONDS });
    expect(text).not.to.include('T12:00:00');
  });

  it('shares one stored answer with requests that have no Stripe-Version', async () => {
    const sale = { amount: 500, currency: 'eur', source: 'tok_visa', metadata: METADATA };
    const key = { 'idempotency-key': randomUUID() };
    const first = await post('/charges', sale, key);
    const second = await post('/charges', sale, { ...key, ...VERSION });
    const third = await post('/charges', sale, key);
    expect(second.json).to.include({ id: first.json['id'], created: NOON_SECONDS });
    expect(second.headers['idempotent-replayed']).to.equal('true');
    expect(second.json['metadata']).to.deep.equal(METADATA);
    expect(third.text).to.equal(first.text);
  });

  it('gets events in its own version, their objects in Unix seconds', async () => {
    const { id } = await charge({ metadata: METADATA });
    const { json } = await get(`/events?object_id=${id}`, VERSION);
    const [event] = json['data'] as EventJson[];
    expect(event).to.include({ api_version: '2025-09-30.clover', created: NOON_SECONDS });
    expect(event?.data.object).to.include({ id, created: NOON_SECONDS });
    expect(event?.data.object['metadata']).to.deep.equal(METADATA);
    const plain = await get(`/events/${event?.['id']}`);
    expect(plain.json).to.include({ api_version: '2026-11-01', created: NOON });
    const odd = await get(`/events/${event?.['id']}`, { 'stripe-version': 'newest' });
    expect(odd.json).to.include({ api_version: '2026-11-01', created: NOON_SECONDS });
  });

  it('finds by seconds what it is shown as that second', async () => {
    const { id } = await charge({ amount: 1234 });
    const idsBy = async (filter: string): Promise<unknown[]> => {
      const { json, text } = await get(`/charges?limit=100&${filter}`, VERSION);
      expect(json, text).to.have.property('data');
      return (json['data'] as Fields[]).map((each) => each['id']);
    };
    const [here, next] = [NOON_SECONDS, NOON_SECONDS + 1];
    expect(await idsBy(`created[gte]=${here}&created[lte]=${here}`)).to.include(id);
    expect(await idsBy(`created=${here}`)).to.include(id);
    expect(await idsBy(`created[lt]=${next}`)).to.include(id);
    expect(await idsBy(`created[gt]=${here}`)).to.deep.equal([]);
    expect(await idsBy(`created[lt]=${here}`)).to.deep.equal([]);
    expect(await idsBy(`created[gte]=${next}`)).to.deep.equal([]);
    expect(await idsBy(`created[lte]=${NOON}`)).to.include(id);
    expect(await idsBy(`created[gt]=${NOON}`)).to.deep.equal([]);
  });

  it('gets a token whose card has `object: card`', async () => {
    const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' };
    const { json } = await post('/tokens', { card }, VERSION);
    expect(json).to.include({ object: 'token', created: NOON_SECONDS });
    expect(json['card']).to.include({ object: 'card', last4: '4242' });
  });
});

describe('An endpoint registered with a version of the API of Stripe', () => {
  let app: TestApp;
  let clock: FakeClock;
  let receiver: Receiver;

  before(async () => {
    clock = fakeClock();
    app = await startApp({ paymount: { clock } });
    receiver = await startReceiver();
  });
  after(async () => {
    await app.close();
    await receiver.close();
  });

  const post = (path: string, body: object): Promise<Reply> =>
    postJson(`${app.url}/v1${path}`, body, { key: app.secretKey });
  const register = async (path: string, version?: string): Promise<Fields> => {
    const url = `${receiver.url}/${path}`;
    const more = version === undefined ? {} : { api_version: version };
    const made = await post('/webhook_endpoints', { url, enabled_events: ['*'], ...more });
    expect(made.status, made.text).to.equal(200);
    return made.json;
  };
  const remove = (endpoint: Fields): Promise<Reply> =>
    ask(`${app.url}/v1/webhook_endpoints/${endpoint['id']}`, {
      method: 'DELETE',
      key: app.secretKey,
    });
  const received = (path: string) => receiver.requests.filter((each) => each.path === `/${path}`);
  const eventsAt = (path: string): EventJson[] =>
    received(path).map(({ body }) => JSON.parse(String(body)));

  it('gets deliveries that echo it, with Unix seconds; others stay as they are', async () => {
    const old = await register('old', '2024-06-20');
    const clover = await register('clover', '2025-09-30.clover');
    const ours = await register('ours');
    expect(old).to.include({ api_version: '2024-06-20' });
    expect(ours).to.include({ api_version: '2026-11-01' });
    const before = receiver.requests.length;
    const sale = { amount: 700, currency: 'eur', source: 'tok_visa', metadata: METADATA };
    await post('/charges', sale);
    await receiver.waitFor(before + 3);
    const [[first], [second], [third]] = [eventsAt('old'), eventsAt('clover'), eventsAt('ours')];
    expect(first).to.include({ api_version: '2024-06-20' });
    expect(second).to.include({ api_version: '2025-09-30.clover' });
    expect(third).to.include({ api_version: '2026-11-01' });
    const seconds = Math.floor(Date.parse(String(third?.['created'])) / 1_000);
    for (const event of [first, second]) {
      expect(event?.['created']).to.equal(seconds);
      expect(event?.data.object['created']).to.be.a('number');
      expect(event?.data.object['metadata']).to.deep.equal(METADATA);
    }
    const [request] = received('clover');
    const event = new Stripe('sk_unused').webhooks.constructEvent(
      request?.body ?? '',
      String(request?.headers['service-signature']),
      String(clover['secret']),
    );
    expect(event.created).to.equal(seconds);
    for (const endpoint of [old, clover, ours]) await remove(endpoint);
  });

  it('gets the same bytes again when an attempt failed, and in a replay', async () => {
    const endpoint = await register('again', '2024-06-20');
    const before = receiver.requests.length;
    receiver.script(500);
    const { json: charge } = await post('/charges', {
      amount: 800,
      currency: 'eur',
      source: 'tok_visa',
      metadata: METADATA,
    });
    await receiver.waitFor(before + 1);
    await app.worker.drain();
    clock.advance(6 * 60_000);
    await app.worker.drain();
    await receiver.waitFor(before + 2);
    const [event] = eventsAt('again');
    await post(`/events/${event?.['id']}/replay`, {});
    await receiver.waitFor(before + 3);
    const [first, retried, replayed] = received('again').map(({ body }) => String(body));
    expect(event?.data.object['id']).to.equal(charge['id']);
    expect(retried).to.equal(first);
    expect(replayed).to.equal(first);
    await remove(endpoint);
  });

  it('gets no ISO time in any event of the catalogue', async () => {
    const endpoint = await register('triggered', '2025-09-30.clover');
    const before = receiver.requests.length;
    const types = ['subscription.renewed', 'subscription.payment_failed', 'subscription.canceled'];
    types.push('dispute.lost', 'payout.paid', 'charge.pending', 'charge.refunded');
    for (const type of types) await post('/test_helpers/events', { type });
    await receiver.waitFor(before + types.length);
    const texts = received('triggered').map(({ body }) => String(body));
    expect(texts.map((text) => JSON.parse(text).type)).to.have.members(types);
    for (const text of texts) expect(text).not.to.match(/\d{4}-\d\d-\d\dT/);
    await remove(endpoint);
  });

  it('is refused with a version that is neither ours nor one of Stripe', async () => {
    for (const version of ['latest', '2026-10-01', '2024-13-01', '2024-06-20.Clover', '']) {
      const url = `${receiver.url}/refused`;
      const body = { url, enabled_events: ['*'], api_version: version };
      const { status, error } = await post('/webhook_endpoints', body);
      expect({ version, status, param: error['param'] }).to.deep.equal({
        version,
        status: 400,
        param: 'api_version',
      });
    }
  });

  it('is followed in the same form by a stream that asks for it', async () => {
    const url = `${app.url}/v1/events/stream`;
    const [inSeconds, plain] = [
      await openStream(url, app.secretKey, VERSION),
      await openStream(url, app.secretKey),
    ];
    await Promise.all([inSeconds.until(/^id: /m), plain.until(/^id: /m)]);
    await post('/charges', { amount: 900, currency: 'eur', source: 'tok_visa' });
    const [[one], [other]] = [await inSeconds.waitFor(1), await plain.waitFor(1)];
    inSeconds.close();
    plain.close();
    const [shown, recorded] = [JSON.parse(one?.['data'] ?? ''), JSON.parse(other?.['data'] ?? '')];
    expect(shown).to.include({ id: recorded.id, api_version: '2025-09-30.clover' });
    expect(shown.created).to.equal(Math.floor(Date.parse(recorded.created) / 1_000));
    expect(shown.data.object.created).to.be.a('number');
    expect(recorded).to.include({ api_version: '2026-11-01' });
  });
});
