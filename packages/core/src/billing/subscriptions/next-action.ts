import type { SubscriptionFacts, SubscriptionState } from './subscription.ts';

/** What the scheduler does with a subscription. */
export type ActionKind = (typeof ACTION_KINDS)[number];
export const ACTION_KINDS = [
  'expire',
  'cancel',
  'resume_collection',
  'retry',
  'renew',
  'give_up',
] as const;

/** What is due next, and when. */
export interface NextAction {
  readonly kind: ActionKind;
  readonly at: Date;
}

type Row = SubscriptionFacts & SubscriptionState;

/**
 * The earliest thing that time does to a subscription. Of two at one moment the first of this list is
 * done: a cancellation comes before the renewal that it prevents, and the last attempt before giving up.
 * A trial ends with its period, so its end is a renewal.
 * @returns null if nothing is due: it is over, or the outcome of a charge is not known yet
 */
export function nextActionOf(subscription: Row): NextAction | null {
  if (subscription.chargingInvoiceId !== null) return null;
  const due = candidates(subscription);
  return due.reduce<NextAction | null>(
    (first, each) => (first === null || each.at < first.at ? each : first),
    null,
  );
}

/** In the order of precedence. */
function candidates(subscription: Row): readonly NextAction[] {
  const { cancelAt, cancelAtPeriodEnd, period, pauseCollection } = subscription;
  const ends = [
    ...action('cancel', cancelAt),
    ...action('cancel', cancelAtPeriodEnd ? period.end : null),
    ...action('resume_collection', pauseCollection?.resumesAt ?? null),
  ];
  switch (subscription.status) {
    case 'incomplete':
      return action('expire', subscription.expiresAt);
    case 'trialing':
    case 'active':
      return [...ends, ...action('renew', period.end)];
    case 'past_due': {
      const { nextAttemptAt, givesUpAt } = subscription.dunning;
      return [...ends, ...action('retry', nextAttemptAt), ...action('give_up', givesUpAt)];
    }
    case 'unpaid':
    case 'paused':
      return ends;
    case 'incomplete_expired':
    case 'canceled':
      return [];
  }
}

function action(kind: ActionKind, at: Date | null): readonly NextAction[] {
  return at === null ? [] : [{ kind, at }];
}
