import { z } from 'zod';
import { livemode, type Owner } from '../../kernel/basics/environment.ts';
import { newId, type RequestId, type TestClockId } from '../../kernel/basics/id.ts';
import { TimestampResource } from '../../kernel/basics/resource.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { CURRENT_API_VERSION } from './api-version.ts';
import type { Event, ExpungedEvent } from './event.ts';
import { EVENT_TYPES, type EventType, eventFamily } from './event-types.ts';

/** The largest body of an event, in bytes. */
export const MAX_EVENT_BYTES = 256 * 1024;

const ENVELOPE = {
  id: z.string(),
  object: z.literal('event'),
  type: z.enum(EVENT_TYPES),
  api_version: z.string(),
  created: TimestampResource,
  livemode: z.boolean(),
};

export const EventResource = z
  .strictObject({
    ...ENVELOPE,
    data: z.strictObject({ object: z.looseObject({ id: z.string(), object: z.string() }) }),
    expunged_at: TimestampResource.optional(),
  })
  .meta({ id: 'Event' });

/** An event without the data that it was recorded with. */
export const ExpungedEventResource = z
  .strictObject({
    ...ENVELOPE,
    data: z
      .strictObject({ object: z.strictObject({ id: z.string(), object: z.string() }) })
      .meta({ description: 'Only what the object was; its other fields are expunged.' }),
    expunged_at: TimestampResource.meta({
      description: 'When the data of the event were deleted. No other event has this field.',
    }),
  })
  .meta({ id: 'ExpungedEvent' });

const Envelope = z.looseObject({});

/** The event as deliveries send it; an expunged one without its data, and with `expunged_at`. */
export function toEventResource(event: Pick<Event, 'body'> | ExpungedEvent): object {
  return 'body' in event ? Envelope.parse(JSON.parse(event.body)) : toExpungedResource(event);
}

function toExpungedResource(event: ExpungedEvent): z.output<typeof ExpungedEventResource> {
  return {
    id: event.id,
    object: 'event',
    type: event.type,
    api_version: event.apiVersion,
    created: event.created.toISOString(),
    livemode: livemode(event.environment),
    data: { object: { id: event.objectId, object: eventFamily(event.type) } },
    expunged_at: event.expungedAt.toISOString(),
  };
}

/**
 * Makes the event of a state change, with the exact bytes that every delivery will send
 * (specification: Resources, Event; the key order is part of the contract).
 * @throws PaymountError `object_too_large` when the body would exceed 256 KiB
 */
export function buildEvent(facts: {
  readonly owner: Owner;
  readonly type: EventType;
  /** The resource in its new state. */
  readonly object: { readonly id: string };
  /** Version of the row, so that one state is never reported twice. */
  readonly objectVersion: number;
  readonly at: Date;
  readonly source: Event['source'];
  readonly requestId?: RequestId;
  /** The test clock of the object. */
  readonly testClockId?: TestClockId | undefined;
}): Event {
  const id = newId('evt');
  const body = JSON.stringify({
    id,
    object: 'event',
    type: facts.type,
    api_version: CURRENT_API_VERSION,
    created: facts.at.toISOString(),
    livemode: livemode(facts.owner.environment),
    data: { object: facts.object },
  });
  if (Buffer.byteLength(body) > MAX_EVENT_BYTES) throw new PaymountError('object_too_large');
  return {
    accountId: facts.owner.accountId,
    environment: facts.owner.environment,
    id,
    type: facts.type,
    apiVersion: CURRENT_API_VERSION,
    created: facts.at,
    objectId: facts.object.id,
    objectVersion: facts.objectVersion,
    body,
    source: facts.source,
    ...(facts.requestId === undefined ? {} : { requestId: facts.requestId }),
    ...(facts.testClockId === undefined ? {} : { testClockId: facts.testClockId }),
  };
}
