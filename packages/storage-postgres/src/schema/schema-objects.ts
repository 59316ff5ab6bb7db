import type { QueryResultRow } from 'pg';
import type { Session } from '../transaction/session.ts';

/** What migrations make, in the order in which a fault of one explains the faults of the next. */
export const SCHEMA_OBJECT_KINDS = [
  'table',
  'column',
  'constraint',
  'index',
  'trigger',
  'function',
  'sequence',
] as const;

/** A kind of object. */
export type SchemaObjectKind = (typeof SCHEMA_OBJECT_KINDS)[number];

/** An object of the schema, as the catalogs of PostgreSQL describe it. */
export interface SchemaObject {
  readonly kind: SchemaObjectKind;
  /** The table that it belongs to; of a function or a sequence, its own name. */
  readonly table: string;
  readonly name: string;
  /**
   * SQL in which `{s}` stands for the schema; of a function, the MD5 of its body. It ends with
   * `INVALID` or `DISABLED` if PostgreSQL does not use the object.
   */
  readonly definition: string;
}

/** The schema in a definition, whatever it is called. */
export const SCHEMA_PLACE = '{s}';

/**
 * Partitions are left out, because they follow their table, and so are NOT NULL constraints, which
 * only PostgreSQL 18 has besides the columns.
 */
const OBJECTS = `WITH tables AS MATERIALIZED (
  SELECT c.oid, c.relname::text AS name FROM pg_catalog.pg_class c
  WHERE c.relnamespace = (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = $1)
    AND c.relkind IN ('r', 'p') AND NOT c.relispartition),
found (kind, table_name, name, definition) AS (
  SELECT 'table', t.name, t.name, '' FROM tables t
  UNION ALL
  SELECT 'column', t.name, a.attname::text, pg_catalog.format_type(a.atttypid, a.atttypmod)
    || CASE WHEN a.attcollation <> y.typcollation
         THEN ' COLLATE ' || pg_catalog.quote_ident(o.collname) ELSE '' END
    || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
    || CASE WHEN a.attidentity <> '' THEN ' GENERATED AS IDENTITY' ELSE '' END
    || CASE WHEN a.attgenerated <> ''
         THEN ' GENERATED ALWAYS AS (' || pg_catalog.pg_get_expr(d.adbin, d.adrelid) || ')'
         ELSE COALESCE(' DEFAULT ' || pg_catalog.pg_get_expr(d.adbin, d.adrelid), '') END
  FROM tables t JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_catalog.pg_type y ON y.oid = a.atttypid
    LEFT JOIN pg_catalog.pg_collation o ON o.oid = a.attcollation
    LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  UNION ALL
  SELECT 'constraint', t.name, k.conname::text, pg_catalog.pg_get_constraintdef(k.oid)
    || CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_trigger g
         WHERE g.tgconstraint = k.oid AND g.tgenabled IN ('D', 'R')) THEN ' DISABLED' ELSE '' END
    || CASE WHEN NOT i.indisvalid OR NOT i.indisready THEN ' INVALID' ELSE '' END
  FROM tables t JOIN pg_catalog.pg_constraint k ON k.conrelid = t.oid AND k.contype NOT IN ('n', 't')
    LEFT JOIN pg_catalog.pg_index i ON i.indexrelid = k.conindid AND k.contype IN ('p', 'u', 'x')
  UNION ALL
  SELECT 'index', t.name, c.relname::text, pg_catalog.pg_get_indexdef(c.oid)
    || CASE WHEN i.indisvalid AND i.indisready AND i.indislive THEN '' ELSE ' INVALID' END
  FROM tables t JOIN pg_catalog.pg_index i ON i.indrelid = t.oid
    JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
  WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k
    WHERE k.conindid = c.oid AND k.contype IN ('p', 'u', 'x'))
  UNION ALL
  SELECT 'trigger', t.name, g.tgname::text, pg_catalog.pg_get_triggerdef(g.oid)
    || CASE WHEN g.tgenabled IN ('D', 'R') THEN ' DISABLED' ELSE '' END
  FROM tables t JOIN pg_catalog.pg_trigger g ON g.tgrelid = t.oid AND NOT g.tgisinternal
  UNION ALL
  SELECT 'function', p.proname::text, p.proname::text, pg_catalog.md5(p.prosrc)
  FROM pg_catalog.pg_proc p
  WHERE p.pronamespace = (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = $1)
  UNION ALL
  SELECT 'sequence', c.relname::text, c.relname::text, '' FROM pg_catalog.pg_class c
  WHERE c.relnamespace = (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = $1)
    AND c.relkind = 'S')
SELECT kind, table_name AS "table", name, replace(definition, quote_ident($1) || '.', '${SCHEMA_PLACE}.') AS definition
FROM found ORDER BY kind, table_name COLLATE "C", name COLLATE "C"`;

/** The objects of the schema. @param session in a transaction, whose `search_path` it sets */
export async function readSchemaObjects(session: Session): Promise<readonly SchemaObject[]> {
  // Otherwise names of tables in the path would be written without their schema.
  await session.plain("SELECT set_config('search_path', '', true)");
  const { rows } = await session.plain<SchemaObject & QueryResultRow>(OBJECTS, [
    session.statements.schemaName,
  ]);
  return rows;
}
