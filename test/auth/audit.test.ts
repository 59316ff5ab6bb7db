import { readFile } from 'node:fs/promises';
import { AUDIT_ACTIONS, type AuditVerdict } from '@paymount/core/changes';
import { DispatchHub } from '@paymount/core/events';
import type { AccountId } from '@paymount/core/kernel';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import type pg from 'pg';
import { startApp, type TestApp } from '../support/app.ts';
import { everyRow, toAuditEntry } from '../support/audit-rows.ts';
import { fakeClock } from '../support/clock.ts';
import { withClient } from '../support/database.ts';

const START = '2026-05-01T12:00:00.000Z';
/** Entries of the account that is tampered with: its own, and those of fourteen keys. */
const ENTRIES = 15;

describe('the audit log', () => {
  let app: TestApp;
  let storage: PostgresStorage;
  const clock = fakeClock(START);

  before(async () => {
    app = await startApp({ paymount: { clock } });
    storage = createPostgresStorage({ connection: app.databaseUrl, dispatch: new DispatchHub() });
  });
  after(async () => {
    await storage.close();
    await app.close();
  });

  async function newKey(): Promise<{ readonly id: string; readonly secret: string }> {
    const { id, secret } = await app.paymount.keys.create({
      account: app.account,
      livemode: false,
      type: 'restricted',
      scopes: ['charges:read'],
      name: 'Reports',
    });
    return { id, secret };
  }

  it('can tell of the actions that its page lists, and of no others', async () => {
    const page = await readFile(new URL('../../docs/reference/audit.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/^\| `(\w+\.\w+)` \|/gm)].map(([, action]) => action);
    expect(listed).to.deep.equal([...AUDIT_ACTIONS]);
  });

  describe('of what was done', () => {
    /** Who did it, what, to what; the chain is another test's. */
    const told = ({
      action,
      actor_type,
      actor_id,
      via,
      before,
      after,
    }: Record<string, unknown>) => ({
      action,
      actor: `${String(actor_type)} ${String(actor_id)} via ${String(via)}`,
      before,
      after,
    });

    it('has one entry for each change of an account', async () => {
      const { accounts } = app.paymount;
      const made = await accounts.create({ name: 'Tea', country: 'DE', default_currency: 'eur' });
      await accounts.update(made.id, { email: 'shop@example.com' });
      await accounts.suspend(made.id);
      await accounts.resume(made.id);
      const facts = { name: 'Tea', country: 'DE', default_currency: 'eur' };
      const fresh = { ...facts, email: null, status: 'active' };
      const reachable = { ...fresh, email: 'shop@example.com' };
      const suspended = { ...reachable, status: 'suspended' };
      const actor = 'host host via host';
      const rows = await toAuditEntry(app.databaseUrl, made.id);
      expect(rows.map(told)).to.deep.equal([
        { action: 'account.create', actor, before: null, after: fresh },
        { action: 'account.update', actor, before: fresh, after: reachable },
        { action: 'account.suspend', actor, before: reachable, after: suspended },
        { action: 'account.resume', actor, before: suspended, after: reachable },
      ]);
      expect(rows[0]).to.include({ account_id: made.id, livemode: null, seq: '1', ip: null });
      expect(rows[0]?.['created']).to.deep.equal(clock.now());
    });

    it('has one entry for each change of a key, and of a rotation one for either key', async () => {
      const { keys } = app.paymount;
      const { id, secret } = await newKey();
      const by = {
        actor: { type: 'admin', id: 'admin_7' },
        via: 'jwt',
        ip: '192.0.2.7',
        userAgent: 'curl/8',
      } as const;
      await keys.update(id, { scopes: ['payouts:read'], allowed_ips: ['192.0.2.7'] }, { by });
      const rotated = await keys.rotate(id, { overlap_seconds: 60 }, { by });
      await keys.revoke(id, { reason: 'rotation' }, { by });
      const facts = {
        type: 'restricted',
        name: 'Reports',
        redacted: `rk_test_pm...${secret.slice(-4)}`,
        status: 'active',
      };
      const first = { ...facts, scopes: ['charges:read'] };
      const narrow = { ...facts, scopes: ['payouts:read'], allowed_ips: ['192.0.2.7/32'] };
      const replaced = {
        ...narrow,
        replaced_by: rotated.id,
        expires_at: '2026-05-01T12:01:00.000Z',
      };
      const revoked = { ...replaced, status: 'revoked', revoked_reason: 'rotation' };
      const admin = 'admin admin_7 via jwt';
      const rows = await toAuditEntry(app.databaseUrl, id);
      expect(rows.map(told)).to.deep.equal([
        { action: 'key.create', actor: 'host host via host', before: null, after: first },
        { action: 'key.update', actor: admin, before: first, after: narrow },
        { action: 'key.rotate', actor: admin, before: narrow, after: replaced },
        { action: 'key.revoke', actor: admin, before: replaced, after: revoked },
      ]);
      expect(rows[1]).to.include({ livemode: false, ip: '192.0.2.7', user_agent: 'curl/8' });
      const successor = await toAuditEntry(app.databaseUrl, rotated.id);
      expect(successor.map(told)).to.deep.equal([
        {
          action: 'key.rotate',
          actor: admin,
          before: null,
          after: {
            ...narrow,
            redacted: `rk_test_pm...${rotated.secret.slice(-4)}`,
            replaces: id,
          },
        },
      ]);
    });

    it('holds no key, in no column of any table', async () => {
      const { secret } = await newKey();
      const rows = await everyRow(app.databaseUrl);
      expect(rows).to.include(secret.slice(-4));
      for (const key of [secret, app.secretKey]) {
        expect(rows).to.not.include(key);
        expect(rows).to.not.include(Buffer.from(key).toString('hex'));
        expect(rows).to.not.include(key.slice(10, -4));
      }
    });
  });

  describe('after somebody with access to the database changed it', () => {
    let account: TestApp['account'];
    let kept: AuditVerdict;

    /** Statements that the trigger would refuse. */
    function tamper(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
      return withClient(app.databaseUrl, async (client) => {
        await client.query('ALTER TABLE paymount.audit_log DISABLE TRIGGER ALL');
        await work(client);
        await client.query('ALTER TABLE paymount.audit_log ENABLE TRIGGER ALL');
      });
    }

    /** What verification finds, as `<seq> <fault>`. */
    async function faults(known?: AuditVerdict): Promise<readonly string[]> {
      const verdict = await storage.directory.audit.verify(account, known?.heads);
      return verdict.faults.map(({ seq, found }) => `${seq} ${found}`);
    }

    const edit = (set: string, seq: number) => (client: pg.Client) =>
      client.query(`UPDATE paymount.audit_log SET ${set} WHERE chain = $1 AND seq = $2`, [
        account,
        seq,
      ]);

    before(async () => {
      const shop = { name: 'Café', country: 'DE', default_currency: 'eur' };
      account = (await app.paymount.accounts.create(shop)).id as AccountId;
      for (let made = 1; made < ENTRIES; made += 1) {
        await app.paymount.keys.create({
          account,
          livemode: false,
          type: 'secret',
          name: `Server ${made}`,
        });
      }
      kept = await storage.directory.audit.verify();
      expect(await faults(kept)).to.deep.equal([]);
      const copy = `CREATE TABLE public.kept_log AS TABLE paymount.audit_log;
        CREATE TABLE public.kept_heads AS TABLE paymount.audit_heads`;
      await withClient(app.databaseUrl, (client) => client.query(copy));
    });

    afterEach(async () => {
      await tamper((client) =>
        client.query(`DELETE FROM paymount.audit_log;
          INSERT INTO paymount.audit_log SELECT * FROM public.kept_log;
          DELETE FROM paymount.audit_heads;
          INSERT INTO paymount.audit_heads SELECT * FROM public.kept_heads`),
      );
      expect(await faults(kept)).to.deep.equal([]);
    });

    for (const statement of [
      `UPDATE paymount.audit_log SET actor_id = 'x'`,
      `UPDATE paymount.audit_log SET actor_id = 'x' WHERE false`,
      'DELETE FROM paymount.audit_log',
      'DELETE FROM paymount.audit_log WHERE seq > 1',
      'TRUNCATE paymount.audit_log',
      'INSERT INTO paymount.audit_log SELECT * FROM paymount.audit_log ON CONFLICT (id) DO UPDATE SET via = $$x$$',
    ]) {
      it(`refuses ${statement}`, async () => {
        const refused = withClient(app.databaseUrl, (client) => client.query(statement));
        const message = await refused.then(
          () => 'nothing was thrown',
          (error: Error) => error.message,
        );
        expect(message).to.equal('The audit log is append-only.');
      });
    }

    for (const set of [
      `id = 'aud_00000000000000000000000000'`,
      'livemode = true',
      `created = created + interval '1 millisecond'`,
      `actor_type = 'key'`,
      `actor_id = 'somebody'`,
      `via = 'jwt'`,
      `action = 'key.revoke'`,
      `target = 'key_x'`,
      `before = '{}'`,
      `after = jsonb_set(after, '{name}', '"Another"')`,
      'after = NULL',
      `ip = '192.0.2.1'`,
      `user_agent = 'curl/8'`,
      `request_id = 'req_x'`,
    ]) {
      it(`names an entry whose ${set} was changed`, async () => {
        await tamper(edit(set, 7));
        expect(await faults()).to.deep.equal(['7 changed']);
      });
    }

    it('names the entry after one whose hash was recomputed', async () => {
      await tamper(edit(`hash = repeat('0', 64)`, 7));
      expect(await faults()).to.deep.equal(['7 changed', '8 unlinked']);
      await tamper(edit(`hash = repeat('0', 64)`, ENTRIES));
      expect((await faults()).slice(2)).to.deep.equal([
        `${ENTRIES} changed`,
        `${ENTRIES} unlinked`,
      ]);
    });

    for (const [what, seq] of [
      ['first', 1],
      ['seventh', 7],
      ['last', ENTRIES],
    ] as const) {
      it(`names the ${what} entry when it was removed`, async () => {
        await tamper((client) =>
          client.query('DELETE FROM paymount.audit_log WHERE chain = $1 AND seq = $2', [
            account,
            seq,
          ]),
        );
        expect(await faults()).to.deep.equal([`${seq} missing`]);
      });
    }

    it('names entries that moved together to hide one that was removed', async () => {
      await tamper(async (client) => {
        const at = 'WHERE chain = $1 AND seq';
        await client.query(`DELETE FROM paymount.audit_log ${at} = 14`, [account]);
        await client.query(`UPDATE paymount.audit_log SET seq = 14 ${at} = 15`, [account]);
        await client.query(`UPDATE paymount.audit_heads SET seq = 14 WHERE chain = $1`, [account]);
      });
      expect(await faults()).to.deep.equal(['14 unlinked', '14 changed']);
    });

    it('names two entries that changed places', async () => {
      await tamper(async (client) => {
        for (const [from, to] of [
          [7, 0],
          [8, 7],
          [0, 8],
        ] as const) {
          await edit(`seq = ${to}`, from)(client);
        }
      });
      expect(await faults()).to.deep.equal([
        '7 unlinked',
        '7 changed',
        '8 unlinked',
        '8 changed',
        '9 unlinked',
      ]);
    });

    for (const seq of [0, -3, ENTRIES + 1, ENTRIES + 9]) {
      it(`names an entry that was put in at ${seq}`, async () => {
        await withClient(app.databaseUrl, (client) =>
          client.query(
            `INSERT INTO paymount.audit_log SELECT (r).* FROM (SELECT jsonb_populate_record(l,
               jsonb_build_object('id', 'aud_x', 'seq', $2::bigint)) AS r
             FROM paymount.audit_log l WHERE chain = $1 AND seq = 7) made`,
            [account, seq],
          ),
        );
        expect(await faults()).to.deep.equal([`${seq} unlinked`]);
      });
    }

    it('names an entry that was moved to the log of another account', async () => {
      await tamper(async (client) => {
        await client.query(
          `UPDATE paymount.audit_log SET chain = $2, account_id = $2, seq = 99
           WHERE chain = $1 AND seq = 7`,
          [account, app.account],
        );
      });
      const all = await storage.directory.audit.verify();
      expect(all.faults).to.deep.include.members([
        { accountId: account, seq: 7n, found: 'missing' },
        { accountId: app.account, seq: 99n, found: 'unlinked' },
      ]);
    });

    it('names the start of a chain whose head was removed, and appends nothing to it', async () => {
      await tamper((client) =>
        client.query('DELETE FROM paymount.audit_heads WHERE chain = $1', [account]),
      );
      expect(await faults()).to.deep.equal(['1 unlinked']);
      const failed = await app.paymount.accounts.suspend(account).then(
        () => 'done',
        () => 'refused',
      );
      expect(failed).to.equal('refused');
    });

    const cut = async (client: pg.Client): Promise<void> => {
      await client.query('DELETE FROM paymount.audit_log WHERE chain = $1 AND seq > 12', [account]);
      await client.query(
        `UPDATE paymount.audit_heads h SET seq = l.seq, hash = l.hash
         FROM paymount.audit_log l WHERE l.chain = $1 AND l.seq = 12 AND h.chain = $1`,
        [account],
      );
    };

    it('shows a tail that was cut with its head to a reader who kept an earlier head', async () => {
      await tamper(cut);
      expect(await faults()).to.deep.equal([]);
      expect(await faults(kept)).to.deep.equal([`${ENTRIES} missing`]);
    });

    it('shows it still when the log has grown again', async () => {
      await tamper(cut);
      for (let made = 0; made < 5; made += 1) {
        await app.paymount.accounts.update(account, { name: `Café ${made}` });
      }
      expect(await faults()).to.deep.equal([]);
      expect(await faults(kept)).to.deep.equal([`${ENTRIES} changed`]);
    });

    it('reports a chain that was removed completely, if its head was kept', async () => {
      await tamper(async (client) => {
        await client.query('DELETE FROM paymount.audit_log WHERE chain = $1', [account]);
        await client.query('DELETE FROM paymount.audit_heads WHERE chain = $1', [account]);
      });
      expect(await faults()).to.deep.equal([]);
      expect(await faults(kept)).to.deep.equal([`${ENTRIES} missing`]);
      const all = await storage.directory.audit.verify(undefined, kept.heads);
      expect(all.faults).to.deep.equal([
        { accountId: account, seq: BigInt(ENTRIES), found: 'missing' },
      ]);
    });

    it('names the first hundred of more faults', async () => {
      await tamper((client) =>
        client.query(
          `INSERT INTO paymount.audit_log SELECT (r).* FROM (SELECT jsonb_populate_record(l,
             jsonb_build_object('id', 'aud_' || n, 'seq', n)) AS r
           FROM paymount.audit_log l, generate_series(16, 300) n WHERE chain = $1 AND seq = 7) made;
           `.replace('$1', `'${account}'`) +
            `UPDATE paymount.audit_heads SET seq = 300 WHERE chain = '${account}'`,
        ),
      );
      expect(await faults()).to.have.lengthOf(100);
    });
  });

  // Last, because entries without hashes are faults to whoever verifies the log.
  describe('to export', () => {
    it('exports entries whose id is older than those exported before', async () => {
      const made = { name: 'Busy', country: 'DE', default_currency: 'eur' };
      const { id } = await app.paymount.accounts.create(made);
      await withClient(app.databaseUrl, (client) =>
        client.query(
          `INSERT INTO paymount.audit_log (id, chain, seq, account_id, created, actor_type, actor_id,
             via, action, target, prev_hash, hash)
           SELECT CASE n WHEN 502 THEN 'aud_0' ELSE 'aud_1' || lpad(n::text, 4, '0') END || $1, $1, n, $1,
             now(), 'host', 'host', 'host', 'account.update', $1, '', ''
           FROM generate_series(2, 600) AS n`,
          [id],
        ),
      );
      const seqs: number[] = [];
      const scope = { accounts: [id as AccountId], environments: ['live', 'test'] } as const;
      for await (const { seq } of storage.directory.audit.export(scope, {})) seqs.push(Number(seq));
      expect(seqs).to.deep.equal(Array.from({ length: 600 }, (_, index) => index + 1));
    });
  });
});
