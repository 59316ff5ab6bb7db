import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { type BillingCalendar, boundary, firstBoundaryAfter } from './billing-calendar.ts';
import type { LineDraft } from './billing-decision.ts';
import { costBetween, type FullPeriod } from './proration.ts';
import { fullCost, type NextItem } from './subscription.ts';
import { partLine } from './subscription-lines.ts';

/** How many intervals a beginning may lie in the past if their time is billed. */
const MAX_INTERVALS = 1_200;

/**
 * Bills time that has already passed, in one line for each item: each interval that the time touches costs
 * its part.
 * @param frame the calendar has a boundary at the beginning or at the end of the time
 * @throws PaymountError `parameter_invalid` if it is more than 1,200 intervals
 */
export function backdatedLines(
  frame: { readonly currency: string; readonly calendar: BillingCalendar },
  items: readonly NextItem[],
  time: FullPeriod,
): readonly LineDraft[] {
  const intervals = intervalsOf(frame.calendar, time);
  return items.map((item) => {
    const full = fullCost(item);
    const amount = intervals.reduce(
      (sum, interval) =>
        sum +
        costBetween(
          full,
          interval,
          laterOf(interval.start, time.start),
          earlierOf(interval.end, time.end),
        ),
      0n,
    );
    return partLine(frame, item, amount, time);
  });
}

/** The full intervals that a time touches, in order. */
function intervalsOf(calendar: BillingCalendar, { start, end }: FullPeriod): readonly FullPeriod[] {
  let number = start < calendar.anchor ? 0 : firstBoundaryAfter(calendar, start) - 1;
  for (let steps = 0; boundary(calendar, number) > start; steps += 1) {
    if (steps > MAX_INTERVALS) throw tooLong();
    number -= 1;
  }
  const intervals: FullPeriod[] = [];
  let from = boundary(calendar, number);
  while (from < end) {
    if (intervals.length >= MAX_INTERVALS) throw tooLong();
    number += 1;
    const to = boundary(calendar, number);
    // Where a zone skips a day, an interval is empty.
    if (from < to) intervals.push({ start: from, end: to });
    from = to;
  }
  return intervals;
}

function tooLong(): PaymountError {
  return new PaymountError(
    'parameter_invalid',
    'backdate_start_date is more than 1,200 intervals ago; send a later time, or proration_behavior=none.',
    { param: 'backdate_start_date' },
  );
}

function laterOf(one: Date, other: Date): Date {
  return one > other ? one : other;
}

function earlierOf(one: Date, other: Date): Date {
  return one < other ? one : other;
}
