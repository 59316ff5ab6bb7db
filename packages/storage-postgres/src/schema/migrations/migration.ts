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
 * The hash of a migration's text, independent of the schema's name; a changed migration is refused.
 */
export function hashMigration(migration: Migration): string {
  return createHash('sha256').update(migration.sql('"paymount"')).digest('hex');
}
