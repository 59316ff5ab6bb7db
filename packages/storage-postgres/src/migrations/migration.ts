import { createHash } from 'node:crypto';

/** One step of the schema; forward only, and frozen once it is in a release. */
export interface Migration {
  /** `NNNN-name`, the name of its file. */
  readonly name: string;
  /** Older processes must not run on a schema that has it. */
  readonly breaking: boolean;
  /** @param schema the quoted name of the host's schema */
  readonly sql: (schema: string) => string;
}

/** What freezes a migration: the hash of its text, whatever the schema is called. */
export function hashMigration(migration: Migration): string {
  return createHash('sha256').update(migration.sql('"paymount"')).digest('hex');
}
