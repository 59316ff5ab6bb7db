import { createHash } from 'node:crypto';
import { newId, SCOPES } from '@paymount/core/kernel';
import { expect } from 'chai';
import type { ApiKeyCreateParams } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { ask } from '../support/ask.ts';
import { accessRows, everyRow, toAuditEntry } from '../support/audit-rows.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { withClient } from '../support/database.ts';
import { startHost } from '../support/host.ts';
import { refusal } from './refusal.ts';

const START = '2026-05-01T12:00:00.000Z';
const CALLERS = 50;
/** A change holds everywhere after that. */
const LEASE_MS = 500;

describe('keys', () => {
  let app: TestApp;
  let clock: FakeClock;
  let base: Pick<ApiKeyCreateParams, 'account' | 'livemode' | 'name'>;

  before(async () => {
    clock = fakeClock(START);
    app = await startApp({ paymount: { clock } });
  });
  beforeEach(async () => {
    const account = await newAccount();
    base = { account: account.id, livemode: false, name: 'Server' };
  });
  after(() => app.close());

  function newAccount() {
    const facts = { name: 'Café Noir', country: 'DE', default_currency: 'eur' };
    return app.paymount.accounts.create(facts);
  }

  /** Status and code of a request with this key. */
  async function answerTo(key: string): Promise<string> {
    const { status, error } = await ask(`${app.url}/v1/charges`, { key });
    return `${status} ${String(error['code'] ?? '')}`.trim();
  }

  describe('when they are made', () => {
    it('are shown once and stored as a hash', async () => {
      const { secret, ...key } = await app.paymount.keys.create({ ...base, type: 'secret' });
      expect(secret).to.match(/^sk_test_pm[0-9A-Za-z]{38}$/);
      expect(key).to.deep.equal({
        id: key.id,
        object: 'api_key',
        account: base.account,
        livemode: false,
        type: 'secret',
        name: 'Server',
        redacted: `sk_test_pm...${secret.slice(-4)}`,
        last4: secret.slice(-4),
        public_value: null,
        scopes: null,
        allowed_ips: null,
        status: 'active',
        revoked_at: null,
        revoked_reason: null,
        expires_at: null,
        replaces: null,
        replaced_by: null,
        last_used_at: null,
        last_used_ip: null,
        last_used_user_agent: null,
        requests_24h: 0,
        safe_to_revoke: false,
        created: START,
        created_by: 'host',
      });
      const { rows } = await withClient(app.databaseUrl, (client) =>
        client.query('SELECT hash FROM paymount.api_keys WHERE id = $1', [key.id]),
      );
      expect(rows).to.deep.equal([{ hash: createHash('sha256').update(secret).digest() }]);
      expect(key.id).to.match(/^key_[0-9a-z]{26}$/);
      expect(await answerTo(secret)).to.equal('200');
      expect(await everyRow(app.databaseUrl))
        .to.include(key.id)
        .and.not.include(secret);
    });

    it('stay readable when they are publishable', async () => {
      const { secret, ...key } = await app.paymount.keys.create({ ...base, type: 'publishable' });
      expect(secret).to.match(/^pk_test_pm/);
      expect(key.public_value).to.equal(secret);
      expect(await answerTo(secret)).to.equal('403 publishable_key_not_allowed');
    });

    it('have each scope once when they are restricted, and no other right', async () => {
      const { secret, ...key } = await app.paymount.keys.create({
        ...base,
        type: 'restricted',
        scopes: ['webhooks:write', 'customers:read', 'webhooks:write'],
      });
      expect(secret).to.match(/^rk_test_pm/);
      expect(key.scopes).to.deep.equal(['customers:read', 'webhooks:write']);
      expect(key.public_value).to.equal(null);
      expect(await answerTo(secret)).to.equal('403 insufficient_scope');
    });

    it('may have every scope there is', async () => {
      const made = { ...base, type: 'restricted', scopes: SCOPES } as const;
      const { secret, ...key } = await app.paymount.keys.create(made);
      expect(key.scopes).to.have.members([
        'charges:read',
        'charges:write',
        'customers:read',
        'customers:write',
        'subscriptions:write',
        'payouts:read',
        'disputes:write',
        'webhooks:write',
      ]);
      expect(await answerTo(secret)).to.equal('200');
    });

    it('belong to the environment they are made for', async () => {
      const live = { ...base, livemode: true, type: 'secret' } as const;
      const { secret } = await app.paymount.keys.create(live);
      expect(secret).to.match(/^sk_live_pm/);
      expect(await answerTo(secret)).to.equal('401 livemode_mismatch');
    });

    it('are tied to addresses in their canonical form', async () => {
      const allowedIps = ['10.0.0.0/8', '10.1.2.3', '2001:DB8:0:0::/32', '::ffff:192.0.2.1'];
      const made = { ...base, type: 'secret', allowed_ips: allowedIps } as const;
      const key = await app.paymount.keys.create(made);
      expect(key.allowed_ips).to.deep.equal(['10.0.0.0/8', '2001:db8::/32', '192.0.2.1/32']);
    });

    it('are refused with the parameter at fault, and leave nothing behind', async () => {
      const before = await accessRows(app.databaseUrl);
      const { keys } = app.paymount;
      const secret = { ...base, type: 'secret' } as const;
      const stranger = newId('acct');
      for (const [work, expected] of [
        [
          { ...secret, name: ' ' },
          'parameter_invalid name: name must be one line of 1 to 100 characters, not only spaces, without bidirectional controls.',
        ],
        [
          { ...secret, name: 'x'.repeat(101) },
          'parameter_invalid name: name must be one line of 1 to 100 characters, not only spaces, without bidirectional controls.',
        ],
        [
          { ...secret, expires_at: clock.now().toISOString() },
          'parameter_invalid expires_at: A key must expire later than now.',
        ],
        [
          { ...secret, expires_at: 'tomorrow' },
          'parameter_invalid expires_at: expires_at must be unix seconds or an ISO 8601 time such as 2026-11-21T18:00:00Z, from 1970 to 9999.',
        ],
        [
          { ...base, type: 'restricted', scopes: [] },
          'parameter_invalid scopes: scopes must be a list of 1 to 8 items, each one of charges:read, charges:write, customers:read, customers:write, subscriptions:write, payouts:read, disputes:write, webhooks:write.',
        ],
        [
          { ...secret, allowed_ips: ['192.0.2.0/24', '10.0.0.1/8'] },
          'parameter_invalid allowed_ips[1]: allowed_ips[1] has bits set beyond its prefix of 8; did you mean 10.0.0.0/8?',
        ],
        [
          { ...secret, allowed_ips: [] },
          'parameter_invalid allowed_ips: allowed_ips must be a list of 1 to 100 items, each an address or a CIDR range such as 203.0.113.0/24.',
        ],
        [
          { ...base, type: 'publishable', allowed_ips: ['192.0.2.1'] },
          'parameter_invalid allowed_ips: A publishable key works from every address and cannot have a list.',
        ],
        [
          { ...secret, livemode: 'live' as never },
          'parameter_invalid livemode: livemode must be true or false.',
        ],
        [
          { ...base, type: 'admin' as 'secret' },
          'parameter_invalid type: type must be one of secret, publishable, restricted.',
        ],
        [
          { ...secret, account: stranger },
          `resource_missing account: No such account: ${stranger}`,
        ],
      ] as const) {
        expect(await refusal(keys.create(work))).to.equal(expected);
      }
      expect(await accessRows(app.databaseUrl)).to.equal(before);
    });

    it('are revoked for a reason that there is', async () => {
      const key = await app.paymount.keys.create({ ...base, type: 'secret' });
      expect(
        await refusal(app.paymount.keys.revoke(key.id, { reason: 'because' as 'leak' })),
      ).to.equal(
        'parameter_invalid reason: reason must be one of owner, rotation, leak, admin, account.',
      );
    });

    it('keep a name of 100 characters, whatever they are', async () => {
      const name = '🔑'.repeat(100);
      const key = await app.paymount.keys.create({
        ...base,
        type: 'secret',
        name,
      });
      expect(key.name).to.equal(name);
    });

    it('never pass 100 in use, though 50 callers ask at once', async () => {
      // These two do not count.
      const key = await app.paymount.keys.create({ ...base, type: 'secret' });
      await app.paymount.keys.revoke(key.id, { reason: 'owner' });
      const soon = new Date(clock.now().getTime() + 1_000);
      await app.paymount.keys.create({ ...base, type: 'secret', expires_at: soon.toISOString() });
      clock.advance(1_000);
      for (let made = 0; made < 60; made += 1) {
        await app.paymount.keys.create({ ...base, type: 'secret' });
      }
      const made = await Promise.allSettled(
        Array.from({ length: CALLERS }, () =>
          app.paymount.keys.create({ ...base, type: 'secret' }),
        ),
      );
      const codes = made.map((one) => (one.status === 'fulfilled' ? 'made' : one.reason.code));
      expect(codes.filter((code) => code === 'made')).to.have.lengthOf(40);
      expect(codes.filter((code) => code === 'key_limit_reached')).to.have.lengthOf(10);
      // Other environments and accounts have room of their own.
      await app.paymount.keys.create({ ...base, type: 'secret', livemode: true });
    }).timeout(30_000);
  });

  describe('when they expire', () => {
    it('work until the millisecond before, and never after', async () => {
      const expiresAt = new Date(clock.now().getTime() + 60_000);
      const { secret } = await app.paymount.keys.create({
        ...base,
        type: 'secret',
        expires_at: expiresAt.toISOString(),
      });
      clock.advance(59_999);
      expect(await answerTo(secret)).to.equal('200');
      clock.advance(1);
      expect(await answerTo(secret)).to.equal('401 api_key_expired');
    });

    it('expire at once when asked to, and cannot be reactivated', async () => {
      const { secret, ...key } = await app.paymount.keys.create({ ...base, type: 'secret' });
      expect(await answerTo(secret)).to.equal('200');
      const ended = await app.paymount.keys.update(key.id, {
        expires_at: new Date(0).toISOString(),
      });
      expect(ended.expires_at).to.equal(clock.now().toISOString());
      clock.advance(LEASE_MS + 1);
      expect(await answerTo(secret)).to.equal('401 api_key_expired');
      expect(await refusal(app.paymount.keys.update(key.id, { expires_at: null }))).to.equal(
        `status_transition_invalid -: Key ${key.id} has expired; only an active key can be changed.`,
      );
    });
  });

  describe('when they are changed', () => {
    it('take a new name, other scopes, addresses and an end, and give them up again', async () => {
      const made = await app.paymount.keys.create({
        ...base,
        type: 'restricted',
        scopes: ['charges:read'],
      });
      const { id, secret: _, ...key } = made;
      const expires_at = '2026-06-01T00:00:00.000Z';
      const edit = {
        name: ' Reports ',
        scopes: ['customers:read'],
        allowed_ips: ['192.0.2.7'],
        expires_at,
      } as const;
      const changed = await app.paymount.keys.update(id, edit);
      const after = { ...key, id, name: 'Reports', scopes: ['customers:read'] };
      expect(changed).to.deep.equal({ ...after, allowed_ips: ['192.0.2.7/32'], expires_at });
      const lifted = await app.paymount.keys.update(id, { allowed_ips: null, expires_at: null });
      expect(lifted).to.deep.equal(after);
    });

    it('hold to fewer scopes at once', async () => {
      const { secret, ...key } = await app.paymount.keys.create({
        ...base,
        type: 'restricted',
        scopes: ['charges:read', 'payouts:read'],
      });
      expect(await answerTo(secret)).to.equal('200');
      await app.paymount.keys.update(key.id, { scopes: ['payouts:read'] });
      clock.advance(LEASE_MS + 1);
      expect(await answerTo(secret)).to.equal('403 insufficient_scope');
    });

    it('leave no trace of what changes nothing', async () => {
      const made = { ...base, type: 'secret', allowed_ips: ['10.0.0.0/8'] } as const;
      const { secret: _, ...key } = await app.paymount.keys.create(made);
      const same = { name: 'Server', allowed_ips: ['10.0.0.0/8'], expires_at: null };
      const before = await accessRows(app.databaseUrl);
      expect(await app.paymount.keys.update(key.id, same)).to.deep.equal(key);
      expect(await accessRows(app.databaseUrl)).to.equal(before);
    });

    it('are refused what their type has not', async () => {
      const key = await app.paymount.keys.create({ ...base, type: 'secret' });
      const publishable = await app.paymount.keys.create({ ...base, type: 'publishable' });
      const { keys } = app.paymount;
      expect(await refusal(keys.update(key.id, { scopes: ['charges:read'] }))).to.equal(
        'parameter_invalid scopes: Only restricted keys have scopes; this is a secret key.',
      );
      const never = { expires_at: 'tomorrow' };
      expect(await refusal(keys.update(key.id, never))).to.equal(
        'parameter_invalid expires_at: expires_at must be empty, null, unix seconds or an ISO 8601 time such as 2026-11-21T18:00:00Z, from 1970 to 9999.',
      );
      const listed = keys.update(publishable.id, { allowed_ips: ['192.0.2.1'] });
      expect(await refusal(listed)).to.match(/^parameter_invalid allowed_ips: A publishable key/);
      const gone = newId('key');
      expect(await refusal(keys.update(gone, { name: 'x' }))).to.equal(
        `resource_missing -: No such key: ${gone}`,
      );
    });
  });

  describe('when they were used', () => {
    it('take no list that locks their users out, unless that is confirmed', async () => {
      const used = await startApp();
      const made = { ...base, account: used.account, type: 'secret' } as const;
      const { secret, ...key } = await used.paymount.keys.create(made);
      const idle = await used.paymount.keys.create(made);
      await ask(`${used.url}/v1/charges`, { key: secret });
      // The process that saw it knows at once.
      expect(
        await refusal(used.paymount.keys.update(key.id, { allowed_ips: ['10.0.0.0/8'] })),
      ).to.match(/^ip_list_excludes_used_addresses .* from 127\.0\.0\.1,/);
      // What a process has seen is written when it ends, or within 10 s.
      await used.paymount.close();
      const other = await startHost(used);
      const later = other.paymount;
      try {
        const allowedIps = ['10.0.0.0/8'];
        expect(await refusal(later.keys.update(key.id, { allowed_ips: allowedIps }))).to.equal(
          'ip_list_excludes_used_addresses allowed_ips: The key was used in the last 30 days from 127.0.0.1, which the list leaves out. Add them, or send confirm_lockout=true to confirm.',
        );
        const wide = { allowed_ips: ['10.0.0.0/8', '127.0.0.0/8'] };
        expect((await later.keys.update(key.id, wide)).allowed_ips).to.deep.equal(wide.allowed_ips);
        const confirmed = await later.keys.update(key.id, {
          allowed_ips: allowedIps,
          confirm_lockout: true,
        });
        expect(confirmed.allowed_ips).to.deep.equal(allowedIps);
        expect((await later.keys.update(key.id, { allowed_ips: null })).allowed_ips).to.equal(null);
        const listed = await later.keys.update(idle.id, { allowed_ips: allowedIps });
        expect(listed.allowed_ips).to.deep.equal(allowedIps);
      } finally {
        await other.close();
        await used.close();
      }
    }).timeout(30_000);
  });

  describe('when they are revoked', () => {
    it('are refused from then on, and keep the first reason', async () => {
      const { secret, ...key } = await app.paymount.keys.create({ ...base, type: 'secret' });
      expect(await answerTo(secret)).to.equal('200');
      const revoked = await app.paymount.keys.revoke(key.id, { reason: 'leak' });
      expect(revoked).to.deep.equal({
        ...key,
        status: 'revoked',
        revoked_at: clock.now().toISOString(),
        revoked_reason: 'leak',
      });
      clock.advance(LEASE_MS + 1);
      expect(await answerTo(secret)).to.equal('401 api_key_revoked');
      expect(await app.paymount.keys.revoke(key.id, { reason: 'owner' })).to.deep.equal(revoked);
      expect(
        (await toAuditEntry(app.databaseUrl, key.id)).map(({ action }) => action),
      ).to.deep.equal(['key.create', 'key.revoke']);
      const gone = newId('key');
      expect(await refusal(app.paymount.keys.revoke(gone, { reason: 'owner' }))).to.equal(
        `resource_missing -: No such key: ${gone}`,
      );
    });
  });

  it('echo nothing of a key that was passed in place of an id', async () => {
    const { keys, accounts, leaks } = app.paymount;
    const { secret } = await keys.create({ ...base, type: 'secret' });
    const id = secret as never;
    for (const [work, noun] of [
      [keys.revoke(id, { reason: 'owner' }), 'key'],
      [keys.rotate(id), 'key'],
      [accounts.suspend(id), 'account'],
      [leaks.dismiss(id), 'leak'],
      [leaks.rotateSigningSecrets(id), 'leak'],
    ] as const) {
      expect(await refusal(work)).to.equal(`resource_missing -: No such ${noun}.`);
    }
    expect(await refusal(keys.create({ ...base, account: id, type: 'secret' }))).to.equal(
      'secret_in_text account: A parameter holds a key or signing secret. Remove it from the text. If the text is also stored elsewhere, rotate the key.',
    );
  });

  describe('and their account', () => {
    it('is made with its facts', async () => {
      const account = await app.paymount.accounts.create({
        name: ' Café Noir ',
        country: 'DE',
        default_currency: 'eur',
      });
      expect(account).to.deep.equal({
        id: account.id,
        object: 'account',
        name: 'Café Noir',
        email: null,
        country: 'DE',
        default_currency: 'eur',
        status: 'active',
        suspended_at: null,
        created: clock.now().toISOString(),
      });
      expect(account.id).to.match(/^acct_[0-9a-z]{26}$/);
    });

    it('is refused with the parameter at fault, and leaves nothing behind', async () => {
      const input = { name: 'Café', country: 'DE', default_currency: 'eur' };
      const before = await accessRows(app.databaseUrl);
      for (const [fault, expected] of [
        [
          { name: ' ' },
          'parameter_invalid name: name must be one line of 1 to 200 characters, not only spaces, without bidirectional controls.',
        ],
        ...['de', 'XX', 'UK', 'DEU', ''].map(
          (country) =>
            [
              { country },
              'parameter_invalid country: country must be an ISO 3166-1 alpha-2 code, such as DE or GB.',
            ] as const,
        ),
        [
          { default_currency: 'zzz' },
          'invalid_currency default_currency: A currency is an ISO 4217 code, such as eur.',
        ],
        [
          { email: 'a,b@c' },
          'parameter_invalid email: email must be empty, null or an e-mail address such as ada@example.com.',
        ],
        [
          { email: 'nobody' },
          'parameter_invalid email: email must be empty, null or an e-mail address such as ada@example.com.',
        ],
      ] as const) {
        const work = app.paymount.accounts.create({ ...input, ...fault });
        expect(await refusal(work)).to.equal(expected);
      }
      expect(await accessRows(app.databaseUrl)).to.equal(before);
    });

    it('is suspended: all its keys are answered 403, until it is resumed', async () => {
      const { accounts, keys } = app.paymount;
      const { secret } = await keys.create({ ...base, type: 'secret' });
      const publishable = await keys.create({ ...base, type: 'publishable' });
      expect(await answerTo(secret)).to.equal('200');
      const suspended = await accounts.suspend(base.account);
      expect(suspended).to.include({
        status: 'suspended',
        suspended_at: clock.now().toISOString(),
      });
      clock.advance(LEASE_MS + 1);
      expect(await answerTo(secret)).to.equal('403 account_disabled');
      expect(await answerTo(publishable.secret)).to.equal('403 account_disabled');
      expect(await accounts.suspend(base.account)).to.deep.equal(suspended);
      const resumed = await accounts.resume(base.account);
      expect(resumed).to.include({ status: 'active', suspended_at: null });
      clock.advance(LEASE_MS + 1);
      expect(await answerTo(secret)).to.equal('200');
    });

    it('is changed, and its keys stay as they are', async () => {
      const key = await app.paymount.keys.create({ ...base, type: 'secret' });
      const edit = { name: 'Tea', email: 'shop@example.com' };
      const changed = await app.paymount.accounts.update(base.account, edit);
      expect(changed).to.include({ ...edit, country: 'DE' });
      const removed = await app.paymount.accounts.update(base.account, { email: null });
      expect(removed).to.include({ name: 'Tea', email: null });
      const rows = await toAuditEntry(app.databaseUrl, base.account);
      expect(rows.map(({ action }) => action)).to.deep.equal([
        'account.create',
        'account.update',
        'account.update',
      ]);
      const { rows: found } = await withClient(app.databaseUrl, (client) =>
        client.query('SELECT version FROM paymount.api_keys WHERE id = $1', [key.id]),
      );
      expect(found).to.deep.equal([{ version: 1 }]);
    });
  });
});
