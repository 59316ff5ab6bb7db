import { createHash } from 'node:crypto';

/** One step of the schema. It only goes forward, and never changes after its release. */
export interface Migration {
  /** `NNNN-name`, the name of its file. */
  readonly name: string;
  /** Older processes must not run on a schema that has it. */
  readonly breaking: boolean;
  /** @param schema the quoted name of the host's schema */
  readonly sql: (schema: string) => string;
}

/**
 * Locks a table, and waits for it one second at a time, at most a minute in all: while a migration
 * waits, everybody else who needs the table waits behind it. Its text must never change.
 * @param mode `SHARE` before an index is built: who only reads does not wait
 */
export function lockBriefly(
  table: string,
  mode: 'ACCESS EXCLUSIVE' | 'SHARE' = 'ACCESS EXCLUSIVE',
): string {
  return `DO $$
DECLARE
  tries integer := 0;
BEGIN
  PERFORM set_config('lock_timeout', '1s', true);
  LOOP
    BEGIN
      LOCK TABLE ${table} IN ${mode} MODE;
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      tries := tries + 1;
      IF tries = 40 THEN
        RAISE;
      END IF;
      PERFORM pg_sleep(0.5);
    END;
  END LOOP;
  PERFORM set_config('lock_timeout', '60s', true);
END $$;`;
}

/**
 * The hash of a migration's text, independent of the schema's name; a changed migration is refused.
 */
export function hashMigration(migration: Migration): string {
  return createHash('sha256').update(migration.sql('"paymount"')).digest('hex');
}
