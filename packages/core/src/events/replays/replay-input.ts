import { z } from 'zod';
import { EventTypeInput } from '../../changes/events/event-pattern.ts';
import type { CreatedFilter } from '../../kernel/input/page.ts';
import { REPLAYED_STATES } from './replay.ts';

const MAX_TYPES = 20;
const MAX_RATE = 1_000;
const DEFAULT_RATE = 200;

/** Which events are sent again, and where; the bounds on `created` are those of every list. */
export const ReplayCreateInput = z
  .strictObject({
    endpoint: z.string().max(255).optional().meta({
      description:
        'Apply `states` to the deliveries to this endpoint; without `to`, also send to it.',
    }),
    types: z.array(EventTypeInput).min(1).max(MAX_TYPES).optional().meta({
      description: 'Only events of these types.',
    }),
    states: z
      .array(z.enum(REPLAYED_STATES))
      .min(1)
      .max(REPLAYED_STATES.length)
      .optional()
      .meta({
        description:
          'Only events with this result at `endpoint`, or else at their destination: `succeeded`, ' +
          '`failed` or `skipped` without a success, `undelivered` (no success, also when there is no ' +
          'delivery). Events of the last 30 days at most: deliveries are not kept longer.',
      }),
    to: z
      .string()
      .max(255)
      .optional()
      .meta({
        description:
          'Send to this endpoint, subscribed or not. Without it and `endpoint`: to every enabled ' +
          'endpoint, the types that it is subscribed to now.',
      }),
    rate: z.int().min(1).max(MAX_RATE).default(DEFAULT_RATE).meta({
      description: 'Maximum number of deliveries per second.',
    }),
    dry_run: z
      .boolean()
      .default(false)
      .meta({ description: 'Count the matching events; send nothing.' }),
  })
  .meta({ id: 'ReplayCreate' });

export type ReplayCreate = z.output<typeof ReplayCreateInput> & {
  readonly created?: CreatedFilter | undefined;
};
