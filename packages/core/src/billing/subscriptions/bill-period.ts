import type { LineDraft } from './billing-decision.ts';
import { costBetween } from './proration.ts';
import {
  type CurrentPeriod,
  fullCost,
  type NextItem,
  type SubscriptionFacts,
  type SubscriptionItem,
} from './subscription.ts';
import { partLine, periodLine } from './subscription-lines.ts';

/** What a period costs, and the items as they are billed for it. */
export interface BilledPeriod {
  readonly items: readonly SubscriptionItem[];
  readonly lines: readonly LineDraft[];
  readonly isBilled: boolean;
}

/**
 * Bills the items for a period, each in a line: a full one costs what the price says, a shorter one its
 * part of the full interval.
 * @param freeUntil a period that ends by then is not billed, and gives nothing back; null: there is none
 */
export function billPeriod(
  frame: Pick<SubscriptionFacts, 'currency' | 'calendar' | 'freeUntil'>,
  items: readonly NextItem[],
  period: CurrentPeriod,
): BilledPeriod {
  if (isFree({ ...frame, period })) {
    return { items: items.map(toUnbilled), lines: [], isBilled: false };
  }
  const { start, end, fullStart, billedUntil } = period;
  const span = { start, end: billedUntil };
  const isWhole = fullStart >= start && billedUntil >= end;
  const write = isWhole ? periodLine : partLine;
  const lines = items.map((item) => {
    const full = { start: fullStart, end };
    return write(frame, item, costBetween(fullCost(item), full, start, billedUntil), span);
  });
  return { items: items.map((item) => toBilled(item, start)), lines, isBilled: true };
}

/** Whether the current period is not billed: a stub that was asked for without prorations. */
export function isFree({
  freeUntil,
  period,
}: Pick<SubscriptionFacts, 'freeUntil' | 'period'>): boolean {
  return freeUntil !== null && period.end <= freeUntil;
}

/**
 * Whether money is collected for invoices that are made now, or later from their drafts. Otherwise they
 * become void or uncollectible, and their time gives nothing back.
 */
export function isCollected({
  pauseCollection,
}: Pick<SubscriptionFacts, 'pauseCollection'>): boolean {
  return pauseCollection === null || pauseCollection.behavior === 'keep_as_draft';
}

/** Whether invoices that are made now become void. One that is uncollectible instead may still be paid. */
export function becomesVoid({
  pauseCollection,
}: Pick<SubscriptionFacts, 'pauseCollection'>): boolean {
  return pauseCollection?.behavior === 'void';
}

/** The item, billed from a time to the end of its period. */
export function toBilled(item: NextItem, since: Date): SubscriptionItem {
  const { priceId, name, unitAmount, quantity } = item;
  return { ...item, billed: { priceId, name, unitAmount, quantity, since } };
}

/** The item in time for which nothing is billed. */
export function toUnbilled(item: NextItem): SubscriptionItem {
  return { ...item, billed: null };
}
