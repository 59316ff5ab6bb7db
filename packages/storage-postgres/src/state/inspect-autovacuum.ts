import type { Finding } from '@paymount/core/store';
import type { Session } from '../transaction/session.ts';

const SUBJECT = 'autovacuum';
/** PostgreSQL refuses to write at about 2.1 thousand million. By default it vacuums from 200 million on. */
const OLD_TRANSACTIONS = 1_000_000_000;

interface VacuumRow {
  readonly autovacuum: string;
  readonly track_counts: string;
  readonly tables: readonly string[] | null;
  readonly age: number;
}

const SETTINGS = `SELECT current_setting('autovacuum') AS autovacuum, current_setting('track_counts') AS track_counts,
  (SELECT array_agg(c.relname::text ORDER BY c.relname) FROM pg_catalog.pg_class c
   WHERE c.relnamespace = (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = $1)
     AND EXISTS (SELECT FROM pg_catalog.pg_options_to_table(c.reloptions) o
       WHERE o.option_name = 'autovacuum_enabled' AND NOT o.option_value::boolean)) AS tables,
  (SELECT age(d.datfrozenxid) FROM pg_catalog.pg_database d WHERE d.datname = current_database()) AS age`;

/** Without autovacuum each claim reads ever more deleted rows, and in the end the server refuses writes. */
export async function inspectAutovacuum(session: Session): Promise<readonly Finding[]> {
  const { schema, schemaName } = session.statements;
  const [row] = (await session.plain<VacuumRow>(SETTINGS, [schemaName])).rows;
  if (row === undefined) throw new Error('PostgreSQL returned no settings.');
  const faults = [
    ...Object.entries({ autovacuum: row.autovacuum, track_counts: row.track_counts })
      .filter(([, value]) => value === 'off')
      .map(
        ([name]) =>
          `${name} is off, so deleted rows stay and deliveries become slow. Set it to on.`,
      ),
    ...(row.tables ?? []).map(
      (table) =>
        `It is off for ${table}, so its deleted rows stay. Run: ALTER TABLE ${schema}.${table} RESET (autovacuum_enabled)`,
    ),
    ...(row.age < OLD_TRANSACTIONS
      ? []
      : [
          `The oldest unfrozen transaction is ${row.age} transactions old; at 2 thousand million the server refuses writes. Run VACUUM, and end old transactions.`,
        ]),
  ];
  if (faults.length === 0) {
    return [{ subject: SUBJECT, verdict: 'ok', message: 'It removes deleted rows of all tables.' }];
  }
  return faults.map((message) => ({ subject: SUBJECT, verdict: 'problem', message }));
}
