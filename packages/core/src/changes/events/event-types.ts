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

/** What the event types of one resource begin with: `charge`. It is the `object` of the resource. */
export type EventFamily = FamilyOf<EventType>;

type FamilyOf<Type> = Type extends `${infer Family}.${string}` ? Family : never;

/** The entries that `enabled_events` accepts besides the types themselves: `*`, and `charge.*`. */
export const EVENT_PATTERNS: readonly ('*' | `${EventFamily}.*`)[] = [
  '*',
  ...new Set(EVENT_TYPES.map(familyPattern)),
];

export type EventPattern = EventType | (typeof EVENT_PATTERNS)[number];

/** The entries of `enabled_events` that select a type: the type, its family, and `*`. */
export function patternsFor(type: EventType): readonly [EventType, string, '*'] {
  return [type, familyPattern(type), '*'];
}

function familyPattern(type: EventType): `${EventFamily}.*` {
  return `${eventFamily(type)}.*`;
}

/** The family of an event type: `charge` for `charge.succeeded`. */
export function eventFamily<Type extends EventType>(type: Type): FamilyOf<Type>;
export function eventFamily(type: string): string {
  return type.slice(0, type.indexOf('.'));
}
