import { z } from 'zod';
import { EventTypeInput } from '../changes/events/event-pattern.ts';
import { EVENT_FAMILIES } from '../events/catalogue/event-catalogue.ts';

const RESOURCES: readonly z.ZodObject[] = Object.values(EVENT_FAMILIES).map(({ schema }) => schema);

/**
 * Fields of some resource. The type of the event determines the resource, so the service checks
 * them. The resources are listed here for forms, whose texts are converted to the type of a field
 * of that name.
 */
const OverridesInput = z
  .union([...RESOURCES.map((resource) => resource.partial()), z.looseObject({})])
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
        'Only to this endpoint, subscribed or not. Without it, to every endpoint that the type matches; of a ' +
        'platform, to those whose URL it set.',
    }),
  })
  .meta({ id: 'EventCreate' });

export type Trigger = z.output<typeof TriggerInput>;
