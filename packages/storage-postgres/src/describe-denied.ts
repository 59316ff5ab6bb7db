import { DatabaseError } from './database-error.ts';
import type { Session } from './session.ts';
import { isSqlError } from './shared/sql-errors.ts';

const DENIED = '42501';

interface RightsRow {
  readonly role: string;
  readonly database: string;
  /** Null where there is no schema. */
  readonly owner: string | null;
  /** Null before the first migration. */
  readonly tables_owner: string | null;
  readonly can_use: boolean | null;
  readonly can_create: boolean | null;
}

/** Names as they stand in SQL. Catalogs are open to everybody. */
const RIGHTS = `SELECT quote_ident(current_user) AS role, quote_ident(current_database()) AS database,
    quote_ident(pg_get_userbyid(n.nspowner)) AS owner,
    quote_ident(pg_get_userbyid(c.relowner)) AS tables_owner,
    has_schema_privilege(n.oid, 'USAGE') AS can_use,
    has_schema_privilege(n.oid, 'CREATE') AS can_create
  FROM (VALUES (1)) AS one LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = $1
    LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = 'migrations'`;

/**
 * Names the right that a role lacks, and the statement that gives it.
 * @returns the error as it is when it is about something else
 */
export async function describeDenied(session: Session, error: unknown): Promise<unknown> {
  if (!isSqlError(error) || error.code !== DENIED) return error;
  const { schema, schemaName } = session.statements;
  const [row] = (await session.plain<RightsRow>(RIGHTS, [schemaName])).rows;
  if (row === undefined) return error;
  const { role, database, owner } = row;
  if (owner === null) {
    return new DatabaseError(
      `The role ${role} may not create the schema ${schema}. As the owner of the database, run: ` +
        `GRANT CREATE ON DATABASE ${database} TO ${role}`,
      DENIED,
    );
  }
  if (row.can_use === false || row.can_create === false) {
    return new DatabaseError(
      `The role ${role} may not make tables in the schema ${schema}. As its owner (${owner}), run: ` +
        `GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}`,
      DENIED,
    );
  }
  const tablesOwner = row.tables_owner ?? owner;
  return new DatabaseError(
    `The role ${role} may not use the tables in the schema ${schema}. Connect as ${tablesOwner}, ` +
      `who made them, or run: GRANT ${tablesOwner} TO ${role}`,
    DENIED,
  );
}
