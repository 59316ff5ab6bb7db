import { SchemaError } from '@paymount/core/kernel';
import type { QueryResultRow } from 'pg';
import { assertServer } from '../connection/assert-server.ts';
import { type ConnectionInput, openDatabase } from '../connection/open-database.ts';
import type { StatementResult } from '../connection/statement-sender.ts';
import { Session } from '../transaction/session.ts';
import { inTransaction } from '../transaction/transaction.ts';
import { describeDenied } from './describe-denied.ts';
import { MIGRATIONS } from './migrations/all-migrations.ts';
import { hashMigration, type Migration } from './migrations/migration.ts';

const WAIT_FOR_OTHER_MS = 60_000;
const STEP_LIMIT_MS = 600_000;
const CLIENT_CHECK_MS = 500;
const TO_MIGRATE = 'Run `npx paymount migrate`, or pass `migrate: true` to createPaymount().';

interface AppliedRow {
  readonly name: string;
  readonly hash: string;
  readonly breaking: boolean;
}

export interface MigrateOptions {
  readonly connection: ConnectionInput;
  /** @defaultValue paymount */
  readonly schema?: string;
  /** @defaultValue those of this version */
  readonly migrations?: readonly Migration[];
}

/**
 * Brings the schema up to this version; run it before processes of this version start. Each
 * migration is one transaction that first takes a lock and writes its row: of two processes the
 * second waits and then finds the row, and a killed process leaves no partial migration.
 * @returns the names of the migrations that this call applied
 * @throws SchemaError when an applied migration differs from ours
 * @throws DatabaseError when there is no connection, the server is too old, or the role lacks a right
 */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  const { connection, schema = 'paymount', migrations = MIGRATIONS } = options;
  const database = openDatabase({ connection, schema, pool: { max: 1 } });
  const session = new Session(database);
  try {
    await assertServer(session);
    const missing = await missingOf(session, migrations);
    const applied: string[] = [];
    for (const migration of missing) {
      const done = await inTransaction(session, (inner) => apply(inner, migration));
      if (done) applied.push(migration.name);
    }
    return applied;
  } catch (error) {
    throw await describeDenied(session, error, 'make_tables');
  } finally {
    await database.close();
  }
}

/** A process that starts on a schema that is up to date asks once, and takes no lock. */
async function missingOf(
  session: Session,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  const applied = new Map((await appliedTo(session))?.map((row) => [row.name, row]));
  return migrations.filter((migration) => {
    const known = applied.get(migration.name);
    if (known) assertUnchanged(migration, known);
    return known === undefined;
  });
}

async function apply(session: Session, migration: Migration): Promise<boolean> {
  const { schema } = session.statements;
  await run(session, `SET LOCAL lock_timeout = ${WAIT_FOR_OTHER_MS}`);
  await run(session, `SET LOCAL statement_timeout = ${STEP_LIMIT_MS}`);
  // Otherwise, after a process was killed, the server would finish its step before it releases the
  // lock.
  await run(session, `SET LOCAL client_connection_check_interval = ${CLIENT_CHECK_MS}`);
  await run(session, 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `migrate ${schema}`,
  ]);
  const before = await appliedTo(session);
  if (!before) await createBookkeeping(session);
  const known = before?.find(({ name }) => name === migration.name);
  if (known) {
    assertUnchanged(migration, known);
    return false;
  }
  await run(
    session,
    `INSERT INTO ${schema}.migrations (name, hash, breaking) VALUES ($1, $2, $3)`,
    [migration.name, hashMigration(migration), migration.breaking],
  );
  await run(session, migration.sql(schema));
  return true;
}

function run<Row extends QueryResultRow>(
  session: Session,
  text: string,
  values?: unknown[],
): Promise<StatementResult<Row>> {
  return session.plain<Row>(text, values, STEP_LIMIT_MS);
}

async function createBookkeeping(session: Session): Promise<void> {
  const { schema } = session.statements;
  const { rows } = await run<{ found: boolean }>(
    session,
    'SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1) AS found',
    [session.statements.schemaName],
  );
  // CREATE SCHEMA IF NOT EXISTS requires the right to create schemas even if the schema exists.
  if (!rows[0]?.found) await run(session, `CREATE SCHEMA ${schema}`);
  await run(
    session,
    `CREATE TABLE ${schema}.migrations (
      name text COLLATE "C" PRIMARY KEY,
      hash text NOT NULL,
      breaking boolean NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )`,
  );
}

/**
 * Checks at startup that this version can use the server and the schema.
 * @throws SchemaError when migrations are missing, were changed, or a newer version of Paymount
 *   has made a change that this one would misread
 * @throws DatabaseError when there is no connection, the server is too old, or the role lacks a right
 */
export async function assertSchema(
  session: Session,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const { schema } = session.statements;
  await assertServer(session);
  const applied = await appliedTo(session).catch(async (error: unknown) => {
    throw await describeDenied(session, error, 'use_tables');
  });
  if (!applied) {
    throw new SchemaError(`Schema ${schema} has no Paymount tables. ${TO_MIGRATE}`);
  }
  for (const migration of migrations) {
    const known = applied.find(({ name }) => name === migration.name);
    if (!known) {
      throw new SchemaError(`Schema ${schema} lacks migration ${migration.name}. ${TO_MIGRATE}`);
    }
    assertUnchanged(migration, known);
  }
  const ours = new Set(migrations.map(({ name }) => name));
  const breaking = applied.find((row) => row.breaking && !ours.has(row.name));
  if (breaking) {
    throw new SchemaError(
      `Schema ${schema} has migration ${breaking.name} of a newer Paymount, which this version ` +
        'cannot work with; upgrade the `paymount` package of this process.',
    );
  }
}

function assertUnchanged(migration: Migration, applied: AppliedRow): void {
  if (applied.hash === hashMigration(migration)) return;
  throw new SchemaError(
    `Migration ${migration.name} differs from the one applied to this database; ` +
      'install the released version of Paymount.',
  );
}

/** @returns undefined when the schema was never migrated */
async function appliedTo(session: Session): Promise<readonly AppliedRow[] | undefined> {
  const table = `${session.statements.schema}.migrations`;
  const { rows } = await run<{ found: boolean }>(
    session,
    // to_regclass would use a cache that may be older than the lock.
    "SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'migrations') AS found",
    [session.statements.schemaName],
  );
  if (!rows[0]?.found) return undefined;
  const applied = await run<AppliedRow>(
    session,
    `SELECT name, hash, breaking FROM ${table} ORDER BY name`,
  );
  return applied.rows;
}
