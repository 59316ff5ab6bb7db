import type { TestClockId } from '@paymount/core/kernel';
import type { Knex } from 'knex';

/**
 * Restricts a list to what is on a test clock, or on none: `created` of these orders them in one time,
 * so the newest is first, and a cursor stays where it is. A list of one object has the time of that
 * object alone, whatever its clock.
 */
export function whereOnClock(
  query: Knex.QueryBuilder,
  clock: TestClockId | undefined,
  { isOfOne = false }: { readonly isOfOne?: boolean } = {},
): void {
  if (clock !== undefined) query.where('test_clock_id', clock);
  else if (!isOfOne) query.whereNull('test_clock_id');
}
