import { type BillingCalendar, boundary, firstBoundaryAfter } from './billing-calendar.ts';
import type { CurrentPeriod } from './subscription.ts';

/**
 * The period that begins at a time. It ends at the next boundary, or at the anchor if that is still to
 * come; then, and if it begins between two boundaries, it is shorter than the full interval of which it
 * is a part.
 * @param start not more than one interval before the anchor
 * @param until no later is billed than this: the time of a cancellation; null: all of it is
 */
export function periodFrom(
  calendar: BillingCalendar,
  start: Date,
  { index, until }: { readonly index: number; readonly until: Date | null },
): CurrentPeriod {
  const number = start < calendar.anchor ? 0 : firstBoundaryAfter(calendar, start);
  const end = boundary(calendar, number);
  const billedUntil = until !== null && until > start && until < end ? until : end;
  return { index, start, end, fullStart: boundaryBefore(calendar, number), billedUntil };
}

/**
 * The boundary before another. Two boundaries are the same moment where a zone skips a whole day; a period
 * has at least one second, so the one before them counts then.
 */
export function boundaryBefore(calendar: BillingCalendar, number: number): Date {
  const end = boundary(calendar, number);
  let before = number - 1;
  while (boundary(calendar, before) >= end) before -= 1;
  return boundary(calendar, before);
}
