import { expect } from 'chai';
import type { ApiKeyCreateParams } from 'paymount';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.ts';
import { type Ask, ask, postForm, type Reply } from '../support/ask.ts';
import { toAuditEntry } from '../support/audit-rows.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';

const START = '2026-05-01T12:00:00.000Z';
const DAY_MS = 86_400_000;
const LEASE_MS = 500;

describe('/v1/api_keys', () => {
  let app: TestApp;
  let clock: FakeClock;
  let account: string;
  let secretKey: Made;

  interface Made {
    readonly id: string;
    readonly secret: string;
  }

  before(async () => {
    clock = fakeClock(START);
    app = await startApp({ paymount: { clock } });
  });
  beforeEach(async () => {
    const facts = { name: 'Café', country: 'DE', default_currency: 'eur' };
    account = (await app.paymount.accounts.create(facts)).id;
    secretKey = await newKey();
  });
  after(() => app.close());

  async function newKey(more: Partial<ApiKeyCreateParams> = {}): Promise<Made> {
    const base = { livemode: false, type: 'secret', name: 'Server' } as const;
    const { id, secret } = await app.paymount.keys.create({ account, ...base, ...more });
    return { id, secret };
  }

  const get = (path: string, key = secretKey.secret): Promise<Reply> =>
    ask(`${app.url}/v1/api_keys${path}`, { key });
  const revoke = (id: string, more: Ask = {}): Promise<Reply> =>
    postForm(`${app.url}/v1/api_keys/${id}/revoke`, '', { key: secretKey.secret, ...more });
  const toIds = ({ json }: Reply): readonly string[] =>
    (json['data'] as { id: string }[]).map(({ id }) => id);

  it('revokes no other key once it was revoked itself, however long it waited', async () => {
    const successor = await newKey();
    const other = new pg.Client({ connectionString: app.databaseUrl });
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT FROM paymount.api_keys WHERE id = $1 FOR UPDATE', [successor.id]);
      const replied = revoke(successor.id);
      const waiting = `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await eventually(async () => (await other.query(waiting)).rowCount !== 0);
      await app.paymount.keys.revoke(secretKey.id, { reason: 'leak' });
      await other.query('COMMIT');
      const { status, error } = await replied;
      expect([status, error['code']]).to.deep.equal([401, 'api_key_revoked']);
      const { json } = await get(`/${successor.id}`, successor.secret);
      expect(json['status']).to.equal('active');
    } finally {
      await other.end();
    }
  });

  it('shows a key with everything but itself', async () => {
    const expiresAt = new Date('2027-01-01T00:00:00.000Z');
    const { id, secret } = await newKey({
      type: 'restricted',
      scopes: ['payouts:read', 'charges:read'],
      name: 'Reports',
      allowed_ips: ['10.1.0.0/16', '127.0.0.1'],
      expires_at: expiresAt.toISOString(),
    });
    const { status, json, text } = await get(`/${id}`);
    expect(status).to.equal(200);
    expect(json).to.deep.equal({
      id,
      object: 'api_key',
      account,
      livemode: false,
      type: 'restricted',
      name: 'Reports',
      redacted: `rk_test_pm...${secret.slice(-4)}`,
      last4: secret.slice(-4),
      public_value: null,
      scopes: ['charges:read', 'payouts:read'],
      allowed_ips: ['10.1.0.0/16', '127.0.0.1/32'],
      status: 'active',
      revoked_at: null,
      revoked_reason: null,
      expires_at: '2027-01-01T00:00:00.000Z',
      replaces: null,
      replaced_by: null,
      last_used_at: null,
      last_used_ip: null,
      last_used_user_agent: null,
      requests_24h: 0,
      safe_to_revoke: false,
      created: clock.now().toISOString(),
      created_by: 'host',
    });
    expect(text).to.not.include(secret);
  });

  it('shows a publishable key whole', async () => {
    const { id, secret } = await newKey({ type: 'publishable' });
    const { json } = await get(`/${id}`);
    expect(json).to.include({ type: 'publishable', public_value: secret, scopes: null });
  });

  it('lists the keys of the account and environment, newest first, page by page', async () => {
    const live = await newKey({ livemode: true });
    const second = await newKey();
    const third = await newKey();
    const all = await get('');
    expect(all.json).to.deep.include({ object: 'list', url: '/v1/api_keys', has_more: false });
    expect(toIds(all)).to.deep.equal([third.id, second.id, secretKey.id]);
    const page = await get('?limit=2');
    expect([toIds(page), page.json['has_more']]).to.deep.equal([[third.id, second.id], true]);
    expect(toIds(await get(`?starting_after=${second.id}`))).to.deep.equal([secretKey.id]);
    const foreign = await get(`?starting_after=${live.id}`);
    expect([foreign.status, foreign.error['code']]).to.deep.equal([400, 'invalid_cursor']);
  });

  it('answers for keys of others as for one that never was', async () => {
    const live = await newKey({ livemode: true });
    const unknown = `${secretKey.id.slice(0, -4)}zzzz`;
    const [other] = toIds(await get('', app.secretKey));
    const seen = async (id: string): Promise<string> => {
      const replies = [await get(`/${id}`), await revoke(id)];
      return replies
        .map(
          ({ status, error }) => `${status} ${String(error['code'])} ${String(error['message'])}`,
        )
        .join('\n')
        .replaceAll(id, '<id>');
    };
    const expected = await seen(unknown);
    expect(expected).to.equal(
      '404 resource_missing No such key: <id>\n404 resource_missing No such key: <id>',
    );
    for (const id of [live.id, other ?? '', 'key_1', 'acct_1']) {
      expect(await seen(id)).to.equal(expected);
    }
    expect((await get(`/${other}`, app.secretKey)).json['status']).to.equal('active');
  });

  it('revokes a key for good, and says in the audit log who did it from where', async () => {
    const { id, secret } = await newKey({ type: 'publishable' });
    const reply = await revoke(id, { headers: { 'user-agent': `shop/1.0 (x_${secret})` } });
    expect(reply.status).to.equal(200);
    expect(reply.json).to.include({
      id,
      status: 'revoked',
      revoked_at: clock.now().toISOString(),
      revoked_reason: 'owner',
    });
    clock.advance(LEASE_MS + 1);
    const refused = await ask(`${app.url}/v1/tokens`, { key: secret, method: 'POST' });
    expect([refused.status, refused.error['code']]).to.deep.equal([401, 'api_key_revoked']);
    const [, entry] = await toAuditEntry(app.databaseUrl, id);
    expect(entry).to.include({
      action: 'key.revoke',
      actor_type: 'key',
      actor_id: secretKey.id,
      via: 'key',
      ip: '127.0.0.1',
      user_agent: 'shop/1.0 (x_...)',
      request_id: reply.headers['request-id'],
    });
    expect(entry?.before).to.include({ status: 'active' });
    expect(entry?.after).to.include({ status: 'revoked', revoked_reason: 'owner' });
  });

  it('lets a key revoke itself', async () => {
    const reply = await revoke(secretKey.id);
    expect(reply.json).to.include({ id: secretKey.id, status: 'revoked' });
    clock.advance(LEASE_MS + 1);
    const refused = await get('');
    expect([refused.status, refused.error['code']]).to.deep.equal([401, 'api_key_revoked']);
  });

  it('changes nothing when it revokes a revoked key', async () => {
    const { id } = await newKey();
    const first = await revoke(id);
    clock.advance(1_000);
    expect((await revoke(id)).json).to.deep.equal(first.json);
    expect(await toAuditEntry(app.databaseUrl, id)).to.have.lengthOf(2);
  });

  it('replays an answer under its Idempotency-Key, also to 20 who ask at once', async () => {
    const { id } = await newKey();
    const keyed = { headers: { 'idempotency-key': 'once' } };
    const replies = await Promise.all(Array.from({ length: 20 }, () => revoke(id, keyed)));
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).to.equal(1);
    expect(replies[0]?.json).to.include({ id, status: 'revoked' });
    const fresh = replies.filter(({ headers }) => headers['idempotent-replayed'] === undefined);
    expect(fresh).to.have.lengthOf(1);
    expect(await toAuditEntry(app.databaseUrl, id)).to.have.lengthOf(2);
    const mismatch = await revoke(secretKey.id, keyed);
    expect([mismatch.status, mismatch.error['code']]).to.deep.equal([
      400,
      'idempotency_key_mismatch',
    ]);
  });

  it('expands the key before and the key after, in lists too', async () => {
    const { id } = await newKey();
    const next = await app.paymount.keys.rotate(id);
    const old = await get(`/${id}?expand[]=replaced_by.replaces`);
    expect(old.json).to.deep.nested.include({
      'replaced_by.id': next.id,
      'replaced_by.replaces.id': id,
      'replaced_by.replaces.replaced_by': next.id,
    });
    const list = await get('?expand[]=data.replaces');
    const [first] = list.json['data'] as Record<string, Record<string, unknown>>[];
    expect(first?.['replaces']).to.include({ id, object: 'api_key', replaced_by: next.id });
    const keyed = { headers: { 'idempotency-key': 'with expand' } };
    const url = `${app.url}/v1/api_keys/${id}/revoke`;
    const sent = (): Promise<Reply> =>
      postForm(url, 'expand[]=replaced_by', { key: secretKey.secret, ...keyed });
    const revoked = await sent();
    expect(revoked.json).to.nested.include({ status: 'revoked', 'replaced_by.id': next.id });
    expect((await sent()).text).to.equal(revoked.text);
  });

  it('is closed to restricted and publishable keys', async () => {
    const { secret } = await newKey({ type: 'restricted', scopes: ['charges:read'] });
    const publishable = await newKey({ type: 'publishable' });
    for (const [key, code] of [
      [secret, 'secret_key_required'],
      [publishable.secret, 'publishable_key_not_allowed'],
    ] as const) {
      for (const reply of [
        await get('', key),
        await get(`/${secretKey.id}`, key),
        await revoke(secretKey.id, { key }),
      ]) {
        expect([reply.status, reply.error['code']]).to.deep.equal([403, code]);
      }
    }
    expect((await get(`/${secretKey.id}`)).json['status']).to.equal('active');
  });

  it('makes and replaces no key', async () => {
    const { id, secret } = secretKey;
    for (const [path, status] of [
      ['', 405],
      [`/${id}`, 405],
      [`/${id}/rotate`, 404],
      ['/rotate', 405],
    ] as const) {
      const reply = await postForm(`${app.url}/v1/api_keys${path}`, '', { key: secret });
      expect(reply.status, path).to.equal(status);
    }
    expect(toIds(await get(''))).to.deep.equal([id]);
  });

  it('calls a key safe to revoke once it has rested for a day', async () => {
    const { id } = await newKey();
    clock.advance(DAY_MS - 1);
    expect((await get(`/${id}`)).json['safe_to_revoke']).to.equal(false);
    clock.advance(1);
    expect((await get(`/${id}`)).json['safe_to_revoke']).to.equal(true);
  });
});
