import type { Owner, TestClockId } from '@paymount/core/kernel';
import { livemode } from '@paymount/core/kernel';
import type { Clocked, ObjectClock } from '@paymount/core/payments';
import { OWNED, type Part } from '../changes/part.ts';
import { partCode } from '../changes/part-codes.ts';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

/** The columns of a row that may be on a test clock; lists read only the first. */
export interface ClockColumns {
  readonly test_clock_id: TestClockId | null;
  readonly clock_time?: Date | null;
  readonly clock_advancing?: boolean | null;
}

/**
 * Expressions for the clock of a row, read with it: nothing is looked up for a row on none.
 * @param s the schema's quoted name; `row`: the table's name or alias
 */
export function clockColumns(s: string, row: string): string {
  const clock = `FROM ${s}.test_clocks k WHERE (k.account_id, k.livemode, k.id)
      = (${row}.account_id, ${row}.livemode, ${row}.test_clock_id)`;
  return `(SELECT k.frozen_time ${clock}) AS clock_time,
    (SELECT k.status = 'advancing' ${clock}) AS clock_advancing`;
}

/** The clock of a row. */
export function toClocked(row: ClockColumns): Clocked {
  const { test_clock_id: id, clock_time: now, clock_advancing: isAdvancing } = row;
  if (id === null || !now) return {};
  return { clock: { id, now, isAdvancing: isAdvancing === true } };
}

const lock = statement(
  'pm_clocks_share_v1',
  (s) => `SELECT frozen_time AS clock_time, status = 'advancing' AS clock_advancing
    FROM ${s}.test_clocks WHERE account_id = $1 AND livemode = $2 AND id = $3 FOR SHARE`,
);

/**
 * The same object with the time that its clock shows now, and until the transaction ends: the worker
 * that advances the clock waits. Call it with the row of the object locked.
 */
export async function withHeldClock<Found extends Owner & Clocked>(
  session: Session,
  found: Found | undefined,
): Promise<Found | undefined> {
  if (found?.clock === undefined) return found;
  const { id } = found.clock;
  const values = [found.accountId, livemode(found.environment), id];
  const { rows } = await session.query<Required<Omit<ClockColumns, 'test_clock_id'>>>(lock, values);
  const [row] = rows;
  return row === undefined ? found : { ...found, ...toClocked({ ...row, test_clock_id: id }) };
}

/**
 * Passes if a test clock shows the time that the change was computed for. It keeps showing it until the
 * change is committed.
 */
export function clockPart({ id, now }: ObjectClock): Part {
  return {
    code: partCode('test_clock'),
    guard: 'raced',
    values: [id, now],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  SELECT id FROM ${schema}.test_clocks
  WHERE ${OWNED} AND id = ${at(0)}::text AND frozen_time = ${at(1)}::timestamptz AND ${when}
  FOR SHARE)`,
  };
}
