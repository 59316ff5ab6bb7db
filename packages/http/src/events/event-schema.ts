import assert from 'node:assert/strict';
import {
  EVENT_TYPES,
  type EventFamily,
  type EventType,
  ExpungedEventResource,
  eventFamily,
} from '@paymount/core/changes';
import { EVENT_FAMILIES } from '@paymount/core/events';
import { TimestampResource } from '@paymount/core/kernel';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';

/**
 * The schema of an event, for the reference: a union in which `type` determines `data.object`.
 * @param more fields that the envelope has besides
 */
export function eventSchema(more: z.ZodRawShape = {}): z.ZodType {
  const [first, ...others] = new Set(EVENT_TYPES.map(eventFamily));
  assert(first !== undefined, 'There is an event type.');
  return z
    .discriminatedUnion('type', [
      familySchema(first, more),
      ...others.map((family) => familySchema(family, more)),
    ])
    .meta({ id: 'Event' });
}

/** Events as merchants get them. */
export const EVENTS: z.ZodType = eventSchema();

/**
 * The schema of an event that may be expunged, for the reference.
 * @param more fields that the envelope has besides
 */
export function storedEventSchema(more: z.ZodRawShape = {}): z.ZodType {
  const expunged = ExpungedEventResource.extend(more).meta({ id: 'ExpungedEvent' });
  return z.union([eventSchema(more), expunged]).meta({ id: 'StoredEvent' });
}

/** Events as merchants retrieve them later. */
export const STORED_EVENTS: z.ZodType = z
  .union([EVENTS, ExpungedEventResource])
  .meta({ id: 'StoredEvent' });

function familySchema(family: EventFamily, more: z.ZodRawShape) {
  const { name, schema: object } = EVENT_FAMILIES[family];
  const id = `${name}Event`;
  const data = z.strictObject({ object }).meta({ id: `${id}Data` });
  const envelope = {
    id: z.string(),
    object: z.literal('event'),
    type: z.enum(typesInFamily(family)),
    api_version: z.string(),
    created: TimestampResource,
    livemode: z.boolean(),
    data,
  };
  return z.strictObject({ ...envelope, ...more }).meta({ id });
}

function typesInFamily(family: EventFamily): readonly EventType[] {
  return EVENT_TYPES.filter((type) => eventFamily(type) === family);
}

const DeliveryHeaders = z.strictObject({
  'Service-Signature': z.string().meta({ description: '`t=<unix seconds>,v1=<hex>`.' }),
  'webhook-id': z.string().meta({ description: 'The id of the event: the same in each attempt.' }),
  'webhook-timestamp': z.string().meta({ description: 'Unix seconds.' }),
  'webhook-signature': z.string().meta({ description: 'The signature of Standard Webhooks.' }),
});

/**
 * The webhooks of the document, by the type of the event.
 * @param events the schema of all events, which the document names `Event`
 */
export function eventWebhooks(events: z.ZodType): ZodOpenApiPathsObject {
  const webhooks = EVENT_TYPES.map((type) => {
    const operation = {
      operationId: toOperationId(type),
      summary: `\`${type}\` happened`,
      description: 'Sent to each endpoint whose `enabled_events` match. Verify it first.',
      tags: ['webhooks'],
      security: [],
      requestParams: { header: DeliveryHeaders },
      requestBody: { required: true, content: { 'application/json': { schema: events } } },
      responses: { '2XX': { description: 'Received; any other answer is a failed attempt.' } },
    };
    return [type, { post: operation }] as const;
  });
  return Object.fromEntries(webhooks);
}

/** `onChargeSucceeded` for `charge.succeeded`. */
function toOperationId(type: EventType): string {
  const words = type.split(/[._]/);
  return `on${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`;
}
