import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { toBilled } from './bill-period.ts';
import type { LineDraft } from './billing-decision.ts';
import { prorated } from './proration.ts';
import {
  fullCost,
  type NextItem,
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
 * Lines of 0 are not written. With `none` nothing is, and what was billed stays billed.
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
    } else {
      lines.push(...linesOf(subscription, before, after, at));
      if (after !== undefined) items.push(toBilled(after, at));
    }
  }
  return { items, lines };
}

/** Gives back what was billed for the time from `at` on and was not given back yet. */
export function creditItems(subscription: Subscription, at: Date): readonly LineDraft[] {
  return subscription.items.flatMap((item) => linesOf(subscription, item, undefined, at));
}

/**
 * Charges items for time of the current period that was left out because a cancellation was expected.
 * @param until the end of that time, not before `billedUntil`
 */
export function extendItems(subscription: Subscription, until: Date): readonly LineDraft[] {
  const { period } = subscription;
  const full = { start: period.fullStart, end: period.end };
  const span = { start: period.billedUntil, end: until };
  return subscription.items.flatMap((item) => {
    if (item.billed === null) return [];
    const sold = { ...item.billed, id: item.id };
    const at = laterOf(period.billedUntil, item.billed.since);
    const { debit } = prorated(undefined, fullCost(sold), { period: full, at, until });
    return debit === 0n ? [] : [debitLine(subscription, sold, debit, span)];
  });
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

/** The credit, then the debit. */
function linesOf(
  subscription: Subscription,
  before: SubscriptionItem | undefined,
  after: NextItem | undefined,
  at: Date,
): readonly LineDraft[] {
  const { period } = subscription;
  const { billedUntil: until } = period;
  const billed = before?.billed ?? null;
  // A change that was prorated from a later time on has given back what is before it.
  const from = billed === null ? at : laterOf(at, billed.since);
  if (from >= until) return [];
  const full = before === undefined ? 0n : fullCost(before);
  const { credit, debit } = prorated(
    billed === null ? { full } : { full, billed: fullCost(billed) },
    after && fullCost(after),
    { period: { start: period.fullStart, end: period.end }, at: from, until },
  );
  const span = { start: from, end: until };
  return [
    ...(before === undefined || billed === null || credit === 0n
      ? []
      : [creditLine(subscription, { ...billed, id: before.id }, credit, span)]),
    ...(after === undefined || debit === 0n ? [] : [debitLine(subscription, after, debit, span)]),
  ];
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

function isOther(before: SubscriptionItem, after: NextItem): boolean {
  return before.priceId !== after.priceId || before.quantity !== after.quantity;
}

function laterOf(one: Date, other: Date): Date {
  return one > other ? one : other;
}
