import type { Event } from '../../changes/events/event.ts';
import type { EventCause } from '../../changes/events/event-cause.ts';
import { buildEvent, MAX_EVENT_BYTES } from '../../changes/events/event-resource.ts';
import type { EventType } from '../../changes/events/event-types.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { timeOf } from '../../payments/test-clocks/object-clock.ts';
import { toUnbilled } from './bill-period.ts';
import { type PricesById, toSubscriptionResource } from './render-subscription.ts';
import type { Subscription } from './subscription.ts';
import type { SubscriptionJson } from './subscription-resource.ts';

/** What later events add, in bytes: the envelope, dunning, an end, and nicknames of prices. */
const EVENT_ROOM = 32 * 1024;
const MOST = MAX_EVENT_BYTES - EVENT_ROOM;

/**
 * The event of a subscription. Metadata of prices, which callers may change at any time, are left out if the
 * event would become too large with them, and then metadata of items: it is recorded whatever they are.
 */
export function subscriptionEvent(
  row: Subscription,
  type: EventType,
  { prices, at, cause }: EventFacts,
): Event {
  const { accountId, environment } = row;
  const eventWith = (object: SubscriptionJson): Event =>
    buildEvent({
      owner: { accountId, environment },
      type,
      object,
      objectVersion: row.version,
      at: timeOf(row, at),
      ...cause,
      testClockId: row.clock?.id,
    });
  const bare = withoutMetadata(prices);
  const items = row.items.map((item) => ({ ...item, metadata: {} }));
  return (
    fitting(() => eventWith(toSubscriptionResource(row, prices))) ??
    fitting(() => eventWith(toSubscriptionResource(row, bare))) ??
    eventWith(toSubscriptionResource({ ...row, items }, bare))
  );
}

/** @returns undefined if it is too large */
function fitting(build: () => Event): Event | undefined {
  try {
    return build();
  } catch (error) {
    if (!PaymountError.is(error) || error.code !== 'object_too_large') throw error;
    return undefined;
  }
}

interface EventFacts {
  readonly prices: PricesById;
  readonly at: Date;
  readonly cause: EventCause;
}

/**
 * Checks that every later event can show a subscription as it is, and with the items that wait for the end of its
 * period: otherwise its events would show less than its items have.
 * @throws PaymountError `object_too_large`
 */
export function assertFitsEvent(row: Subscription, prices: PricesById): void {
  const { pendingUpdate } = row;
  const later = pendingUpdate && { ...row, items: pendingUpdate.items.map(toUnbilled) };
  for (const shown of [row, ...(later ? [later] : [])]) {
    const text = JSON.stringify(toSubscriptionResource(shown, withoutMetadata(prices)));
    if (Buffer.byteLength(text) > MOST) throw new PaymountError('object_too_large');
  }
}

function withoutMetadata(prices: PricesById): PricesById {
  return new Map([...prices].map(([id, price]) => [id, { ...price, metadata: {} }]));
}
