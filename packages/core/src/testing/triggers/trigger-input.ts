import { z } from 'zod';
import { EventTypeInput } from '../../changes/events/event-pattern.ts';
import { ChargeResource } from '../../payments/charges/charge-resource.ts';
import { DisputeResource } from '../../payments/disputes/dispute-resource.ts';
import { PayoutResource } from '../../payments/payouts/payout-resource.ts';
import { SubscriptionResource } from '../../payments/subscriptions/subscription-resource.ts';

/**
 * Fields of some resource; of which, the type of the event says, so the service judges them. The
 * resources stand here for forms, whose texts become what a field of that name takes.
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

/** What to happen, in the test environment. */
export const TriggerInput = z
  .strictObject({
    type: EventTypeInput,
    overrides: OverridesInput.optional().meta({
      description:
        'Fields of the object of the event, as they are to be. Not `id`, `object` or `livemode`.',
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
