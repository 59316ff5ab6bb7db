import type { EventType } from '../../changes/events/event-types.ts';
import type { ChargeTrigger } from '../../payments/charges/charge-states.ts';
import type { RefundTrigger } from '../../payments/refunds/refund-states.ts';
import type { EventFamily } from './event-families.ts';
import type { FixtureFacts } from './fixture.ts';

/** An object of an event: whatever else it has, it has an id and a name of its kind. */
export type EventObject = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly object: string;
};

/** A transition of a state table. */
export type FiringTransition = `charges.${ChargeTrigger}` | `refunds.${RefundTrigger}`;

/** Everything that is known of one type of event. */
export interface CatalogueEntry<Shown extends EventObject = EventObject> {
  /** When it fires, in the words of the specification. */
  readonly meaning: string;
  /** What it is about; `EVENT_FAMILIES` has the schema of its `data.object`. */
  readonly family: EventFamily;
  /** The transitions that record it; none where nothing does yet. */
  readonly firedBy: readonly FiringTransition[];
  /** An object in the state that such an event shows; nobody stores it. */
  readonly fixture: (facts: FixtureFacts) => Shown;
}

/** The entries of one family: a row for each of its types. */
export type CatalogueOf<Family extends EventFamily, Shown extends EventObject> = Readonly<
  Record<Extract<EventType, `${Family}.${string}`>, CatalogueEntry<Shown>>
>;
