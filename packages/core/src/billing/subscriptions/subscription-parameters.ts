import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { mergeMetadata } from '../../kernel/input/metadata.ts';
import { mergedText } from '../../payments/contacts/contact-input.ts';
import { boundary } from './billing-calendar.ts';
import type { Cancellation, ScheduledEnd } from './cancel-subscription.ts';
import type { SubscriptionChange } from './change-subscription.ts';
import type { Resumption } from './resume-subscription.ts';
import type {
  CancellationDetails,
  CurrentPeriod,
  ItemsChange,
  PauseCollection,
  SubscriptionSettings,
} from './subscription.ts';
import type {
  SubscriptionCancel,
  SubscriptionCreate,
  SubscriptionResume,
  SubscriptionUpdate,
} from './subscription-input.ts';

/** The settings of a subscription for which none were sent. */
export const BLANK_SETTINGS: SubscriptionSettings = {
  collectionMethod: 'charge_automatically',
  daysUntilDue: null,
  defaultPaymentMethodId: null,
  description: null,
  metadata: {},
  trialEndBehavior: 'create_invoice',
  pauseCollection: null,
};

/**
 * Validates metadata before anything that they are sent with is looked up.
 * @throws PaymountError `metadata_limit_exceeded`
 */
export function assertMetadata({
  metadata,
  items = [],
}: Pick<SubscriptionUpdate, 'metadata' | 'items'>): void {
  mergeMetadata({}, metadata);
  for (const [index, item] of items.entries()) {
    mergeMetadata({}, item.metadata, `items[${index}][metadata]`);
  }
}

/**
 * Applies a caller's settings to the stored ones.
 * @param methodId what `default_payment_method` names; null: it is empty
 * @throws PaymountError `parameter_missing` for `send_invoice` without `days_until_due`,
 *   `parameter_invalid` for `days_until_due` without it or a `resumes_at` in the past,
 *   `metadata_limit_exceeded`
 */
export function mergeSettings(
  stored: SubscriptionSettings,
  input: Partial<SubscriptionUpdate>,
  {
    methodId = stored.defaultPaymentMethodId,
    now,
  }: { readonly methodId?: SubscriptionSettings['defaultPaymentMethodId']; readonly now: Date },
): SubscriptionSettings {
  const collectionMethod = input.collection_method ?? stored.collectionMethod;
  return {
    collectionMethod,
    daysUntilDue: daysUntilDue(collectionMethod, input.days_until_due, stored.daysUntilDue),
    defaultPaymentMethodId: methodId,
    description: mergedText(stored.description, input.description),
    metadata: mergeMetadata(stored.metadata, input.metadata),
    trialEndBehavior:
      input.trial_settings?.end_behavior.missing_payment_method ?? stored.trialEndBehavior,
    pauseCollection: pauseOf(stored.pauseCollection, input.pause_collection, now),
  };
}

function daysUntilDue(
  method: SubscriptionSettings['collectionMethod'],
  sent: number | undefined,
  stored: number | null,
): number | null {
  const param = 'days_until_due';
  if (method === 'charge_automatically') {
    if (sent === undefined) return null;
    const message = 'days_until_due is only for collection_method=send_invoice; leave it out.';
    throw new PaymountError('parameter_invalid', message, { param });
  }
  const days = sent ?? stored;
  if (days !== null) return days;
  const message = 'Send days_until_due: with send_invoice an invoice is due after that many days.';
  throw new PaymountError('parameter_missing', message, { param });
}

function pauseOf(
  stored: PauseCollection | null,
  input: SubscriptionUpdate['pause_collection'],
  now: Date,
): PauseCollection | null {
  if (input === undefined) return stored;
  if (input === '') return null;
  const { behavior, resumes_at: resumesAt = null } = input;
  if (resumesAt === null || resumesAt > now) return { behavior, resumesAt };
  const message = 'resumes_at must be in the future; send an empty pause_collection to resume now.';
  throw new PaymountError('parameter_invalid', message, { param: 'pause_collection[resumes_at]' });
}

/**
 * When the trial of a new subscription ends.
 * @param priceDays the longest trial of its prices, which counts if the caller names none; null: none has one
 * @param timezone a trial of days ends at the same time of the day there
 * @returns null if there is none
 * @throws PaymountError `parameters_exclusive`
 */
export function trialEndOf(
  { trial_end: end, trial_period_days: sent }: SubscriptionCreate,
  {
    priceDays,
    timezone,
    now,
  }: {
    readonly priceDays: number | null;
    readonly timezone: string;
    readonly now: Date;
  },
): Date | null {
  if (end !== undefined && sent !== undefined) throw exclusive('trial_end', 'trial_period_days');
  if (end !== undefined) return end === 'now' ? null : end;
  const days = sent ?? priceDays ?? 0;
  if (days === 0) return null;
  return boundary({ anchor: now, timezone, interval: 'day', intervalCount: 1 }, days);
}

/**
 * What an update changes in what is billed.
 * @param items what its `items` are merged to; absent: they were not sent
 * @throws PaymountError `parameters_exclusive`
 */
export function toChange(
  input: SubscriptionUpdate,
  items: ItemsChange | undefined,
): SubscriptionChange {
  const { trial_end: trialEnd, proration_date: prorationDate, apply_at: applyAt } = input;
  const isAnchoredNow = input.billing_cycle_anchor === 'now';
  const isAtPeriodEnd = applyAt === 'period_end';
  if (isAtPeriodEnd) assertAlone(input);
  if (isAnchoredNow && trialEnd instanceof Date)
    throw exclusive('billing_cycle_anchor', 'trial_end');
  return {
    ...(items !== undefined && { items }),
    prorationBehavior: input.proration_behavior ?? 'create_prorations',
    ...(prorationDate !== undefined && { prorationDate }),
    ...(trialEnd !== undefined && { trialEnd }),
    ...(isAnchoredNow && { isAnchoredNow }),
    ...(isAtPeriodEnd && { isAtPeriodEnd }),
    ...(input.pending_update !== undefined && { dropsPending: true }),
  };
}

/** A change at the end of the period has no prorations, and the period ends when it ends. */
function assertAlone(input: SubscriptionUpdate): void {
  if (input.items === undefined) {
    const message = 'apply_at=period_end needs items, which are to change then.';
    throw new PaymountError('parameter_missing', message, { param: 'items' });
  }
  for (const name of ['proration_behavior', 'proration_date', 'trial_end'] as const) {
    if (input[name] !== undefined) throw exclusive('apply_at', name);
  }
  if (input.billing_cycle_anchor === 'now') throw exclusive('apply_at', 'billing_cycle_anchor');
}

/**
 * When an update lets the subscription end.
 * @returns null if it says nothing about that
 * @throws PaymountError `parameters_exclusive`
 */
export function toScheduledEnd(
  input: Partial<SubscriptionUpdate>,
  period: Pick<CurrentPeriod, 'end'>,
): ScheduledEnd | null {
  const { cancel_at: sent, cancel_at_period_end: isAtPeriodEnd } = input;
  if (sent === undefined && isAtPeriodEnd === undefined) return null;
  if (sent && isAtPeriodEnd) throw exclusive('cancel_at', 'cancel_at_period_end');
  const details = toDetails(input.cancellation_details);
  const prorationBehavior = input.proration_behavior ?? 'create_prorations';
  const end = { prorationBehavior, details, ...(isAtPeriodEnd !== undefined && { isAtPeriodEnd }) };
  if (sent === undefined) return end;
  if (sent instanceof Date) return { ...end, cancelAt: sent };
  return { ...end, cancelAt: sent === '' ? null : period.end };
}

/** How a request ends a subscription. */
export function toCancellation(input: SubscriptionCancel): Cancellation {
  return {
    isProrated: input.prorate ?? false,
    isInvoicedNow: input.invoice_now ?? false,
    details: toDetails(input.cancellation_details),
  };
}

/** How a request ends a pause. */
export function toResumption(input: SubscriptionResume): Resumption {
  return {
    anchor: input.billing_cycle_anchor ?? 'now',
    prorationBehavior: input.proration_behavior ?? 'create_prorations',
  };
}

/** What a customer said; an empty text removes it. */
export function toDetails(
  input: SubscriptionCancel['cancellation_details'],
): Partial<Pick<CancellationDetails, 'comment' | 'feedback'>> {
  const { comment, feedback } = input ?? {};
  return {
    ...(comment !== undefined && { comment: comment === '' ? null : comment }),
    ...(feedback !== undefined && { feedback: feedback === '' ? null : feedback }),
  };
}

function exclusive(one: string, other: string): PaymountError {
  const message = `Send either ${one} or ${other}, not both.`;
  return new PaymountError('parameters_exclusive', message, { param: other });
}
