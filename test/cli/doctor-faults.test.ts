import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { startApp } from '../support/app.ts';
import { freshDatabase, query, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { inFolder } from '../support/in-folder.ts';
import { doctor, type Finding } from './run-doctor.ts';

const DAY = 86_400_000;

/** The servers of tests may lose data when they crash. */
function faultsIn(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ verdict, subject }) => verdict !== 'ok' && subject !== 'durability');
}

/** `2026-11-23` */
function dayAfter(days: number): string {
  return new Date(Date.now() + days * DAY).toISOString().slice(0, 10);
}

describe('paymount doctor finds what keeps an installation from working', () => {
  const key = randomBytes(32).toString('base64');
  let folder: string;
  let database: TestDatabase;
  let env: Record<string, string>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paymount-doctor-'));
    database = await freshDatabase();
    env = { DATABASE_URL: database.url, PAYMOUNT_KEYS: `shop:${key}` };
    const app = await startApp({
      paymount: { database: database.url, sealingKeys: [{ kid: 'shop', key }] },
    });
    await app.worker.drain();
    await app.close();
  });
  after(async () => {
    await rm(folder, { recursive: true });
    await database.drop();
  });

  /** What it finds, while a statement has changed the database. */
  async function broken(statement: string, undo: string) {
    await query(database.url, statement);
    try {
      const { exitCode, findings } = await doctor(env);
      return { exitCode, wrong: faultsIn(findings) };
    } finally {
      await query(database.url, undo);
    }
  }

  it('nothing, before anything is broken', async () => {
    const { exitCode, findings, found } = await doctor(env);
    expect(faultsIn(findings)).to.deep.equal([]);
    expect(exitCode).to.equal(0);
    expect(found('keys')?.message).to.equal('They open the stored secrets.');
  });

  describe('in the schema', () => {
    it('an index that is gone, with the statement that makes it again', async () => {
      const [made] = await query<{ sql: string }>(
        database.url,
        "SELECT pg_get_indexdef('paymount.deliveries_due'::regclass) AS sql",
      );
      const { exitCode, wrong } = await broken(
        'DROP INDEX paymount.deliveries_due',
        made?.sql ?? '',
      );
      expect(exitCode).to.equal(1);
      expect(wrong).to.have.length(1);
      expect(wrong[0]).to.include({ subject: 'schema', verdict: 'problem' });
      expect(wrong[0]?.message).to.match(
        /^The index deliveries_due is missing\. Run: CREATE INDEX deliveries_due ON "paymount"\.deliveries USING btree /,
      );
      expect((await doctor(env)).ok).to.equal(true);
    });

    it('an index that was not completed', async () => {
      const set = (valid: boolean) =>
        `UPDATE pg_index SET indisvalid = ${valid} WHERE indexrelid = 'paymount.deliveries_due'::regclass`;
      expect(await broken(set(false), set(true))).to.deep.equal({
        exitCode: 1,
        wrong: [
          {
            subject: 'schema',
            verdict: 'problem',
            message:
              'The index deliveries_due is not as the migrations made it. It is invalid. Run: REINDEX INDEX "paymount".deliveries_due',
          },
        ],
      });
    });

    it('a table that is gone, once and not for each of its columns', async () => {
      const rename = (from: string, to: string) => `ALTER TABLE paymount.${from} RENAME TO ${to}`;
      const { exitCode, wrong } = await broken(
        rename('invoice_numbers', 'was_invoice_numbers'),
        rename('was_invoice_numbers', 'invoice_numbers'),
      );
      expect(exitCode).to.equal(1);
      expect(wrong.map(({ message }) => message)).to.deep.equal([
        'The table invoice_numbers is missing. Restore it from a backup.',
      ]);
    });

    it('a table that another examination reads, by name', async () => {
      const { wrong } = await broken(
        'ALTER TABLE paymount.mails RENAME TO was_mails',
        'ALTER TABLE paymount.was_mails RENAME TO mails',
      );
      expect(wrong.map(({ message }) => message)).to.include(
        'The table mails is missing. Restore it from a backup.',
      );
    });

    it('a column of another type, and one that is gone', async () => {
      const { wrong } = await broken(
        `ALTER TABLE paymount.accounts ALTER COLUMN name DROP NOT NULL;
         ALTER TABLE paymount.accounts RENAME COLUMN email TO was_email`,
        `ALTER TABLE paymount.accounts ALTER COLUMN name SET NOT NULL;
         ALTER TABLE paymount.accounts RENAME COLUMN was_email TO email`,
      );
      expect(wrong.map(({ message }) => message)).to.deep.equal([
        'The column accounts.email is missing. Restore it from a backup.',
        'The column accounts.name is not as the migrations made it. Expected: text NOT NULL; found: text',
      ]);
    });

    it('triggers and constraints that are gone or disabled', async () => {
      const [trigger] = await query<{ table: string; name: string }>(
        database.url,
        `SELECT tgrelid::regclass::text AS table, tgname AS name FROM pg_trigger
         WHERE NOT tgisinternal AND tgrelid::regclass::text LIKE 'paymount.%' ORDER BY tgname LIMIT 1`,
      );
      if (trigger === undefined) throw new Error('There is no trigger.');
      const { table, name } = trigger;
      const disabled = await broken(
        `ALTER TABLE ${table} DISABLE TRIGGER ${name}`,
        `ALTER TABLE ${table} ENABLE TRIGGER ${name}`,
      );
      expect(disabled.exitCode).to.equal(1);
      expect(disabled.wrong.map(({ message }) => message)).to.deep.equal([
        `The trigger ${name} of ${table.slice(9)} is not as the migrations made it. It is disabled. ` +
          `Run: ALTER TABLE "paymount"${table.slice(8)} ENABLE TRIGGER ${name}`,
      ]);
      const dropped = await broken(
        'ALTER TABLE paymount.accounts DROP CONSTRAINT accounts_country_check',
        'ALTER TABLE paymount.accounts ADD CONSTRAINT accounts_country_check CHECK (length(country) = 2)',
      );
      expect(dropped.wrong.map(({ message }) => message)).to.deep.equal([
        'The constraint accounts_country_check of accounts is missing. Run: ALTER TABLE "paymount".accounts ' +
          'ADD CONSTRAINT accounts_country_check CHECK ((length(country) = 2))',
      ]);
      expect((await doctor(env)).ok).to.equal(true);
    });

    it('a constraint of somebody else, as a warning', async () => {
      const { exitCode, wrong } = await broken(
        "ALTER TABLE paymount.accounts ADD CONSTRAINT no_bob CHECK (name <> 'Bob')",
        'ALTER TABLE paymount.accounts DROP CONSTRAINT no_bob',
      );
      expect(exitCode).to.equal(0);
      expect(wrong.map(({ verdict, message }) => `${verdict}: ${message}`)).to.deep.equal([
        'warning: The constraint no_bob of accounts is not from Paymount, and may refuse what it writes: ' +
          "CHECK ((name <> 'Bob'::text))",
      ]);
    });

    it('nothing in an index and an optional column of the operator', async () => {
      const { wrong } = await broken(
        'CREATE INDEX own ON paymount.accounts (name); ALTER TABLE paymount.accounts ADD COLUMN own text',
        'DROP INDEX paymount.own; ALTER TABLE paymount.accounts DROP COLUMN own',
      );
      expect(wrong).to.deep.equal([]);
    });

    it('that a newer version has changed it', async () => {
      const { exitCode, wrong } = await broken(
        "INSERT INTO paymount.migrations (name, hash, breaking) VALUES ('9999-later', 'x', false)",
        "DELETE FROM paymount.migrations WHERE name = '9999-later'",
      );
      expect(exitCode).to.equal(0);
      expect(wrong).to.deep.equal([
        {
          subject: 'schema',
          verdict: 'warning',
          message:
            'A newer version of Paymount has applied 9999-later. Run the doctor of that version.',
        },
      ]);
    });
  });

  it('sealing keys that do not open the stored secrets', async () => {
    const other = randomBytes(32).toString('base64');
    for (const keys of [`shop:${other}`, `other:${key}`]) {
      const { exitCode, found } = await doctor({ ...env, PAYMOUNT_KEYS: keys });
      expect(exitCode).to.equal(1);
      expect(found('keys')?.verdict).to.equal('problem');
      expect(found('keys')?.message).to.match(
        /^Secrets in \w+ that were sealed with the key "shop" cannot be opened\. Pass the original key/,
      );
    }
    // A developer's own folder may hold a key that an app has made there.
    const elsewhere = (env: Record<string, string>, ...args: readonly string[]) =>
      inFolder(folder, () => doctor(env, ...args));
    const { found } = await elsewhere({ DATABASE_URL: database.url });
    expect(found('keys')).to.deep.equal({
      subject: 'keys',
      verdict: 'warning',
      message:
        'Not checked. What is stored was sealed by "shop". Set PAYMOUNT_KEYS, or pass --config.',
    });
    const config = join(folder, 'options.mjs');
    await writeFile(config, `export const options = { database: '${database.url}' };`);
    const configured = await elsewhere({}, '--config', config);
    expect(configured.exitCode).to.equal(1);
    expect(configured.found('keys')?.message).to.equal(
      'The options have no sealingKeys, and this folder has no .paymount/keys. ' +
        'What is stored was sealed by "shop". Pass the keys that your app uses.',
    );
  });

  it('a gap in the partitions of the log, today and later', async () => {
    for (const days of [0, 3]) {
      const name = `paymount.delivery_attempts_${dayAfter(days).replaceAll('-', '')}`;
      const { exitCode, wrong } = await broken(
        `ALTER TABLE paymount.delivery_attempts DETACH PARTITION ${name}`,
        `ALTER TABLE paymount.delivery_attempts ATTACH PARTITION ${name}
         FOR VALUES FROM ('${dayAfter(days)}Z') TO ('${dayAfter(days + 1)}Z')`,
      );
      expect(exitCode).to.equal(1);
      expect(wrong).to.deep.equal([
        {
          subject: 'log',
          verdict: 'problem',
          message:
            `It has no partition for ${dayAfter(days)}, but for later days. ` +
            'Attempts of these days cannot be recorded. A worker creates them; start one.',
        },
      ]);
    }
  });

  it('autovacuum that is off for a table', async () => {
    const { exitCode, wrong } = await broken(
      'ALTER TABLE paymount.deliveries SET (autovacuum_enabled = false)',
      'ALTER TABLE paymount.deliveries RESET (autovacuum_enabled)',
    );
    expect(exitCode).to.equal(1);
    expect(wrong).to.deep.equal([
      {
        subject: 'autovacuum',
        verdict: 'problem',
        message:
          'It is off for deliveries, so its deleted rows stay. Run: ALTER TABLE "paymount".deliveries RESET (autovacuum_enabled)',
      },
    ]);
  });

  it('a database in which nothing can be written', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const { exitCode, wrong } = await broken(
      `ALTER DATABASE "${name}" SET default_transaction_read_only = on`,
      `BEGIN READ WRITE; ALTER DATABASE "${name}" RESET default_transaction_read_only; COMMIT`,
    );
    expect(exitCode).to.equal(1);
    expect(wrong.map(({ subject }) => subject)).to.include('server');
  });

  describe('in locks', () => {
    let holder: pg.Client;
    let waiter: pg.Client;

    beforeEach(async () => {
      [holder, waiter] = [database, database].map(
        ({ url }) => new pg.Client({ connectionString: url, application_name: 'shop' }),
      ) as [pg.Client, pg.Client];
      await Promise.all([holder.connect(), waiter.connect()]);
      await holder.query('BEGIN');
    });
    afterEach(async () => {
      await holder.end();
      await waiter.end();
    });

    it('a session that keeps writers from a table', async () => {
      await holder.query('LOCK TABLE paymount.deliveries IN EXCLUSIVE MODE');
      const { exitCode, found } = await doctor(env);
      expect(exitCode).to.equal(1);
      expect(found('locks')?.verdict).to.equal('problem');
      expect(found('locks')?.message).to.match(
        /^The session \d+ \(role \w+, shop, idle in transaction\), open for \d+ seconds, holds locks on deliveries\. Nothing can be written there\. .*End it: SELECT pg_terminate_backend\(\d+\)\.$/,
      );
    });

    it('a session whose rows others wait for, and who waits', async () => {
      const touch = 'UPDATE paymount.accounts SET name = name';
      await holder.query(touch);
      const waiting = waiter.query(touch);
      const found = await eventually(
        async () => (await doctor(env)).found('locks'),
        (finding) => finding?.verdict === 'problem',
      );
      expect(found?.message).to.match(
        /holds locks on accounts\. Sessions that wait for it: 1, the longest for \d+ seconds\. End it: SELECT pg_terminate_backend\(\d+\)\.$/,
      );
      await holder.query('ROLLBACK');
      await waiting;
    });

    it('nothing in a transaction of a moment', async () => {
      await holder.query('UPDATE paymount.accounts SET name = name');
      expect((await doctor(env)).ok).to.equal(true);
    });
  });
});
