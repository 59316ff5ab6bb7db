import type { Knex } from 'knex';

/** The transaction that a hook gets: a knex transaction that also runs plain SQL. */
export type HookTransaction = Knex.Transaction & HookStatements;

export interface HookStatements {
  /**
   * Runs one statement, with `$1`, `$2`, … for its values, as `pg` does.
   * @throws the database's error; Error once the hook has ended
   */
  query(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ readonly rows: Record<string, unknown>[]; readonly rowCount: number | null }>;
}
