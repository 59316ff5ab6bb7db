import type { InvoiceId } from '../../kernel/basics/id.ts';
import { becomesVoid, billPeriod, toUnbilled } from './bill-period.ts';
import type { BillingCalendar } from './billing-calendar.ts';
import { type BillingDecision, type LineDraft, moved } from './billing-decision.ts';
import { periodFrom } from './billing-period.ts';
import type {
  BillingPeriod,
  CurrentPeriod,
  NextItem,
  Subscription,
  SubscriptionFacts,
} from './subscription.ts';
import { assertInvoiceTotal } from './subscription-rules.ts';
import type { SubscriptionTrigger } from './subscription-states.ts';

/** What a period begins with. */
export interface PeriodStart {
  /** The end of the period before it. */
  readonly at: Date;
  readonly invoiceId: InvoiceId;
  readonly items: readonly NextItem[];
  readonly calendar: BillingCalendar;
  /** Lines that come before those of the period. */
  readonly credits: readonly LineDraft[];
  readonly trigger: Extract<SubscriptionTrigger, 'period_begun' | 'resumed'>;
  /** Other facts that change with it. */
  readonly facts?: Partial<SubscriptionFacts>;
}

/**
 * Begins the period after the last one, and bills it.
 * @throws PaymountError `amount_too_large` if the invoice would ask for too much
 */
export function beginPeriod(subscription: Subscription, start: PeriodStart): BillingDecision {
  const { at, invoiceId, calendar, trigger } = start;
  const index = subscription.period.index + 1;
  const period = periodFrom(calendar, at, { index, until: subscription.cancelAt });
  const frame = { ...subscription, ...start.facts, calendar };
  const billed = billPeriod(frame, start.items, period);
  const lines = [...start.credits, ...billed.lines];
  assertInvoiceTotal(lines);
  const hasInvoice = lines.length > 0;
  return {
    ...moved(subscription, trigger, {
      facts: {
        ...start.facts,
        items: becomesVoid(subscription) ? billed.items.map(toUnbilled) : billed.items,
        calendar,
        period,
        pendingUpdate: null,
        latestInvoiceId: hasInvoice ? invoiceId : subscription.latestInvoiceId,
      },
      state: { status: 'active' },
    }),
    newPeriods: [
      toRow(subscription, period, {
        invoiceId: hasInvoice ? invoiceId : null,
        isBilled: billed.isBilled,
      }),
    ],
    movedEnd: movedEndOf(subscription, at),
    lines,
    invoicing: hasInvoice ? 'now' : 'none',
  };
}

/**
 * Begins a trial after the last period; nothing is billed for it.
 * @param credits what the period before gives back
 */
export function beginTrial(
  subscription: Subscription,
  start: {
    readonly at: Date;
    readonly trialEnd: Date;
    readonly items: readonly NextItem[];
    readonly calendar: BillingCalendar;
    readonly credits: readonly LineDraft[];
    /** Null: the credits wait for the next invoice. */
    readonly invoiceId: InvoiceId | null;
  },
): BillingDecision {
  const { at, trialEnd, credits, calendar } = start;
  const index = subscription.period.index + 1;
  const period = { index, start: at, end: trialEnd, fullStart: at, billedUntil: trialEnd };
  const invoiceId = credits.length === 0 ? null : start.invoiceId;
  return {
    ...moved(subscription, 'trial_begun', {
      facts: {
        items: start.items.map(toUnbilled),
        calendar,
        period,
        trial: { start: at, end: trialEnd },
        freeUntil: null,
        pendingUpdate: null,
        latestInvoiceId: invoiceId ?? subscription.latestInvoiceId,
      },
      state: { status: 'trialing' },
    }),
    newPeriods: [toRow(subscription, period, { invoiceId, isBilled: false })],
    movedEnd: movedEndOf(subscription, at),
    lines: credits,
    invoicing: credits.length === 0 ? 'none' : invoiceId === null ? 'next' : 'now',
  };
}

/** The end of the last period, if the next one does not begin where it was expected to. */
function movedEndOf({ period }: Subscription, at: Date): BillingDecision['movedEnd'] {
  return at.getTime() === period.end.getTime() ? null : { index: period.index, end: at };
}

function toRow(
  { id }: Subscription,
  { index, start, end }: CurrentPeriod,
  billing: Pick<BillingPeriod, 'invoiceId' | 'isBilled'>,
): BillingPeriod {
  return { subscriptionId: id, index, start, end, ...billing };
}
