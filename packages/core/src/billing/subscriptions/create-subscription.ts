import type { Owner } from '../../kernel/basics/environment.ts';
import type { CustomerId, InvoiceId, SubscriptionId } from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import type { Clocked } from '../../payments/test-clocks/object-clock.ts';
import { totalOf } from '../invoices/invoice-lines.ts';
import { backdatedLines } from './backdated-time.ts';
import { billPeriod, toUnbilled } from './bill-period.ts';
import type { BillingCalendar } from './billing-calendar.ts';
import { type BillingDecision, edited, type LineDraft, moved } from './billing-decision.ts';
import { boundaryBefore, periodFrom } from './billing-period.ts';
import {
  type BillingPeriod,
  type CurrentPeriod,
  type NextItem,
  type ProrationBehavior,
  type Subscription,
  type SubscriptionFacts,
  type SubscriptionSettings,
  wholeSecond,
} from './subscription.ts';
import { trialLine } from './subscription-lines.ts';
import { assertInvoiceTotal, assertStart } from './subscription-rules.ts';

/** Hours in which the first invoice must be paid. */
const INCOMPLETE_HOURS = 23;
const HOUR_MS = 3_600_000;

/** What a subscription begins with. */
export interface NewSubscription
  extends Owner,
    Clocked,
    Omit<SubscriptionSettings, 'pauseCollection'> {
  readonly id: SubscriptionId;
  readonly customerId: CustomerId;
  readonly currency: string;
  readonly items: readonly NextItem[];
  readonly interval: BillingCalendar['interval'];
  readonly intervalCount: number;
  readonly timezone: string;
  /** Null: there is no trial. */
  readonly trialEnd: Date | null;
  /** Null: the end of the trial, or now. */
  readonly anchor: Date | null;
  /** Null: now. */
  readonly backdatedTo: Date | null;
  readonly prorationBehavior: ProrationBehavior;
  readonly cancelAt: Date | null;
  readonly cancelAtPeriodEnd: boolean;
  readonly createdBy?: Maker;
}

/**
 * Begins a subscription. Its first invoice has the time since `backdatedTo`, and the first period: a trial
 * that costs nothing, a part of an interval up to the anchor, or a full one. With `none`, neither the time
 * before now nor the part before the anchor is billed, so a running subscription moves in without a charge.
 * It is `incomplete` while the first invoice asks for money that is collected automatically.
 * @param invoiceId the id of the first invoice, if there is one
 * @throws PaymountError `trial_end_in_past`, `cancel_at_in_past`, `parameter_invalid` for an anchor or a
 *   beginning out of range, `amount_too_large`
 */
export function createSubscription(
  input: NewSubscription,
  { at, invoiceId }: { readonly at: Date; readonly invoiceId: InvoiceId },
): BillingDecision {
  const now = wholeSecond(at);
  assertStart(input, now);
  const { timezone, interval, intervalCount, trialEnd } = input;
  const anchor = input.anchor ?? trialEnd ?? now;
  const calendar = { anchor, timezone, interval, intervalCount };
  const facts = { ...factsOf(input, calendar, now), calendar };
  const past = pastOf(input, calendar, now);
  const index = past === null ? 0 : 1;
  const from = past?.end ?? facts.startDate;
  const period: CurrentPeriod =
    trialEnd === null
      ? periodFrom(calendar, from, { index, until: input.cancelAt })
      : { index, start: from, end: trialEnd, fullStart: from, billedUntil: trialEnd };
  const first =
    trialEnd === null
      ? billPeriod(facts, input.items, period)
      : {
          items: input.items.map(toUnbilled),
          lines: input.items.map((item) => trialLine(item, { start: from, end: trialEnd })),
          isBilled: false,
        };
  const lines: readonly LineDraft[] = [...(past?.lines ?? []), ...first.lines];
  assertInvoiceTotal(lines);
  const invoice = lines.length === 0 ? null : invoiceId;
  const row: Subscription = {
    ...facts,
    items: first.items,
    period,
    trial: trialEnd === null ? null : { start: from, end: trialEnd },
    latestInvoiceId: invoice,
    status: 'incomplete',
    expiresAt: new Date(now.getTime() + INCOMPLETE_HOURS * HOUR_MS),
  };
  const periodOf = ({ start, end }: CurrentPeriod | PastTime, at: number, isBilled: boolean) => ({
    subscriptionId: input.id,
    index: at,
    start,
    end,
    invoiceId: invoice,
    isBilled,
  });
  const newPeriods: readonly BillingPeriod[] = [
    ...(past === null ? [] : [periodOf(past, 0, past.lines.length > 0)]),
    periodOf(period, index, first.isBilled),
  ];
  const isDue = totalOf(lines) > 0 && input.collectionMethod === 'charge_automatically';
  return {
    ...(isDue ? { subscription: edited(row, {}), event: null } : begun(row)),
    newPeriods,
    movedEnd: null,
    lines,
    invoicing: lines.length === 0 ? 'none' : 'now',
  };
}

/** A subscription whose first invoice is paid, asks for nothing, or is sent to the customer. */
export function begun(
  subscription: Subscription,
  facts: Partial<SubscriptionFacts> = {},
): Pick<BillingDecision, 'subscription' | 'event'> {
  const { trial, period } = subscription;
  const isTrial = trial !== null && period.end <= trial.end;
  return isTrial
    ? moved(subscription, 'first_paid_in_trial', { facts, state: { status: 'trialing' } })
    : moved(subscription, 'first_paid', { facts, state: { status: 'active' } });
}

/** Time before the first period that the scheduler bills after. */
interface PastTime {
  readonly start: Date;
  readonly end: Date;
  readonly lines: readonly LineDraft[];
}

/** The time from the backdated beginning up to the period in which `now` is; null: there is none. */
function pastOf(input: NewSubscription, calendar: BillingCalendar, now: Date): PastTime | null {
  const { backdatedTo: start, trialEnd, anchor, prorationBehavior, items, currency } = input;
  if (start === null) return null;
  const isStub = trialEnd === null && anchor !== null;
  const stubStart = boundaryBefore(calendar, 0);
  const end = isStub && stubStart < now ? stubStart : now;
  if (start >= end) return null;
  if (prorationBehavior === 'none') return { start, end, lines: [] };
  const frame = { currency, calendar: isStub ? calendar : { ...calendar, anchor: start } };
  return { start, end, lines: backdatedLines(frame, items, { start, end }) };
}

function factsOf(input: NewSubscription, calendar: BillingCalendar, now: Date) {
  const { accountId, environment, clock, createdBy, id, customerId, currency } = input;
  const { collectionMethod, daysUntilDue, defaultPaymentMethodId, description } = input;
  const { metadata, trialEndBehavior, cancelAt, cancelAtPeriodEnd } = input;
  const isFree = input.prorationBehavior === 'none' && input.anchor !== null;
  return {
    accountId,
    environment,
    ...(clock === undefined ? {} : { clock }),
    ...(createdBy === undefined ? {} : { createdBy }),
    id,
    version: 0,
    customerId,
    currency,
    startDate: input.backdatedTo ?? now,
    freeUntil: isFree ? calendar.anchor : null,
    cancelAt,
    cancelAtPeriodEnd,
    cancelProration: input.prorationBehavior,
    canceledAt: cancelAt !== null || cancelAtPeriodEnd ? now : null,
    cancellation: { reason: null, comment: null, feedback: null },
    pendingUpdate: null,
    chargingInvoiceId: null,
    announcedIndex: null,
    isWoken: false,
    collectionMethod,
    daysUntilDue,
    defaultPaymentMethodId,
    description,
    metadata,
    trialEndBehavior,
    pauseCollection: null,
    created: now,
    nextActionAt: null,
  };
}
