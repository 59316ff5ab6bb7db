import type { EventObjects } from './event-objects.generated.ts';

/** The types of the catalogue. */
export type WebhookEventType = keyof EventObjects;

interface EventOf<Type extends WebhookEventType> {
  /** `evt_...`, the same on every delivery of this event: record it to skip duplicates. */
  readonly id: string;
  readonly object: 'event';
  /** Answer 200 to types that you do not know. */
  readonly type: Type;
  /** The version that shaped the object, `YYYY-MM-DD`. */
  readonly api_version: string;
  /** When the event fired, ISO 8601 UTC. */
  readonly created: string;
  /** False in the test environment. */
  readonly livemode: boolean;
  /** `object` is the resource in the state that it had when the event fired. */
  readonly data: { readonly object: EventObjects[Type] };
}

/**
 * An event in a delivery (specification: Resources, Event): one type for each row of the catalogue,
 * so that `event.type` determines the type of `event.data.object`.
 */
export type WebhookEvent = { readonly [Type in WebhookEventType]: EventOf<Type> }[WebhookEventType];

/** Whether parsed JSON has the form of an event; additional members are ignored. */
export function isWebhookEvent(value: unknown): value is WebhookEvent {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    value['object'] === 'event' &&
    typeof value['type'] === 'string' &&
    typeof value['api_version'] === 'string' &&
    typeof value['created'] === 'string' &&
    typeof value['livemode'] === 'boolean' &&
    isRecord(value['data']) &&
    isRecord(value['data']['object'])
  );
}

/** Whether it is an event whose times are Unix seconds, as Stripe's SDKs read them. */
export function isInStripeForm(value: unknown): boolean {
  return (
    isRecord(value) &&
    Number.isInteger(value['created']) &&
    isWebhookEvent({ ...value, created: '' })
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
