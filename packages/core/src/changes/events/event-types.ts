/** The specification's event catalogue, which is closed (Events, Event catalogue). */
export const EVENT_TYPES = [
  'charge.succeeded',
  'charge.failed',
  'charge.captured',
  'charge.refunded',
  'charge.pending',
  'subscription.created',
  'subscription.renewed',
  'subscription.payment_failed',
  'subscription.recovered',
  'subscription.canceled',
  'dispute.created',
  'dispute.alert',
  'dispute.won',
  'dispute.lost',
  'payout.paid',
  'payout.failed',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** The entries that `enabled_events` accepts besides the types themselves. */
export const EVENT_PATTERNS = ['*', 'charge.*', 'subscription.*', 'dispute.*', 'payout.*'] as const;

export type EventPattern = EventType | (typeof EVENT_PATTERNS)[number];

/** The entries of `enabled_events` that select a type: the type, its family, and `*`. */
export function patternsFor(type: EventType): readonly [EventType, string, '*'] {
  return [type, `${type.slice(0, type.indexOf('.'))}.*`, '*'];
}
