import { z } from 'zod';
import { livemode, type Owner } from '../../kernel/basics/environment.ts';
import { newId, type RequestId } from '../../kernel/basics/id.ts';
import { TimestampResource } from '../../kernel/basics/resource.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { CURRENT_API_VERSION } from './api-version.ts';
import type { Event } from './event.ts';
import { EVENT_TYPES, type EventType } from './event-types.ts';

const MAX_BODY_BYTES = 256 * 1024;

export const EventResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('event'),
    type: z.enum(EVENT_TYPES),
    api_version: z.string(),
    created: TimestampResource,
    livemode: z.boolean(),
    data: z.strictObject({ object: z.looseObject({ id: z.string(), object: z.string() }) }),
  })
  .meta({ id: 'Event' });

const Envelope = z.looseObject({});

/** The event as deliveries send it. */
export function toEventResource({ body }: Pick<Event, 'body'>): object {
  return Envelope.parse(JSON.parse(body));
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
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) throw new PaymountError('object_too_large');
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
  };
}
