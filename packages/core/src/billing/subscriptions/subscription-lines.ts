import { Temporal } from 'temporal-polyfill';
import type { SubscriptionItemId } from '../../kernel/basics/id.ts';
import { MONTHS } from '../../kernel/basics/moment.ts';
import { describeMoney } from '../../kernel/input/currency.ts';
import type { LineDraft } from './billing-decision.ts';
import type { PricedItem, SubscriptionFacts } from './subscription.ts';

/** The time for which a line is. */
interface Span {
  readonly start: Date;
  readonly end: Date;
}

type Frame = Pick<SubscriptionFacts, 'currency' | 'calendar'>;
type Sold = PricedItem & { readonly id: SubscriptionItemId };

/** A full period of an item: `2 × Basic (at 10.00 EUR / month)`. */
export function periodLine({ currency, calendar }: Frame, item: Sold, amount: bigint, span: Span) {
  const { interval, intervalCount: count } = calendar;
  const every = count === 1 ? interval : `${count} ${interval}s`;
  const price = describeMoney(item.unitAmount, currency);
  const description = `${item.quantity} × ${item.name} (at ${price} / ${every})`;
  return toLine(item, { amount, description, span, isProration: false });
}

/** A part of a period: `Time on Basic from 12 Mar 2030 until 1 Apr 2030`. */
export function partLine({ calendar }: Frame, item: Sold, amount: bigint, span: Span) {
  const { timezone } = calendar;
  const from = describeDay(span.start, timezone);
  const until = describeDay(span.end, timezone);
  const description = `Time on ${unitsOf(item)} from ${from} until ${until}`;
  return toLine(item, { amount, description, span, isProration: true });
}

/** A trial costs nothing: `Trial period for Basic`. */
export function trialLine(item: Sold, span: Span): LineDraft {
  const description = `Trial period for ${unitsOf(item)}`;
  return toLine(item, { amount: 0n, description, span, isProration: false });
}

/** What is given back: `Unused time on Basic after 14 Mar 2030`. @param amount 0 or negative */
export function creditLine({ calendar }: Frame, item: Sold, amount: bigint, span: Span) {
  const day = describeDay(span.start, calendar.timezone);
  const description = `Unused time on ${unitsOf(item)} after ${day}`;
  return toLine(item, { amount, description, span, isProration: true });
}

/** What a change costs until the end of the period: `Remaining time on Pro after 14 Mar 2030`. */
export function debitLine({ calendar }: Frame, item: Sold, amount: bigint, span: Span) {
  const day = describeDay(span.start, calendar.timezone);
  const description = `Remaining time on ${unitsOf(item)} after ${day}`;
  return toLine(item, { amount, description, span, isProration: true });
}

function unitsOf({ name, quantity }: PricedItem): string {
  return quantity === 1 ? name : `${quantity} × ${name}`;
}

function toLine(
  item: Sold,
  line: {
    readonly amount: bigint;
    readonly description: string;
    readonly span: Span;
    readonly isProration: boolean;
  },
): LineDraft {
  const { start, end } = line.span;
  return {
    amount: Number(line.amount),
    description: line.description,
    quantity: item.quantity,
    priceId: item.priceId,
    period: { start: start.toISOString(), end: end.toISOString() },
    isProration: line.isProration,
    subscriptionItemId: item.id,
    invoiceItemId: null,
  };
}

/** The day of a time in the zone of the subscription: `14 Mar 2030`. Does not use `Intl`: its data vary. */
function describeDay(at: Date, timezone: string): string {
  const { day, month, year } = Temporal.Instant.fromEpochMilliseconds(
    at.getTime(),
  ).toZonedDateTimeISO(timezone);
  return `${day} ${MONTHS[month - 1]?.slice(0, 3)} ${year}`;
}
