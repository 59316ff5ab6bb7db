import type { Knex } from 'knex';

/** What a hook writes with: a knex transaction that takes plain SQL as well. */
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
