import type { EventFamily, EventType } from '../../changes/events/event-types.ts';
import type { FixtureFacts } from './fixture.ts';

/** An object of an event; every one has an id and a type name. */
export type EventObject = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly object: string;
};

/** The facts about one type of event. */
export interface CatalogueEntry<Shown extends EventObject = EventObject> {
  /** When it fires, in the words of the specification. */
  readonly meaning: string;
  /** An object in the state that such an event shows; it is not stored. */
  readonly fixture: (facts: FixtureFacts) => Shown;
}

/** The entries of one family: a row for each of its types. */
export type CatalogueOf<Family extends EventFamily, Shown extends EventObject> = Readonly<
  Record<Extract<EventType, `${Family}.${string}`>, CatalogueEntry<Shown>>
>;
