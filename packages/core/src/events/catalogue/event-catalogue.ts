import type { EventType } from '../../changes/events/event-types.ts';
import type { CatalogueEntry } from './catalogue-entry.ts';
import { CHARGE_EVENTS } from './charge-events.ts';
import { DISPUTE_EVENTS } from './dispute-events.ts';
import { PAYOUT_EVENTS } from './payout-events.ts';
import { SUBSCRIPTION_EVENTS } from './subscription-events.ts';

/**
 * The one table of what is known of each type of event. Triggers, the reference and the types of
 * receivers read it; a type without a row does not compile.
 */
export const EVENT_CATALOGUE: Readonly<Record<EventType, CatalogueEntry>> = {
  ...CHARGE_EVENTS,
  ...SUBSCRIPTION_EVENTS,
  ...DISPUTE_EVENTS,
  ...PAYOUT_EVENTS,
};
