import { createHash } from 'node:crypto';
import type { NewKey, Rotation } from '@paymount/auth';
import { type KeyId, newId } from '@paymount/core';
import { expect } from 'chai';
import { ask, type Reply } from '../http/ask.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { accessRows, auditOf, onDatabase } from './audit-rows.ts';
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
  let base: Pick<NewKey, 'accountId' | 'environment' | 'name' | 'createdBy'>;

  before(async () => {
    clock = fakeClock(START);
    app = await startApp({ paymount: { clock } });
  });
  beforeEach(async () => {
    const facts = { name: 'Café', country: 'DE', defaultCurrency: 'eur' };
    const { id } = await app.paymount.accounts.create(facts);
    base = { accountId: id, environment: 'test', name: 'Server', createdBy: 'ops' };
  });
  after(() => app.close());

  const newKey = (more: { readonly expiresAt?: Date } = {}) =>
    app.paymount.keys.create({ ...base, type: 'secret', ...more });
  const rotate = (id: KeyId, rotation?: Rotation) => app.paymount.keys.rotate(id, rotation);
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
      allowedIps: ['127.0.0.0/8', '2001:db8::/32'],
      expiresAt: inSeconds(3600),
    });
    clock.advance(1_000);
    const { key, secret } = await rotate(old.key.id);
    expect(secret)
      .to.match(/^rk_test_pm[0-9A-Za-z]{38}$/)
      .and.not.equal(old.secret);
    const { expiresAt: _, ...inherited } = old.key;
    expect(key).to.deep.equal({
      ...inherited,
      id: key.id,
      hash: createHash('sha256').update(secret).digest(),
      redacted: `rk_test_pm...${secret.slice(-4)}`,
      replaces: old.key.id,
      created: clock.now(),
      createdBy: 'host',
    });
    const link = await onDatabase(app.databaseUrl, (client) =>
      client.query('SELECT replaced_by, replaced_at FROM paymount.api_keys WHERE id = $1', [
        old.key.id,
      ]),
    );
    expect(link.rows).to.deep.equal([{ replaced_by: key.id, replaced_at: clock.now() }]);
    expect(await answerTo(secret)).to.equal('200');
    expect(await answerTo(old.secret)).to.equal('200');
  });

  it('gives a publishable key a successor that is as readable', async () => {
    const old = await app.paymount.keys.create({ ...base, type: 'publishable' });
    const { key, secret } = await rotate(old.key.id);
    expect(secret).to.match(/^pk_test_/);
    expect(key.publicValue).to.equal(secret);
  });

  it('ends the old key at once with an overlap of 0', async () => {
    const old = await newKey();
    expect(await answerTo(old.secret)).to.equal('200');
    const { secret } = await rotate(old.key.id, { overlapSeconds: 0 });
    clock.advance(LEASE_MS + 1);
    expect(await answerTo(old.secret)).to.equal('401 api_key_expired');
    expect(await answerTo(secret)).to.equal('200');
  });

  it('ends the old key when the overlap is over, to the millisecond', async () => {
    const old = await newKey();
    await rotate(old.key.id, { overlapSeconds: 60 });
    clock.advance(59_999);
    expect(await answerTo(old.secret)).to.equal('200');
    clock.advance(1);
    expect(await answerTo(old.secret)).to.equal('401 api_key_expired');
  });

  it('leaves the old key at work until it is revoked, without an overlap', async () => {
    const old = await newKey();
    await rotate(old.key.id);
    clock.advance(365 * 86_400_000);
    expect(await answerTo(old.secret)).to.equal('200');
    await app.paymount.keys.revoke(old.key.id, 'rotation');
    clock.advance(LEASE_MS + 1);
    expect(await answerTo(old.secret)).to.equal('401 api_key_revoked');
  });

  it('never lengthens the life of the old key', async () => {
    for (const rotation of [{ overlapSeconds: 60 }, {}]) {
      const old = await newKey({ expiresAt: inSeconds(10) });
      await rotate(old.key.id, rotation);
      clock.advance(9_999);
      expect(await answerTo(old.secret)).to.equal('200');
      clock.advance(1);
      expect(await answerTo(old.secret)).to.equal('401 api_key_expired');
    }
    const long = await newKey({ expiresAt: inSeconds(3600) });
    await rotate(long.key.id, { overlapSeconds: 10 });
    clock.advance(10_000);
    expect(await answerTo(long.secret)).to.equal('401 api_key_expired');
  });

  it('tells who still uses the old key, in every answer, since when and until when', async () => {
    const noticesOf = ({ headers }: Reply) => ({
      deprecation: headers['deprecation'],
      sunset: headers['sunset'],
    });
    const none = { deprecation: undefined, sunset: undefined };
    const old = await newKey();
    expect(noticesOf(await get(old.secret))).to.deep.equal(none);
    const replacedAt = Math.floor(clock.now().getTime() / 1000);
    const { secret } = await rotate(old.key.id);
    clock.advance(LEASE_MS + 1);
    const deprecation = `@${replacedAt}`;
    for (const path of ['/v1/charges', '/v1/charges/ch_1', '/v1/charges?limit=0']) {
      const notices = noticesOf(await get(old.secret, path));
      expect(notices, path).to.deep.equal({ deprecation, sunset: undefined });
    }
    expect(noticesOf(await get(secret))).to.deep.equal(none);

    const ends = await newKey();
    await rotate(ends.key.id, { overlapSeconds: 60 });
    const sunset = inSeconds(60).toUTCString();
    expect(noticesOf(await get(ends.secret)).sunset).to.equal(sunset);
  });

  it('makes one successor, though 20 ask at once', async () => {
    const old = await newKey();
    const rotated = await Promise.allSettled(Array.from({ length: 20 }, () => rotate(old.key.id)));
    const codes = rotated.map((one) => (one.status === 'fulfilled' ? 'made' : one.reason.code));
    expect(codes.filter((code) => code === 'made')).to.have.lengthOf(1);
    expect(codes.filter((code) => code === 'key_not_rotatable')).to.have.lengthOf(19);
    const { rows } = await onDatabase(app.databaseUrl, (client) =>
      client.query('SELECT id FROM paymount.api_keys WHERE replaces = $1', [old.key.id]),
    );
    expect(rows).to.have.lengthOf(1);
  });

  it('gives the successor what the key had in the moment of the change', async () => {
    const { key } = await app.paymount.keys.create({
      ...base,
      type: 'restricted',
      scopes: ['charges:read'],
    });
    const narrow = app.paymount.keys.update(key.id, { scopes: ['payouts:read'] });
    const [made] = await Promise.all([rotate(key.id), narrow]);
    const rotation = (await auditOf(app.databaseUrl, key.id)).find(
      ({ action }) => action === 'key.rotate',
    );
    expect(made.key.scopes).to.deep.equal(rotation?.before?.['scopes']);
  });

  it('goes on from successor to successor', async () => {
    const first = await newKey();
    const second = await rotate(first.key.id, { overlapSeconds: 0 });
    const third = await rotate(second.key.id, { overlapSeconds: 0 });
    expect(third.key.replaces).to.equal(second.key.id);
    clock.advance(LEASE_MS + 1);
    expect(await answerTo(second.secret)).to.equal('401 api_key_expired');
    expect(await answerTo(third.secret)).to.equal('200');
  });

  it('refuses a key that was replaced, revoked or has expired, and other overlaps', async () => {
    const replaced = await newKey();
    const successor = await rotate(replaced.key.id);
    const revoked = await newKey();
    await app.paymount.keys.revoke(revoked.key.id, 'owner');
    const expired = await newKey({ expiresAt: inSeconds(1) });
    clock.advance(1_000);
    const good = await newKey();
    const gone = newId('key');
    const before = await accessRows(app.databaseUrl);
    const overlap =
      'parameter_invalid overlap_seconds: An overlap is 0 to 2,592,000 whole seconds.';
    for (const [id, rotation, expected] of [
      [
        replaced.key.id,
        {},
        `key_not_rotatable -: Key ${replaced.key.id} was replaced by ${successor.key.id}; rotate that one.`,
      ],
      [
        revoked.key.id,
        {},
        `key_not_rotatable -: Key ${revoked.key.id} is revoked; create a new key.`,
      ],
      [
        expired.key.id,
        {},
        `key_not_rotatable -: Key ${expired.key.id} has expired; create a new key.`,
      ],
      [gone, {}, `resource_missing -: No such key: ${gone}`],
      [good.key.id, { overlapSeconds: -1 }, overlap],
      [good.key.id, { overlapSeconds: 0.5 }, overlap],
      [good.key.id, { overlapSeconds: Number.NaN }, overlap],
      [good.key.id, { overlapSeconds: MAX_OVERLAP_SECONDS + 1 }, overlap],
    ] as const) {
      expect(await refusal(rotate(id, rotation))).to.equal(expected);
    }
    expect(await accessRows(app.databaseUrl)).to.equal(before);
    await rotate(good.key.id, { overlapSeconds: MAX_OVERLAP_SECONDS });
  });

  it('counts both keys of an overlap against the limit, though 50 callers ask at once', async () => {
    const made: KeyId[] = [];
    while (made.length < MAX_ACTIVE_KEYS - 10) made.push((await newKey()).key.id);
    const rotated = await Promise.allSettled(made.slice(0, CALLERS).map((id) => rotate(id)));
    const codes = rotated.map((one) => (one.status === 'fulfilled' ? 'made' : one.reason.code));
    expect(codes.filter((code) => code === 'made')).to.have.lengthOf(10);
    expect(codes.filter((code) => code === 'key_limit_reached')).to.have.lengthOf(40);
    // A key that ends now makes room for its successor.
    const [last] = made.slice(-1);
    expect(last).to.not.equal(undefined);
    if (last !== undefined) await rotate(last, { overlapSeconds: 0 });
  }).timeout(30_000);
});
