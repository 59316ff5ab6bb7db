import type { HookUseRepository } from '@paymount/core/store';
import { appendAudit } from '../audit/audit-rows.ts';
import type { Part } from '../changes/part.ts';
import { partCode } from '../changes/part-codes.ts';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction } from '../transaction/transaction.ts';

const select = statement('pm_hook_use_find_v1', (s) => `SELECT since FROM ${s}.hook_use`);
const insert = statement(
  'pm_hook_use_begin_v2',
  (s) => `INSERT INTO ${s}.hook_use (since) VALUES (clock_timestamp())
    ON CONFLICT DO NOTHING RETURNING since`,
);
const remove = statement('pm_hook_use_end_v1', (s) => `DELETE FROM ${s}.hook_use RETURNING since`);

/** The one row that says that a hook is in use. */
export function hookUseRows(session: Session): HookUseRepository {
  const since: HookUseRepository['since'] = async () =>
    (await session.query<{ since: Date }>(select, [])).rows[0]?.since;
  return {
    since,
    async begin() {
      // A standby refuses every insert, even if the row already exists.
      if ((await since()) !== undefined) return false;
      return (await session.query(insert, [])).rows.length > 0;
    },
    end(entry) {
      return inTransaction(session, async (inner) => {
        const { rows } = await inner.query(remove, []);
        if (rows.length > 0) await appendAudit(inner, [entry]);
        return rows.length > 0;
      });
    },
  };
}

/** Holds while no hook is in use. @param schema quoted */
export function noHookIn(schema: string): string {
  return `NOT EXISTS (SELECT FROM ${schema}.hook_use)`;
}

/** Passes while no hook is in use: a guard for the results of a process without a hook. */
export function noHookPart(): Part {
  return {
    code: partCode('no_hook'),
    guard: 'hook_missing',
    reads: true,
    values: [],
    sql: ({ schema, alias, when }) => `${alias} AS (SELECT WHERE ${noHookIn(schema)} AND ${when})`,
  };
}
