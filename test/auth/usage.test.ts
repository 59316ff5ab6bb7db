import { expect } from 'chai';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postForm } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { withClient } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

const NOW = '2026-05-01T12:00:00.000Z';
const DAY_MS = 86_400_000;

/** What a proxy says of a client that used TLS. */
const OVER_TLS = { 'x-forwarded-proto': 'https' };

describe('the use of keys', function () {
  this.timeout(30_000);
  let app: TestApp;
  let clock: FakeClock;

  beforeEach(async () => {
    clock = fakeClock(NOW);
    app = await startApp({ paymount: { clock, trustedProxies: ['127.0.0.1'] } });
  });
  afterEach(() => app.close());

  /** Rows as they stand once nothing more is written. */
  async function parseRows(text: string): Promise<readonly Record<string, unknown>[]> {
    await app.paymount.close();
    return withClient(app.databaseUrl, async (client) => (await client.query(text)).rows);
  }

  async function newKey(type: 'secret' | 'publishable') {
    const made = { account: app.account, livemode: false, type } as const;
    return app.paymount.keys.create({ ...made, name: 'Used' });
  }

  function get(key: string, from: string, path = '/v1/charges') {
    const headers = { ...OVER_TLS, 'x-forwarded-for': from, 'user-agent': `client of ${from}` };
    return ask(`${app.url}${path}`, { key, headers });
  }

  it('is written when the process ends: latest time, address and agent, answers, addresses', async () => {
    const { secret, ...key } = await newKey('secret');
    await get(secret, '198.51.100.1');
    await get(secret, '198.51.100.1', '/v1/charges/ch_none');
    clock.advance(250);
    await get(secret, '2001:db8::1');
    expect(
      await parseRows('SELECT *, host(last_ip) AS last_ip FROM paymount.key_usage'),
    ).to.deep.equal([
      {
        key_id: key.id,
        last_used_at: new Date('2026-05-01T12:00:00.250Z'),
        last_ip: '2001:db8::1',
        last_user_agent: 'client of 2001:db8::1',
      },
    ]);
    expect(await parseRows('SELECT * FROM paymount.key_usage_hourly')).to.deep.equal([
      {
        key_id: key.id,
        hour: new Date(NOW),
        succeeded: '2',
        refused: '1',
        rate_limited: '0',
        failed: '0',
      },
    ]);
    expect(
      await parseRows(
        'SELECT host(address) AS address, requests FROM paymount.key_addresses ORDER BY 2',
      ),
    ).to.deep.equal([
      { address: '2001:db8::1', requests: '1' },
      { address: '198.51.100.1', requests: '2' },
    ]);
  });

  it('costs one write in 10 s, however many requests, and none to the keys themselves', async () => {
    const { secret } = await newKey('secret');
    const startedMs = performance.now();
    for (let n = 0; n < 50; n += 1) {
      await Promise.all(Array.from({ length: 10 }, () => get(secret, '198.51.100.1')));
    }
    await app.paymount.close();
    const most = 1 + Math.floor((performance.now() - startedMs) / 10_000);
    for (const table of ['key_usage', 'key_usage_hourly', 'key_addresses']) {
      expect(await writesTo(table), table).to.be.within(1, most);
    }
    // When they were made: two by the app, one here.
    expect(await writesTo('api_keys')).to.equal(3);
    const [hour] = await parseRows('SELECT succeeded FROM paymount.key_usage_hourly');
    expect(hour).to.deep.equal({ succeeded: '500' });
  });

  /** What the database counted; a connection tells it about a second after its last statement. */
  async function writesTo(table: string): Promise<number> {
    const text = `SELECT (n_tup_ins + n_tup_upd)::int AS writes
      FROM pg_stat_user_tables WHERE schemaname = 'paymount' AND relname = $1`;
    const read = async (): Promise<number> =>
      withClient(app.databaseUrl, async (client) => {
        return (await client.query<{ writes: number }>(text, [table])).rows[0]?.writes ?? 0;
      });
    return eventually(read, (writes) => writes > 0);
  }

  it('counts requests that passed the guard and failed later, and no others', async () => {
    const listed = await app.paymount.keys.create({
      account: app.account,
      livemode: false,
      type: 'restricted',
      scopes: ['charges:read'],
      allowed_ips: ['198.51.100.0/24'],
      name: 'Reader',
    });
    const headers = { ...OVER_TLS, 'x-forwarded-for': '198.51.100.1' };
    const forbidden = await postForm(`${app.url}/v1/refunds`, '', { key: listed.secret, headers });
    expect(forbidden.status).to.equal(403);
    expect((await get(listed.secret, '203.0.113.1')).error['code']).to.equal('ip_not_allowed');
    const gone = await newKey('secret');
    await app.paymount.keys.revoke(gone.id, { reason: 'owner' });
    expect((await get(gone.secret, '198.51.100.1')).status).to.equal(401);
    expect(await parseRows('SELECT key_id, refused FROM paymount.key_usage_hourly')).to.deep.equal([
      { key_id: listed.id, refused: '1' },
    ]);
  });

  it('names no visitor of a publishable key', async () => {
    const { secret, ...key } = await newKey('publishable');
    const asked = { key: secret, headers: { ...OVER_TLS, 'x-forwarded-for': '198.51.100.1' } };
    await postForm(`${app.url}/v1/tokens`, 'type=card', asked);
    expect(await parseRows('SELECT key_id, refused FROM paymount.key_usage_hourly')).to.deep.equal([
      { key_id: key.id, refused: '1' },
    ]);
    expect(await parseRows('SELECT * FROM paymount.key_addresses')).to.deep.equal([]);
  });

  it('is forgotten by the worker: addresses after 30 days, hours after 90', async () => {
    const { secret, ...key } = await newKey('secret');
    await get(secret, '198.51.100.1');
    await partsOf(app.paymount).usage.flush();
    const keysIn = (table: string) =>
      withClient(app.databaseUrl, async (client) => {
        const { rows } = await client.query(`SELECT key_id FROM paymount.${table}`);
        return rows.map((row) => row.key_id);
      });
    clock.advance(30 * DAY_MS);
    await app.worker.drain();
    expect(await keysIn('key_addresses')).to.deep.equal([key.id]);
    clock.advance(DAY_MS);
    await app.worker.drain();
    expect(await keysIn('key_addresses')).to.deep.equal([]);
    expect(await keysIn('key_usage_hourly')).to.deep.equal([key.id]);
    clock.advance(60 * DAY_MS);
    await app.worker.drain();
    expect(await keysIn('key_usage_hourly')).to.deep.equal([]);
    expect(await keysIn('key_usage')).to.deep.equal([key.id]);
  });
});

describe('answers to a replaced key', () => {
  let app: TestApp;
  let clock: FakeClock;

  before(async () => {
    clock = fakeClock('2026-05-01T12:00:00.900Z');
    app = await startApp({ paymount: { clock } });
  });
  after(() => app.close());

  async function rotated(overlap?: number): Promise<{ old: string; fresh: string }> {
    const made = { account: app.account, livemode: false, type: 'secret' } as const;
    const { id, secret } = await app.paymount.keys.create({ ...made, name: 'Old' });
    const rotation = overlap === undefined ? {} : { overlap_seconds: overlap };
    const successor = await app.paymount.keys.rotate(id, rotation);
    return { old: secret, fresh: successor.secret };
  }

  async function noticesTo(key: string, path = '/v1/charges') {
    const { status, headers } = await ask(`${app.url}${path}`, { key });
    return [status, headers['deprecation'], headers['sunset']];
  }

  it('say since when it is replaced, and until when it works', async () => {
    const { old, fresh } = await rotated(3_600);
    const end = 'Fri, 01 May 2026 13:00:00 GMT';
    expect(await noticesTo(old)).to.deep.equal([200, '@1777636800', end]);
    expect(await noticesTo(old, '/v1/charges/ch_none')).to.deep.equal([404, '@1777636800', end]);
    expect(await noticesTo(fresh)).to.deep.equal([200, undefined, undefined]);
  });

  it('name no end when the owner will revoke it', async () => {
    const { old } = await rotated();
    expect(await noticesTo(old)).to.deep.equal([200, '@1777636800', undefined]);
  });
});
