import { newId } from '@paymount/core/kernel';
import { expect } from 'chai';
import type { ApiKeyCreateParams, ApiKeyRotateParams } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, type Reply } from '../support/ask.ts';
import { accessRows, toAuditEntry } from '../support/audit-rows.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { withClient } from '../support/database.ts';
import { refusal } from './refusal.ts';

const START = '2026-05-01T12:00:00.000Z';
const MAX_OVERLAP_SECONDS = 2_592_000;
const MAX_ACTIVE_KEYS = 100;
const CALLERS = 50;
/** A change holds everywhere after that. */
const LEASE_MS = 500;

describe('rotation', () => {
  let app: TestApp;
  let clock: FakeClock;
  let base: Pick<ApiKeyCreateParams, 'account' | 'livemode' | 'name'>;

  before(async () => {
    clock = fakeClock(START);
    app = await startApp({ paymount: { clock } });
  });
  beforeEach(async () => {
    const facts = { name: 'Café', country: 'DE', default_currency: 'eur' };
    const { id } = await app.paymount.accounts.create(facts);
    base = { account: id, livemode: false, name: 'Server' };
  });
  after(() => app.close());

  const newKey = (more: { readonly expires_at?: string } = {}) =>
    app.paymount.keys.create({ ...base, type: 'secret', ...more });
  const rotate = (id: string, rotation?: ApiKeyRotateParams) =>
    app.paymount.keys.rotate(id, rotation);
  const get = (key: string, path = '/v1/charges'): Promise<Reply> => ask(app.url + path, { key });
  const inSeconds = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000);

  async function answerTo(key: string): Promise<string> {
    const { status, error } = await get(key);
    return `${status} ${String(error['code'] ?? '')}`.trim();
  }

  it('gives the successor the type, name, scopes and addresses, and links the two', async () => {
    const old = await app.paymount.keys.create({
      ...base,
      type: 'restricted',
      scopes: ['payouts:read', 'charges:read'],
      allowed_ips: ['127.0.0.0/8', '2001:db8::/32'],
      expires_at: inSeconds(3600).toISOString(),
    });
    clock.advance(1_000);
    const { secret, ...key } = await rotate(old.id);
    expect(secret)
      .to.match(/^rk_test_pm[0-9A-Za-z]{38}$/)
      .and.not.equal(old.secret);
    const { secret: _, ...inherited } = old;
    expect(key).to.deep.equal({
      ...inherited,
      id: key.id,
      redacted: `rk_test_pm...${secret.slice(-4)}`,
      last4: secret.slice(-4),
      expires_at: null,
      replaces: old.id,
      created: clock.now().toISOString(),
    });
    expect(await app.paymount.keys.retrieve(key.id)).to.deep.equal(key);
    const link = await withClient(app.databaseUrl, (client) =>
      client.query('SELECT replaced_by, replaced_at FROM paymount.api_keys WHERE id = $1', [
        old.id,
      ]),
    );
    expect(link.rows).to.deep.equal([{ replaced_by: key.id, replaced_at: clock.now() }]);
    expect(await answerTo(secret)).to.equal('200');
    expect(await answerTo(old.secret)).to.equal('200');
  });

  it('gives a publishable key a successor that is as readable', async () => {
    const old = await app.paymount.keys.create({ ...base, type: 'publishable' });
    const { secret, ...key } = await rotate(old.id);
    expect(secret).to.match(/^pk_test_/);
    expect(key.public_value).to.equal(secret);
  });

  it('ends the old key at once with an overlap of 0', async () => {
    const old = await newKey();
    expect(await answerTo(old.secret)).to.equal('200');
    const { secret } = await rotate(old.id, { overlap_seconds: 0 });
    clock.advance(LEASE_MS + 1);
    expect(await answerTo(old.secret)).to.equal('401 api_key_expired');
    expect(await answerTo(secret)).to.equal('200');
  });

  it('ends the old key when the overlap is over, to the millisecond', async () => {
    const old = await newKey();
    await rotate(old.id, { overlap_seconds: 60 });
    clock.advance(59_999);
    expect(await answerTo(old.secret)).to.equal('200');
    clock.advance(1);
    expect(await answerTo(old.secret)).to.equal('401 api_key_expired');
  });

  it('leaves the old key at work until it is revoked, without an overlap', async () => {
    const old = await newKey();
    await rotate(old.id);
    clock.advance(365 * 86_400_000);
    expect(await answerTo(old.secret)).to.equal('200');
    await app.paymount.keys.revoke(old.id, { reason: 'rotation' });
    clock.advance(LEASE_MS + 1);
    expect(await answerTo(old.secret)).to.equal('401 api_key_revoked');
  });

  it('never lengthens the life of the old key', async () => {
    for (const rotation of [{ overlap_seconds: 60 }, {}]) {
      const old = await newKey({ expires_at: inSeconds(10).toISOString() });
      await rotate(old.id, rotation);
      clock.advance(9_999);
      expect(await answerTo(old.secret)).to.equal('200');
      clock.advance(1);
      expect(await answerTo(old.secret)).to.equal('401 api_key_expired');
    }
    const long = await newKey({ expires_at: inSeconds(3600).toISOString() });
    await rotate(long.id, { overlap_seconds: 10 });
    clock.advance(10_000);
    expect(await answerTo(long.secret)).to.equal('401 api_key_expired');
  });

  it('tells who still uses the old key, in every answer, since when and until when', async () => {
    const readNotices = ({ headers }: Reply) => ({
      deprecation: headers['deprecation'],
      sunset: headers['sunset'],
    });
    const none = { deprecation: undefined, sunset: undefined };
    const old = await newKey();
    expect(readNotices(await get(old.secret))).to.deep.equal(none);
    const replacedAt = Math.floor(clock.now().getTime() / 1000);
    const { secret } = await rotate(old.id);
    clock.advance(LEASE_MS + 1);
    const deprecation = `@${replacedAt}`;
    for (const path of ['/v1/charges', '/v1/charges/ch_1', '/v1/charges?limit=0']) {
      const notices = readNotices(await get(old.secret, path));
      expect(notices, path).to.deep.equal({ deprecation, sunset: undefined });
    }
    expect(readNotices(await get(secret))).to.deep.equal(none);

    const ends = await newKey();
    await rotate(ends.id, { overlap_seconds: 60 });
    const sunset = inSeconds(60).toUTCString();
    expect(readNotices(await get(ends.secret)).sunset).to.equal(sunset);
  });

  it('makes one successor, though 20 ask at once', async () => {
    const old = await newKey();
    const rotated = await Promise.allSettled(Array.from({ length: 20 }, () => rotate(old.id)));
    const codes = rotated.map((one) => (one.status === 'fulfilled' ? 'made' : one.reason.code));
    expect(codes.filter((code) => code === 'made')).to.have.lengthOf(1);
    expect(codes.filter((code) => code === 'key_not_rotatable')).to.have.lengthOf(19);
    const { rows } = await withClient(app.databaseUrl, (client) =>
      client.query('SELECT id FROM paymount.api_keys WHERE replaces = $1', [old.id]),
    );
    expect(rows).to.have.lengthOf(1);
  });

  it('gives the successor what the key had in the moment of the change', async () => {
    const key = await app.paymount.keys.create({
      ...base,
      type: 'restricted',
      scopes: ['charges:read'],
    });
    const narrow = app.paymount.keys.update(key.id, { scopes: ['payouts:read'] });
    const [made] = await Promise.all([rotate(key.id), narrow]);
    const rotation = (await toAuditEntry(app.databaseUrl, key.id)).find(
      ({ action }) => action === 'key.rotate',
    );
    expect(made.scopes).to.deep.equal(rotation?.before?.['scopes']);
  });

  it('goes on from successor to successor', async () => {
    const first = await newKey();
    const second = await rotate(first.id, { overlap_seconds: 0 });
    const third = await rotate(second.id, { overlap_seconds: 0 });
    expect(third.replaces).to.equal(second.id);
    clock.advance(LEASE_MS + 1);
    expect(await answerTo(second.secret)).to.equal('401 api_key_expired');
    expect(await answerTo(third.secret)).to.equal('200');
  });

  it('refuses a key that was replaced, revoked or has expired, and other overlaps', async () => {
    const replaced = await newKey();
    const successor = await rotate(replaced.id);
    const revoked = await newKey();
    await app.paymount.keys.revoke(revoked.id, { reason: 'owner' });
    const expired = await newKey({ expires_at: inSeconds(1).toISOString() });
    clock.advance(1_000);
    const good = await newKey();
    const gone = newId('key');
    const before = await accessRows(app.databaseUrl);
    const overlap =
      'parameter_invalid overlap_seconds: overlap_seconds must be an integer from 0 to 2,592,000.';
    const whole = overlap.replace('parameter_invalid', 'parameter_invalid_integer');
    for (const [id, rotation, expected] of [
      [
        replaced.id,
        {},
        `key_not_rotatable -: Key ${replaced.id} was replaced by ${successor.id}; rotate that one.`,
      ],
      [revoked.id, {}, `key_not_rotatable -: Key ${revoked.id} is revoked; create a new key.`],
      [expired.id, {}, `key_not_rotatable -: Key ${expired.id} has expired; create a new key.`],
      [gone, {}, `resource_missing -: No such key: ${gone}`],
      [good.id, { overlap_seconds: -1 }, overlap],
      [good.id, { overlap_seconds: 0.5 }, whole],
      [good.id, { overlap_seconds: Number.NaN }, whole],
      [good.id, { overlap_seconds: MAX_OVERLAP_SECONDS + 1 }, overlap],
    ] as const) {
      expect(await refusal(rotate(id, rotation))).to.equal(expected);
    }
    expect(await accessRows(app.databaseUrl)).to.equal(before);
    await rotate(good.id, { overlap_seconds: MAX_OVERLAP_SECONDS });
  });

  it('counts both keys of an overlap against the limit, though 50 callers ask at once', async () => {
    const made: string[] = [];
    while (made.length < MAX_ACTIVE_KEYS - 10) made.push((await newKey()).id);
    const rotated = await Promise.allSettled(made.slice(0, CALLERS).map((id) => rotate(id)));
    const codes = rotated.map((one) => (one.status === 'fulfilled' ? 'made' : one.reason.code));
    expect(codes.filter((code) => code === 'made')).to.have.lengthOf(10);
    expect(codes.filter((code) => code === 'key_limit_reached')).to.have.lengthOf(40);
    // A key that ends now makes room for its successor.
    const [last] = made.slice(-1);
    expect(last).to.not.equal(undefined);
    if (last !== undefined) await rotate(last, { overlap_seconds: 0 });
  }).timeout(30_000);
});
