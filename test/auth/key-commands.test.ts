import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { DispatchHub } from '@paymount/core/events';
import { type KeyId, newId, SCOPES } from '@paymount/core/kernel';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import { toAuditEntry } from '../support/audit-rows.ts';
import { freshDatabase, query, type TestDatabase } from '../support/database.ts';
import { paymount, toJson } from '../support/run-command.ts';

const DAY_MS = 86_400_000;

describe('paymount accounts and keys', () => {
  let database: TestDatabase;
  let storage: PostgresStorage;
  let env: Record<string, string>;
  let account: string;

  before(async () => {
    database = await freshDatabase();
    env = { DATABASE_URL: database.url };
    storage = createPostgresStorage({ connection: database.url, dispatch: new DispatchHub() });
  });
  beforeEach(async () => {
    account = await newAccount('Café');
  });
  after(async () => {
    await storage.close();
    await database.drop();
  });

  async function newAccount(name: string): Promise<string> {
    const facts = ['--name', name, '--country', 'DE', '--currency', 'eur'];
    return (await paymount(env, 'accounts', 'create', ...facts)).out[0] ?? '';
  }

  async function newKey(...more: string[]): Promise<Record<string, unknown> & { id: KeyId }> {
    const facts = ['--account', account, '--environment', 'test', '--name', 'Server'];
    const type = more.includes('--scopes') ? 'restricted' : 'secret';
    const made = await paymount(env, 'keys', 'create', ...facts, '--type', type, ...more, '--json');
    expect(made.exitCode, made.err.join()).to.equal(0);
    return toJson(made) as Record<string, unknown> & { id: KeyId };
  }

  /** Notes that a key was used from these addresses. */
  function use(keyId: KeyId, at: Date, ...addresses: string[]): Promise<void> {
    const hour = new Date(at.getTime() - (at.getTime() % 3_600_000));
    const counts = { succeeded: 2, refused: 1, rateLimited: 0, failed: 0 };
    return storage.usage.flush([
      {
        keyId,
        lastUsedAt: at,
        lastIp: addresses[0] ?? '192.0.2.1',
        lastUserAgent: 'shop/1.0',
        hours: [{ hour, ...counts }],
        addresses: addresses.map((address) => ({ address, count: 1, lastSeenAt: at })),
      },
    ]);
  }

  describe('accounts', () => {
    it('are listed newest first, a page at a time', async () => {
      const odd = await newAccount('Tea');
      // From a version that took such names.
      await query(
        database.url,
        `UPDATE paymount.accounts SET name = E'Tea\\x1b[2J' WHERE id = '${odd}'`,
      );
      const { out, err } = await paymount(env, 'accounts', 'list');
      expect(out.slice(0, 3)).to.deep.equal([
        'ID                               STATUS  COUNTRY  CURRENCY  NAME',
        `${odd}  active  DE       eur       Tea\ufffd[2J`,
        `${account}  active  DE       eur       Café`,
      ]);
      expect(err).to.deep.equal([]);
      const after = toJson(await paymount(env, 'accounts', 'list', '--after', odd, '--json'));
      expect(after).to.have.nested.property('accounts[0].id', account);
      expect(after['has_more']).to.equal(false);
    });

    it('are suspended and resumed, and listed by their status', async () => {
      const suspended = await paymount(env, 'accounts', 'suspend', account);
      expect(suspended).to.deep.include({
        exitCode: 0,
        out: [`${account} (Café) is suspended; no address for notices.`],
        err: [],
      });
      const list = ['accounts', 'list', '--status', 'suspended'];
      expect((await paymount(env, ...list)).out[1]).to.include(account);
      const resumed = toJson(await paymount(env, 'accounts', 'resume', account, '--json'));
      expect(resumed).to.include({ id: account, status: 'active', suspended_at: null });
      expect((await paymount(env, ...list)).out).to.have.lengthOf(1);
      const [made, ...changes] = await toAuditEntry(database.url, account);
      expect(made).to.include({ actor_type: 'command', actor_id: userInfo().username, via: 'cli' });
      expect(changes.map(({ action }) => action)).to.deep.equal([
        'account.suspend',
        'account.resume',
      ]);
    });

    it('take another name and address for notices, and give the address up', async () => {
      const email = ['--name', 'Tea', '--email', 'shop@example.com'];
      expect((await paymount(env, 'accounts', 'update', account, ...email)).out).to.deep.equal([
        `${account} (Tea) is active; notices go to shop@example.com.`,
      ]);
      const none = await paymount(env, 'accounts', 'update', account, '--no-email', '--json');
      expect(toJson(none)).to.include({ name: 'Tea', email: null });
    });
  });

  describe('keys', () => {
    it('are made with an end and with addresses', async () => {
      const before = Date.now();
      const ips = ['--allow-ip', '10.0.0.0/8', '--allow-ip', '2001:db8::1'];
      const key = await newKey('--expires', '90d', ...ips);
      expect(key['allowed_ips']).to.deep.equal(['10.0.0.0/8', '2001:db8::1/128']);
      const lifeMs = Date.parse(String(key['expires_at'])) - before;
      expect(lifeMs).to.be.within(90 * DAY_MS, 90 * DAY_MS + 60_000);
      expect(key).to.include({ created_by: userInfo().username, account });
      expect((await newKey('--expires', '2126-01-01'))['expires_at']).to.equal(
        '2126-01-01T00:00:00.000Z',
      );
      const zoned = await newKey('--expires', '2126-01-01T00:00:00+02:00');
      expect(zoned['expires_at']).to.equal('2125-12-31T22:00:00.000Z');
    });

    it('are listed with what replaced them, and when they end or ended', async () => {
      const { id } = await newKey();
      const next = toJson(await paymount(env, 'keys', 'rotate', id, '--overlap', '7d', '--json'));
      const gone = await newKey('--expires', '2126-01-01');
      await paymount(env, 'keys', 'revoke', gone.id);
      const list = ['keys', 'list', '--account', account];
      const { keys } = toJson(await paymount(env, ...list, '--json'));
      const [revoked, , replaced] = keys as Record<string, string>[];
      const seconds = (time: string | undefined): string => `${time?.slice(0, 19)}Z`;
      const { out } = await paymount(env, ...list);
      const columns = out.map((line) => line.split(/ {2,}/));
      expect(columns.map((row) => [row[0], row[3], row[4], row[8]])).to.deep.equal([
        ['ID', 'STATUS', 'ENDS', 'REPLACED BY'],
        [gone.id, 'revoked', seconds(revoked?.['revoked_at']), '-'],
        [next['id'], 'active', '-', '-'],
        [id, 'active', seconds(replaced?.['expires_at']), next['id']],
      ]);
    });

    it('are listed with how they were used', async () => {
      const old = await newKey('--expires', '2126-01-01');
      const used = await newKey('--scopes', 'charges:read');
      const at = new Date(Date.now() - 1_000);
      await use(used.id, at, '192.0.2.7');
      const list = ['keys', 'list', '--account', account];
      const { out } = await paymount(env, ...list);
      expect(out).to.deep.equal([
        'ID                              KEY                TYPE        STATUS  ENDS                  LAST USED             24 H  SAFE TO REVOKE  REPLACED BY  NAME',
        `${used.id}  ${used['redacted']}  restricted  active  -                     ${at.toISOString().slice(0, 19)}Z  3     no              -            Server`,
        `${old.id}  ${old['redacted']}  secret      active  2126-01-01T00:00:00Z  never                 0     no              -            Server`,
      ]);
      const { keys } = toJson(await paymount(env, ...list, '--json'));
      expect((keys as object[])[0]).to.deep.include({
        last_used_at: at.toISOString(),
        last_used_ip: '192.0.2.7',
        last_used_user_agent: 'shop/1.0',
        requests_24h: 3,
        safe_to_revoke: false,
      });
      expect((keys as object[])[0]).to.not.have.property('secret');
    });

    it('are not listed for an unknown account', async () => {
      const nobody = newId('acct');
      const { exitCode, out, err } = await paymount(env, 'keys', 'list', '--account', nobody);
      expect([exitCode, out]).to.deep.equal([1, []]);
      expect(err[0]).to.include(`paymount: No such account: ${nobody}`);
    });

    it('are called safe to revoke after a day of rest, or what the options name', async () => {
      const key = await newKey();
      const list = ['keys', 'list', '--account', account];
      const folder = await mkdtemp(join(tmpdir(), 'paymount keys '));
      try {
        const config = join(folder, 'options.mjs');
        const options = { database: database.url, safeAfterSeconds: 60 };
        await writeFile(config, `export default ${JSON.stringify(options)};`);
        const isSafe = async (...args: string[]): Promise<boolean> => {
          const { out } = await paymount(env, ...list, ...args);
          return out[1]?.includes(' yes ') ?? false;
        };
        await use(key.id, new Date(Date.now() - DAY_MS - 1_000));
        expect([await isSafe(), await isSafe('--config', config)]).to.deep.equal([true, true]);
        await use(key.id, new Date(Date.now() - 61_000));
        expect([await isSafe(), await isSafe('--config', config)]).to.deep.equal([false, true]);
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    it('are rotated: the successor is printed, and the end of the old one said', async () => {
      const key = await newKey();
      const rotated = await paymount(env, 'keys', 'rotate', key.id);
      const [secret = ''] = rotated.out;
      expect(secret).to.match(/^sk_test_pm[0-9A-Za-z]{38}$/);
      const [said = '', kept] = rotated.err;
      expect(said).to.match(
        new RegExp(`^key_\\w+ replaces ${key.id}, which works until you revoke it\\.$`),
      );
      expect(kept).to.equal('It is shown only once; keep it in your secret store.');
      const [next = ''] = said.split(' ');

      const again = await paymount(env, 'keys', 'rotate', next, '--overlap', '24h', '--json');
      expect(again.err).to.deep.equal([]);
      expect(toJson(again)).to.include({ replaces: next, status: 'active' });
      const { keys } = toJson(await paymount(env, 'keys', 'list', '--account', account, '--json'));
      const [, middle, first] = keys as Record<string, unknown>[];
      expect(first).to.include({ id: key.id, replaced_by: next, expires_at: null });
      expect(Date.parse(String(middle?.['expires_at'])) - Date.now()).to.be.within(
        DAY_MS - 60_000,
        DAY_MS,
      );

      const twice = await paymount(env, 'keys', 'rotate', key.id);
      expect([twice.exitCode, twice.out]).to.deep.equal([1, []]);
      expect(twice.err[0]).to.include(`Key ${key.id} was replaced by ${next}; rotate that one.`);
    });

    it('are rotated without overlap: the old one is refused from now on', async () => {
      const { id } = await newKey();
      const { err } = await paymount(env, 'keys', 'rotate', id, '--overlap', '0s');
      expect(err[0]).to.match(
        new RegExp(`^key_\\w+ replaces ${id}, which is refused from now on\\.$`),
      );
    });

    it('change their rights, and say what they are then', async () => {
      const key = await newKey('--scopes', 'charges:read', '--expires', '2126-01-01');
      const update = (...args: string[]) => paymount(env, 'keys', 'update', key.id, ...args);
      const said = (rights: string) => ({
        exitCode: 0,
        out: [`${key.id} (${key['redacted']}) is changed: ${rights}.`],
        err: [],
      });
      expect(
        await update('--name', 'Reports', '--scopes', 'payouts:read', '--allow-ip', '192.0.2.7'),
      ).to.deep.include(
        said('Reports; scopes payouts:read; from 192.0.2.7/32; until 2126-01-01T00:00:00.000Z'),
      );
      expect(await update('--any-ip', '--expires', 'never')).to.deep.include(
        said('Reports; scopes payouts:read; from any address; until it is revoked'),
      );
      expect(toJson(await update('--expires', 'now', '--json'))).to.include({ status: 'expired' });
      const ended = await update('--name', 'Late');
      expect([ended.exitCode, ended.err[0]?.split(';')[0]]).to.deep.equal([
        1,
        `paymount: Key ${key.id} has expired`,
      ]);
    });

    it('accept a list without addresses that they were used from only with a confirmation', async () => {
      const key = await newKey();
      const seen = ['10.0.0.1', '192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '2001:db8::1'];
      await use(key.id, new Date(Date.now() - 29 * DAY_MS), ...seen, '192.0.2.9');
      await use(key.id, new Date(Date.now() - 31 * DAY_MS), '198.51.100.1');
      const list = ['keys', 'update', key.id, '--allow-ip', '10.0.0.0/8'];
      const refused = await paymount(env, ...list);
      expect([refused.exitCode, refused.out]).to.deep.equal([1, []]);
      expect(refused.err[0]).to.equal(
        'paymount: The key was used in the last 30 days from 192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4, 192.0.2.9 and 1 more, which the list leaves out. Add them with --allow-ip, or pass --confirm-lockout to confirm.',
      );
      const more = ['--allow-ip', '192.0.2.0/24', '--allow-ip', '2001:db8::/32'];
      expect((await paymount(env, ...list, ...more)).exitCode).to.equal(0);
      expect((await paymount(env, ...list, '--confirm-lockout')).exitCode).to.equal(0);
      // The same list again locks nobody out who was not.
      expect((await paymount(env, ...list)).exitCode).to.equal(0);
    });

    it('are refused with the names of flags, and no cure that is meant for requests', async () => {
      const { id } = await newKey();
      const update = (...args: string[]) => paymount(env, 'keys', 'update', id, ...args);
      const wrong = await update('--allow-ip', '10.0.0.1/8');
      expect(wrong).to.deep.include({
        exitCode: 2,
        out: [],
        err: ['paymount: --allow-ip has bits set beyond its prefix of 8; did you mean 10.0.0.0/8?'],
      });
      const second = await update('--allow-ip', '10.0.0.0/8', '--allow-ip', '192.0.02.1');
      expect(second.err).to.deep.equal([
        'paymount: --allow-ip number 2 has leading zeros; did you mean 192.0.2.1/32?',
      ]);
      const after = newId('acct');
      expect((await paymount(env, 'accounts', 'list', '--after', after)).err).to.deep.equal([
        'paymount: --after is not the id of an object of this list.',
      ]);
      await update('--expires', 'now');
      expect((await paymount(env, 'keys', 'rotate', id)).err).to.deep.equal([
        `paymount: Key ${id} has expired; create a new key.`,
      ]);
      const nobody = newId('key');
      expect((await paymount(env, 'keys', 'revoke', nobody)).err[0]).to.match(
        new RegExp(`^paymount: No such key: ${nobody}\\.?$`),
      );
    });

    it('are refused what is wrong on the command line, with 2', async () => {
      const id = newId('key');
      const secret = ['keys', 'create', '--account', newId('acct'), '--environment', 'test'];
      const create = [...secret, '--type', 'secret', '--name', 'x'];
      for (const [args, message] of [
        [
          ['accounts', 'suspend', 'acct_1'],
          'Name the account by its id (acct_...), as `paymount accounts list` shows it.',
        ],
        [['accounts', 'update', account], 'Say what to change: --name, --email or --no-email.'],
        [
          ['keys', 'update', id],
          'Say what to change: --name, --scopes, --expires, --allow-ip or --any-ip.',
        ],
        [
          ['keys', 'update', id, '--confirm-lockout'],
          'Say what to change: --name, --scopes, --expires, --allow-ip or --any-ip.',
        ],
        [
          ['keys', 'update', id, '--any-ip', '--allow-ip', '192.0.2.1'],
          '--allow-ip and --any-ip exclude each other.',
        ],
        [
          ['keys', 'rotate', id, '--overlap', 'tomorrow'],
          '--overlap takes 0s to 30d: a whole number and its unit (s, m, h or d), such as 24h or 7d; not tomorrow.',
        ],
        [
          ['keys', 'rotate', id, '--overlap', ''],
          '--overlap takes 0s to 30d: a whole number and its unit (s, m, h or d), such as 24h or 7d; not an empty text.',
        ],
        [
          [...create, '--expires', ' '],
          '--expires takes a date, ISO 8601 with a zone, or a duration such as 30d; not an empty text.',
        ],
        [
          ['keys', 'update', id, '--scopes', 'charges:read,'],
          `--scopes has an empty one; the scopes are ${SCOPES.join(', ')}.`,
        ],
        [
          ['keys', 'rotate', id, '--overlap', '31d'],
          '--overlap takes 0s to 30d: a whole number and its unit (s, m, h or d), such as 24h or 7d; not 31d.',
        ],
        [
          [...create, '--expires', '2126-02-31'],
          '--expires takes a date, ISO 8601 with a zone, or a duration such as 30d; not 2126-02-31.',
        ],
        [
          [...create, '--expires', '2126-01-01T00:00:00'],
          '--expires takes a date, ISO 8601 with a zone, or a duration such as 30d; not 2126-01-01T00:00:00.',
        ],
      ] as const) {
        const outcome = await paymount(env, ...args);
        const expected = { exitCode: 2, out: [], err: [`paymount: ${message}`] };
        expect(outcome, args.join(' ')).to.deep.include(expected);
      }
    });
  });
});
