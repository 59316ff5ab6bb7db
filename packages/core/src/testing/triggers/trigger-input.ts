import { z } from 'zod';
import { EventTypeInput } from '../../changes/events/event-pattern.ts';
import { ChargeResource } from '../../payments/charges/charge-resource.ts';
import { DisputeResource } from '../../payments/disputes/dispute-resource.ts';
import { PayoutResource } from '../../payments/payouts/payout-resource.ts';
import { SubscriptionResource } from '../../payments/subscriptions/subscription-resource.ts';

/**
 * Fields of some resource. The type of the event determines the resource, so the service checks
 * them. The resources are listed here for forms, whose texts are converted to the type of a field
 * of that name.
 */
const OverridesInput = z
  .union([
    ChargeResource.partial(),
    SubscriptionResource.partial(),
    DisputeResource.partial(),
    PayoutResource.partial(),
    z.looseObject({}),
  ])
  .transform((fields): Readonly<Record<string, unknown>> => fields);

/** The reference has the fields of each resource elsewhere. */
function withoutOptions({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema.anyOf;
  jsonSchema.type = 'object';
}

const IdInput = z.string().max(255);

/** The event to trigger, in the test environment. */
export const TriggerInput = z
  .strictObject({
    type: EventTypeInput,
    overrides: OverridesInput.optional().meta({
      description:
        'Values for fields of the object of the event. Not `id`, `object` or `livemode`.',
      override: withoutOptions,
    }),
    object: IdInput.optional().meta({
      description: 'An existing object of the test environment, instead of an invented one.',
    }),
    endpoint: IdInput.optional().meta({
      description:
        'Only to this endpoint, subscribed or not. Without it, to every endpoint that the type matches.',
    }),
  })
  .meta({ id: 'EventCreate' });

export type Trigger = z.output<typeof TriggerInput>;
