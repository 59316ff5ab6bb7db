import { DatabaseError } from '../connection/database-error.ts';
import { isSqlError } from '../connection/sql-errors.ts';
import type { Session } from '../transaction/session.ts';

const DENIED = '42501';

/** What a role tried to do: read and write the tables, or create, change and drop them. */
type Attempt = 'use_tables' | 'make_tables';

interface RightsRow {
  readonly role: string;
  readonly database: string;
  /** Null if the schema does not exist. */
  readonly owner: string | null;
  /** Null before the first migration. */
  readonly tables_owner: string | null;
  /** The owner of the tables may have more rights on this server. */
  readonly is_powerful: boolean | null;
  readonly can_use: boolean | null;
  readonly can_create: boolean | null;
  /**
   * Whether the role has the rights of the owner of the attempt log; null if the log does not
   * exist.
   */
  readonly owns_log: boolean | null;
}

/** Names quoted for SQL. Every role may read the catalogs. */
const RIGHTS = `SELECT quote_ident(current_user) AS role, quote_ident(current_database()) AS database,
    quote_ident(pg_get_userbyid(n.nspowner)) AS owner,
    quote_ident(t.rolname) AS tables_owner,
    t.rolsuper OR t.rolcreaterole OR t.rolcreatedb OR t.rolreplication OR t.rolbypassrls
      AS is_powerful,
    has_schema_privilege(n.oid, 'USAGE') AS can_use,
    has_schema_privilege(n.oid, 'CREATE') AS can_create,
    pg_has_role(l.relowner, 'USAGE') AS owns_log
  FROM (VALUES (1)) AS one LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = $1
    LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = 'migrations'
    LEFT JOIN pg_catalog.pg_class l ON l.relnamespace = n.oid AND l.relname = 'delivery_attempts'
    LEFT JOIN pg_catalog.pg_roles t ON t.oid = c.relowner`;

/**
 * Names the privilege that a role lacks, and the statement that grants it and no more.
 * @returns the same error if it has another cause
 */
export async function describeDenied(
  session: Session,
  error: unknown,
  attempt: Attempt,
): Promise<unknown> {
  if (!isSqlError(error) || error.code !== DENIED) return error;
  const row = await readRights(session);
  const said = row && denied(row, session, attempt);
  return said === undefined ? error : new DatabaseError(said, DENIED);
}

/**
 * Checks in advance why the role may not add a partition to the attempt log.
 * @returns undefined if it may
 */
export async function whyNoTables(session: Session): Promise<string | undefined> {
  const row = await readRights(session);
  if (!row || (row.can_use && row.can_create && row.owns_log)) return undefined;
  return denied(row, session, 'make_tables');
}

async function readRights(session: Session): Promise<RightsRow | undefined> {
  return (await session.plain<RightsRow>(RIGHTS, [session.statements.schemaName])).rows[0];
}

function denied(row: RightsRow, { statements }: Session, attempt: Attempt): string | undefined {
  const { schema } = statements;
  return deniedSchema(row, schema, attempt) ?? deniedTables(row, schema, attempt);
}

function deniedSchema(row: RightsRow, schema: string, attempt: Attempt): string | undefined {
  const { role, database, owner } = row;
  if (owner === null) {
    return (
      `The role ${role} may not create the schema ${schema}. As the owner of the database, run: ` +
      `GRANT CREATE ON DATABASE ${database} TO ${role}`
    );
  }
  if (attempt === 'make_tables' && !(row.can_use && row.can_create)) {
    return (
      `The role ${role} may not make tables in the schema ${schema}. As its owner (${owner}), run: ` +
      `GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}`
    );
  }
  if (row.can_use) return undefined;
  return (
    `The role ${role} may not use the schema ${schema}. As its owner (${owner}), run: ` +
    `GRANT USAGE ON SCHEMA ${schema} TO ${role}`
  );
}

function deniedTables(row: RightsRow, schema: string, attempt: Attempt): string | undefined {
  const { role, tables_owner: owner } = row;
  if (owner === null) return undefined;
  if (attempt === 'use_tables') {
    return (
      `The role ${role} may not read and write the tables in the schema ${schema}. As their owner ` +
      `(${owner}), run: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} ` +
      `TO ${role}; GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`
    );
  }
  const found = `The role ${role} does not own the tables in the schema ${schema}, so it may not change them.`;
  // Membership in such a role would grant far more than these tables.
  if (row.is_powerful) {
    return `${found} As ${owner}, run for each of them: ALTER TABLE ${schema}.name OWNER TO ${role}`;
  }
  return `${found} Connect as ${owner}, who made them, or run: GRANT ${owner} TO ${role}`;
}
