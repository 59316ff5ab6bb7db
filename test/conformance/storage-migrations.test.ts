import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { DispatchHub } from '@paymount/core/events';
import { SchemaError } from '@paymount/core/kernel';
import { createPostgresStorage, migrate } from '@paymount/storage-postgres';
import { expect } from 'chai';
import pg from 'pg';
import { MIGRATIONS } from '../../packages/storage-postgres/src/schema/migrations/all-migrations.ts';
import type { Migration } from '../../packages/storage-postgres/src/schema/migrations/migration.ts';
import { childProgram } from '../support/child-program.ts';
import {
  emptyDatabase,
  freshDatabase,
  query,
  type TestDatabase,
  withClient,
} from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { seedHistory } from '../support/seed-history.ts';

const NAMES = MIGRATIONS.map(({ name }) => name);
const CHILD = new URL('./migrate-slowly.ts', import.meta.url);

function madeUp(
  name: string,
  breaking: boolean,
  sql: Migration['sql'] = () => 'SELECT 1',
): Migration {
  return { name, breaking, sql };
}

async function assertSchema(url: string, schema?: string): Promise<void> {
  const options = { connection: url, dispatch: new DispatchHub(), ...(schema && { schema }) };
  const postgres = createPostgresStorage(options);
  try {
    await postgres.assertSchema();
  } finally {
    await postgres.close();
  }
}

async function rejectionMessage(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).to.be.instanceOf(SchemaError);
  return (error as SchemaError).message;
}

describe('migrations', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await emptyDatabase();
  });
  afterEach(() => database.drop());

  it('applies each once, however many processes begin at the same time', async () => {
    const applied = await Promise.all(
      Array.from({ length: 5 }, () => migrate({ connection: database.url })),
    );
    expect(applied.flat().toSorted()).to.deep.equal(NAMES);
    expect(await migrate({ connection: database.url })).to.deep.equal([]);
    await assertSchema(database.url);
  });

  it('waits for nobody where the schema is up to date', async () => {
    await migrate({ connection: database.url });
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    try {
      await other.query('BEGIN');
      const lock = `SELECT pg_advisory_xact_lock(hashtextextended('migrate "paymount"', 0))`;
      await other.query(lock);
      expect(await migrate({ connection: database.url })).to.deep.equal([]);
    } finally {
      await other.end();
    }
  });

  it('keeps two schemas of one database apart', async () => {
    await migrate({ connection: database.url, schema: 'one' });
    await migrate({ connection: database.url, schema: 'Two' });
    await assertSchema(database.url, 'Two');
    const tables = await query(
      database.url,
      `SELECT schemaname FROM pg_tables WHERE tablename = 'charges' ORDER BY 1`,
    );
    expect(tables.map(({ schemaname }) => schemaname)).to.deep.equal(['Two', 'one']);
  });

  it('uses a schema that exists, without the right to create one', async () => {
    await query(
      database.url,
      `CREATE ROLE limited_${process.pid} LOGIN;
       CREATE SCHEMA given AUTHORIZATION limited_${process.pid};`,
    );
    const url = new URL(database.url);
    url.username = `limited_${process.pid}`;
    try {
      await migrate({ connection: url.href, schema: 'given' });
      await assertSchema(url.href, 'given');
    } finally {
      await query(
        database.url,
        `DROP OWNED BY limited_${process.pid} CASCADE; DROP ROLE limited_${process.pid};`,
      );
    }
  });

  it('leaves nothing of a migration whose process was killed half-way', async () => {
    const child = spawn(process.execPath, [await childProgram(CHILD), database.url], {
      stdio: 'inherit',
    });
    const exited = once(child, 'exit');
    const sleeping = `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event = 'PgSleep'`;
    for (let tries = 0; (await query(database.url, sleeping)).length === 0; tries += 1) {
      if (tries === 500) throw new Error('The slow migration did not begin.');
      await wait(20);
    }
    child.kill('SIGKILL');
    await exited;
    const half = `SELECT to_regclass('paymount.half_made')::text AS made`;
    expect(await query(database.url, half)).to.deep.equal([{ made: null }]);
    const done = madeUp('9000-slow', false, (s) => `CREATE TABLE ${s}.half_made (id int)`);
    const migrations = [...MIGRATIONS, done];
    expect(await migrate({ connection: database.url, migrations })).to.deep.equal(['9000-slow']);
  });

  it('undoes a migration that fails, and keeps those before it', async () => {
    const broken = madeUp(
      '9000-broken',
      false,
      (s) => `CREATE TABLE ${s}.half_made (id int); SELEKT`,
    );
    const migrations = [...MIGRATIONS, broken];
    const failed = await migrate({ connection: database.url, migrations }).catch(() => 'failed');
    expect(failed).to.equal('failed');
    await assertSchema(database.url);
    const half = `SELECT to_regclass('paymount.half_made')::text AS made`;
    expect(await query(database.url, half)).to.deep.equal([{ made: null }]);
  });

  it('refuses to start where a migration is missing, saying what to do', async () => {
    expect(await rejectionMessage(assertSchema(database.url))).to.equal(
      'Schema "paymount" has no Paymount tables. Run `npx paymount migrate`, or pass `migrate: true` to createPaymount().',
    );
    await migrate({ connection: database.url, migrations: MIGRATIONS.slice(0, 2) });
    expect(await rejectionMessage(assertSchema(database.url))).to.equal(
      `Schema "paymount" lacks migration ${NAMES[2]}. Run \`npx paymount migrate\`, or pass \`migrate: true\` to createPaymount().`,
    );
  });

  it('runs on a newer schema, until a newer migration is breaking', async () => {
    const added = madeUp('9000-added', false);
    await migrate({ connection: database.url, migrations: [...MIGRATIONS, added] });
    await assertSchema(database.url);
    const renamed = madeUp('9001-renamed', true);
    await migrate({ connection: database.url, migrations: [...MIGRATIONS, added, renamed] });
    expect(await rejectionMessage(assertSchema(database.url))).to.equal(
      'Schema "paymount" has migration 9001-renamed of a newer Paymount, which this version ' +
        'cannot work with; upgrade the `paymount` package of this process.',
    );
  });

  it('refuses a migration that was edited after it was applied', async () => {
    const before = madeUp('9000-frozen', false);
    await migrate({ connection: database.url, migrations: [...MIGRATIONS, before] });
    const edited = madeUp('9000-frozen', false, () => 'SELECT 2');
    const migrations = [...MIGRATIONS, edited];
    expect(await rejectionMessage(migrate({ connection: database.url, migrations }))).to.match(
      /^Migration 9000-frozen differs from the one applied/,
    );
  });

  it('removes what methods that were detached before say about a person', async () => {
    const at = NAMES.indexOf('0061-forgotten-payment-methods');
    await migrate({ connection: database.url, migrations: MIGRATIONS.slice(0, at) });
    const bank = `'{"last4":"6789","accountHolderName":"Leaverina"}'`;
    const leaver = `'{"name":"Leaverina","email":null,"phone":null,"address":null}'`;
    await query(
      database.url,
      `SET session_replication_role = replica;
       INSERT INTO paymount.payment_methods (id, account_id, livemode, version, type, card,
         us_bank_account, sealed_number, kid, processor_token, billing_details, metadata,
         customer_id, detached_at, created)
       VALUES
         ('pm_card', 'acct_1', false, 3, 'card', '{}', NULL, NULL, NULL, 'x', ${leaver},
           '{"note":"Leaverina"}', NULL, now(), now()),
         ('pm_bank', 'acct_1', false, 3, 'us_bank_account', NULL, ${bank}, 'sealed', 'k1', 'x',
           ${leaver}, '{}', NULL, now(), now()),
         ('pm_kept', 'acct_1', false, 3, 'us_bank_account', NULL, ${bank}, 'sealed', 'k1', 'x',
           ${leaver}, '{}', 'cus_1', NULL, now())`,
    );
    await migrate({ connection: database.url });
    const rows = await query(
      database.url,
      `SELECT id, version, sealed_number, p::text LIKE '%Leaverina%' AS has_name
        FROM paymount.payment_methods p ORDER BY id`,
    );
    expect(rows).to.deep.equal([
      { id: 'pm_bank', version: 4, sealed_number: 'sealed', has_name: false },
      { id: 'pm_card', version: 4, sealed_number: null, has_name: false },
      { id: 'pm_kept', version: 3, sealed_number: 'sealed', has_name: true },
    ]);
  });

  it('makes the balance of a customer the first move of it, in the currency of the account', async () => {
    const at = NAMES.indexOf('0090-customer-balances');
    await migrate({ connection: database.url, migrations: MIGRATIONS.slice(0, at) });
    const suffix = '01m8fcm7gze7pasdbxtmp5t4c7';
    await query(
      database.url,
      `INSERT INTO paymount.accounts (id, name, country, default_currency, status, version, created)
         VALUES ('acct_1', 'Shop', 'JP', 'jpy', 'active', 1, now());
       INSERT INTO paymount.customers (id, account_id, livemode, version, balance,
         preferred_locales, metadata, created)
       VALUES ('cus_${suffix}', 'acct_1', true, 4, -700, '{}', '{}', '2026-01-02T03:04:05Z'),
         ('cus_none', 'acct_1', true, 1, 0, '{}', '{}', now())`,
    );
    await migrate({ connection: database.url });
    const customers = `SELECT id, version, currency, balance, balances
      FROM paymount.customers ORDER BY id`;
    expect(await query(database.url, customers)).to.deep.equal([
      {
        id: `cus_${suffix}`,
        version: 4,
        currency: 'jpy',
        balance: '-700',
        balances: { jpy: -700 },
      },
      { id: 'cus_none', version: 1, currency: null, balance: '0', balances: {} },
    ]);
    const moves = await query(
      database.url,
      `SELECT id, customer_id, livemode, currency, number, amount, ending_balance, type, created
        FROM paymount.customer_balance_transactions`,
    );
    expect(moves).to.deep.equal([
      {
        id: `cbtxn_${suffix}`,
        customer_id: `cus_${suffix}`,
        livemode: true,
        currency: 'jpy',
        number: 1,
        amount: '-700',
        ending_balance: '-700',
        type: 'adjustment',
        created: new Date('2026-01-02T03:04:05Z'),
      },
    ]);
  });

  it('tells which refunds, events and deliveries of before are on a test clock', async () => {
    const at = NAMES.indexOf('0075-lists-without-clocks');
    await migrate({ connection: database.url, migrations: MIGRATIONS.slice(0, at) });
    // Charges 4 and 24 have a refund and two events each; those of 24 are on a clock.
    await withClient(database.url, (client) => seedHistory(client, { charges: 40, accounts: 1 }));
    const named = (prefix: string, n: number): string =>
      `'${prefix}_${String(n).padStart(26, '0')}'`;
    const account = named('acct', 0);
    const later = `'2035-01-01T00:00:00Z'`;
    await query(
      database.url,
      `SET session_replication_role = replica;
       UPDATE paymount.charges SET test_clock_id = 'clock_1' WHERE id = ${named('ch', 24)};
       INSERT INTO paymount.disputes (account_id, livemode, id, version, status, charge_id, amount,
           currency, reason, processor_name, processor_reference, due_by, evidence, submission_count,
           metadata, created, test_clock_id)
         VALUES (${account}, false, 'dp_1', 1, 'warning_closed', 'ch_1', 1, 'eur', 'general', 'x', 'x',
           ${later}, '{}', 0, '{}', ${later}, 'clock_1');
       INSERT INTO paymount.payouts (account_id, livemode, id, version, status, amount, currency,
           arrival_date, automatic, destination_id, balance_transaction_id, processor_name, metadata,
           created, test_clock_id)
         VALUES (${account}, false, 'po_1', 1, 'paid', 1, 'eur', ${later}, false, 'ba_1', 'txn_1', 'x',
           '{}', ${later}, 'clock_1');
       INSERT INTO paymount.events (account_id, livemode, id, type, api_version, created, object_id,
           object_version, body, source)
         SELECT ${account}, false, 'evt_' || o, 'x', '2026-11-01', ${later}, o, 1, '{}', 'api'
         FROM unnest(ARRAY['dp_1', 'po_1', 'po_2']) AS o;
       UPDATE paymount.events SET recorded_at = '2026-11-20';
       INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
           origin, state, attempt, due_at, created)
         SELECT ${account}, false, d, e, 'we_1', 'x', origin, 'pending', 1, now(), ${later}
         FROM (VALUES ('dlv_1', ${named('evt', 48)}, 'event'), ('dlv_2', ${named('evt', 48)}, 'replay'),
           ('dlv_3', 'evt_po_1', 'event'), ('dlv_4', ${named('evt', 8)}, 'event'))
           AS n (d, e, origin)`,
    );
    await migrate({ connection: database.url });
    const onClock = async (table: string) =>
      (
        await query<{ id: string }>(
          database.url,
          `SELECT id FROM paymount.${table} WHERE test_clock_id = 'clock_1' ORDER BY id`,
        )
      ).map(({ id }) => `'${id}'`);
    expect(await onClock('refunds')).to.deep.equal([named('re', 24)]);
    expect(await onClock('events')).to.deep.equal([
      named('evt', 48),
      named('evt', 49),
      `'evt_dp_1'`,
      `'evt_po_1'`,
    ]);
    const others = await query<{ count: number }>(
      database.url,
      `SELECT count(*)::integer AS count FROM paymount.events WHERE test_clock_id <> 'clock_1'`,
    );
    expect(others).to.deep.equal([{ count: 0 }]);
    // Only those that are made with the event had the time of the clock.
    const days = await query(
      database.url,
      `SELECT id, to_char(created AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day FROM paymount.deliveries
        ORDER BY id`,
    );
    expect(days).to.deep.equal([
      { id: 'dlv_1', day: '2026-11-20' },
      { id: 'dlv_2', day: '2035-01-01' },
      { id: 'dlv_3', day: '2026-11-20' },
      { id: 'dlv_4', day: '2035-01-01' },
    ]);
  });

  it('lets a second role of the previous version work before it gets rights on new tables', async () => {
    const at = NAMES.indexOf('0063-makers-of-endpoints');
    await migrate({ connection: database.url, migrations: MIGRATIONS.slice(0, at) });
    const other = `other_${process.pid}`;
    await query(
      database.url,
      `CREATE ROLE ${other};
       GRANT USAGE ON SCHEMA paymount TO ${other};
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA paymount TO ${other};
       SET session_replication_role = replica;
       INSERT INTO paymount.accounts (id, name, country, default_currency, status, version, created)
         VALUES ('acct_1', 'Shop', 'DE', 'eur', 'active', 1, now());
       INSERT INTO paymount.api_keys (id, account_id, livemode, type, name, hash, redacted, status, version,
           created, created_by)
         VALUES ('key_1', 'acct_1', true, 'secret', 'Key', sha256('x'), 'sk_...', 'active', 1, now(), 'x')`,
    );
    try {
      await migrate({ connection: database.url });
      await query(
        database.url,
        `SET ROLE ${other};
         UPDATE paymount.api_keys SET status = 'revoked', revoked_at = now(),
           revoked_reason = 'owner' WHERE id = 'key_1';
         INSERT INTO paymount.balance_transactions (id, account_id, livemode, type, source_id, amount, fee,
             fee_details, currency, status, available_on, created)
           VALUES ('txn_1', 'acct_1', true, 'payment', 'ch_1', 500, 20, '[]', 'eur', 'pending', now(), now());
         INSERT INTO paymount.bank_accounts (id, account_id, livemode, version, last4, fingerprint, country,
             currency, is_default, metadata, status, sealed_number, kid, created)
           SELECT id, 'acct_1', true, 1, '6789', 'print', 'DE', 'eur', id = 'ba_1', '{}', 'new', 'x', 'k',
             created
           -- One is restored from a backup: nobody has added it now.
           FROM (VALUES ('ba_1', now()), ('ba_2', now() - interval '2 days')) AS n (id, created)`,
      );
      const written = await query(
        database.url,
        `SELECT (SELECT count(*)::integer FROM paymount.ended_access) AS ended,
          (SELECT sum(amount)::integer FROM paymount.pending_bank_funds) AS funds,
          (SELECT count(*)::integer FROM paymount.unannounced_destinations) AS destinations`,
      );
      expect(written).to.deep.equal([{ ended: 1, funds: 480, destinations: 1 }]);
    } finally {
      await query(database.url, `DROP OWNED BY ${other} CASCADE; DROP ROLE ${other}`);
    }
  });

  it('runs each trigger that writes into a table with the rights of its owner', async () => {
    await migrate({ connection: database.url });
    const writers = await query<{ name: string }>(
      database.url,
      `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'paymount'::regnamespace
        AND prosrc ~* '(INSERT INTO|DELETE FROM|UPDATE paymount)' AND (NOT prosecdef
          OR array_to_string(proconfig, ';') IS DISTINCT FROM 'search_path=pg_catalog, pg_temp'
          OR has_function_privilege('public', oid, 'EXECUTE'))`,
    );
    expect(writers).to.deep.equal([]);
  });

  it('lets nobody wait for the index of charges by invoice who only reads charges', async () => {
    const at = NAMES.indexOf('0093-charges-of-invoices');
    const before = MIGRATIONS.slice(0, at);
    expect(before.at(-1)?.name).to.equal('0092-invoices-of-charges');
    await migrate({ connection: database.url, migrations: before });
    await withClient(database.url, async (reader) => {
      await reader.query('BEGIN');
      await reader.query('SELECT FROM paymount.charges LIMIT 1');
      // The lock of the reader is held until its transaction ends.
      expect(await migrate({ connection: database.url })).to.include('0093-charges-of-invoices');
      await reader.query('COMMIT');
    });
  });

  it('stops writers for a second at a time while it waits to build an index', async () => {
    const at = NAMES.indexOf('0085-charge-lists-without-clocks');
    await migrate({ connection: database.url, migrations: MIGRATIONS.slice(0, at) });
    await withClient(database.url, (client) => seedHistory(client, { charges: 40, accounts: 1 }));
    const write = (n: number): string =>
      `UPDATE paymount.charges SET version = version + 1 WHERE id LIKE '%${n}'`;
    await withClient(database.url, async (host) => {
      await host.query('BEGIN');
      await host.query(write(4));
      const migrated = migrate({ connection: database.url });
      const waiting = `SELECT FROM pg_locks WHERE NOT granted AND mode = 'ShareLock'
        AND relation = 'paymount.charges'::regclass
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      await eventually(
        () => query(database.url, waiting),
        ({ length }) => length === 1,
        10_000,
      );
      // As long as any change of a charge waits for a lock.
      await query(database.url, `SET lock_timeout = '3s'; ${write(5)}`);
      await host.query('COMMIT');
      expect(await migrated).to.include('0085-charge-lists-without-clocks');
    });
  });

  it('refuses names of schemas that would need quoting', async () => {
    const wrong = migrate({ connection: database.url, schema: 'a"; DROP' }).catch(String);
    expect(await wrong).to.match(/is no schema name/);
  });
});

describe('the template of the tests', () => {
  it('is migrated to this version', async () => {
    const database = await freshDatabase();
    await assertSchema(database.url);
    await database.drop();
  });
});
