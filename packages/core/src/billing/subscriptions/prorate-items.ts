import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { isCollected, isFree, toBilled, toUnbilled } from './bill-period.ts';
import type { LineDraft } from './billing-decision.ts';
import { prorated } from './proration.ts';
import {
  type BilledTime,
  fullCost,
  laterOf,
  type NextItem,
  type PricedItem,
  type ProrationBehavior,
  type Subscription,
  type SubscriptionItem,
} from './subscription.ts';
import { creditLine, debitLine } from './subscription-lines.ts';

/** When and how a change within a period is prorated. */
export interface ProrationTime {
  readonly behavior: ProrationBehavior;
  /** Whole seconds, in the current period. */
  readonly at: Date;
}

/** The items after a change, and its lines. */
export interface ProratedItems {
  readonly items: readonly SubscriptionItem[];
  readonly lines: readonly LineDraft[];
}

/**
 * Changes items within a period for which something is billed. Each item whose price or quantity changes
 * gets two lines: a credit for what was billed for the rest of the period, and what the rest costs now.
 * Lines of 0 are not written. With `none` nothing is, and what was billed stays billed. While nothing is collected,
 * time that was not billed costs nothing.
 */
export function prorateItems(
  subscription: Subscription,
  next: readonly NextItem[],
  { behavior, at }: ProrationTime,
): ProratedItems {
  const kept = new Map(next.map((item) => [item.id, item]));
  const known = new Set(subscription.items.map(({ id }) => id));
  const changes: readonly (readonly [SubscriptionItem | undefined, NextItem | undefined])[] = [
    ...subscription.items.map((item) => [item, kept.get(item.id)] as const),
    ...next.filter(({ id }) => !known.has(id)).map((item) => [undefined, item] as const),
  ];
  const items: SubscriptionItem[] = [];
  const lines: LineDraft[] = [];
  for (const [before, after] of changes) {
    if (before !== undefined && after !== undefined && !isOther(before, after)) {
      items.push({ ...after, billed: before.billed });
    } else if (behavior === 'none') {
      if (after !== undefined) items.push({ ...after, billed: before?.billed ?? null });
    } else if (!isCollected(subscription) && (before?.billed ?? null) === null) {
      if (after !== undefined) items.push(toUnbilled(after));
    } else {
      lines.push(...linesOf(subscription, before, after, at));
      if (after !== undefined) items.push(toBilled(after, fromWhen(before, at)));
    }
  }
  return { items, lines };
}

/** Gives back what was billed for the time from `at` on and was not given back yet. */
export function creditItems(subscription: Subscription, at: Date): readonly LineDraft[] {
  return subscription.items.flatMap((item) => linesOf(subscription, item, undefined, at));
}

/**
 * Charges items for time of the current period that was left out because a cancellation was expected, as they
 * are now.
 * @param until the end of that time, not before `billedUntil`
 */
export function extendItems(subscription: Subscription, until: Date): ProratedItems {
  const { period } = subscription;
  const full = { start: period.fullStart, end: period.end };
  const span = { start: period.billedUntil, end: until };
  const isBilled = isCollected(subscription) && !isFree(subscription);
  const lines: LineDraft[] = [];
  const items = subscription.items.map((item) => {
    const last = timesOf(item.billed, until).at(-1);
    if (last === undefined && !isBilled) return item;
    const at = laterOf(period.billedUntil, last?.start ?? period.billedUntil);
    const { debit } = prorated(undefined, fullCost(item), { period: full, at, until });
    if (debit !== 0n) lines.push(debitLine(subscription, item, debit, span));
    if (item.billed === null) return toBilled(item, at);
    return last !== undefined && isOther(last.sold, item)
      ? { ...item, billed: extendedBy(item.billed, toBilled(item, at).billed) }
      : item;
  });
  return { items, lines };
}

/**
 * The time from which a change is prorated.
 * @param date what the caller asked for; absent: now
 * @throws PaymountError `proration_date_outside_period`, also if something was billed from a later time on
 */
export function prorationTime(subscription: Subscription, date: Date | undefined, now: Date): Date {
  if (date === undefined) return now;
  const { period, items } = subscription;
  const { start, end } = period;
  const earliest = items.reduce((time, { billed }) => laterOf(time, billed?.since ?? start), start);
  if (date >= earliest && date < end) return date;
  const since = earliest > start ? 'the last change in it' : 'its beginning';
  const message = `proration_date must be in the current period and not before ${since}: from ${earliest.toISOString()} to before ${end.toISOString()}.`;
  throw new PaymountError('proration_date_outside_period', message, { param: 'proration_date' });
}

/** The credits, then the debit. */
function linesOf(
  subscription: Subscription,
  before: SubscriptionItem | undefined,
  after: NextItem | undefined,
  at: Date,
): readonly LineDraft[] {
  const { period } = subscription;
  const { billedUntil: until } = period;
  const full = { start: period.fullStart, end: period.end };
  const lines: LineDraft[] = [];
  for (const { sold, start, end } of timesOf(before?.billed ?? null, until)) {
    const from = laterOf(at, start);
    if (before === undefined || from >= end) continue;
    const billed = { full: fullCost(sold), billed: fullCost(sold) };
    const { credit } = prorated(billed, undefined, { period: full, at: from, until: end });
    const span = { start: from, end };
    if (credit !== 0n) {
      lines.push(creditLine(subscription, { ...sold, id: before.id }, credit, span));
    }
  }
  const from = fromWhen(before, at);
  if (after === undefined || from >= until) return lines;
  const { debit } = prorated(undefined, fullCost(after), { period: full, at: from, until });
  if (debit === 0n) return lines;
  return [...lines, debitLine(subscription, after, debit, { start: from, end: until })];
}

/** When a change of an item begins: one that was prorated from a later time on gave back what is before it. */
function fromWhen(before: SubscriptionItem | undefined, at: Date): Date {
  return laterOf(at, before?.billed?.since ?? at);
}

/** A part of the current period that was billed at one price and quantity. */
interface BilledPart {
  readonly sold: PricedItem;
  readonly start: Date;
  readonly end: Date;
}

/** What was billed of the current period, in the order of time. @param until up to when it is billed */
function timesOf(billed: BilledTime | null, until: Date): readonly BilledPart[] {
  if (billed === null) return [];
  const { later = null, since: start, ...sold } = billed;
  const end = later !== null && later.since < until ? later.since : until;
  return [{ sold, start, end }, ...timesOf(later, until)];
}

/** What was billed, with what is billed after it. */
function extendedBy(billed: BilledTime, last: BilledTime | null): BilledTime {
  if (last === null) return billed;
  const { later } = billed;
  return { ...billed, later: later === undefined ? last : extendedBy(later, last) };
}

/** Whether items are added or removed, or get another price or quantity. */
export function changesItems({ items }: Subscription, next: readonly NextItem[]): boolean {
  const kept = new Map(next.map((item) => [item.id, item]));
  if (kept.size !== items.length) return true;
  return items.some((item) => {
    const after = kept.get(item.id);
    return after === undefined || isOther(item, after);
  });
}

function isOther(before: PricedItem, after: PricedItem): boolean {
  return before.priceId !== after.priceId || before.quantity !== after.quantity;
}
