import { z } from 'zod';

/** The destination of an event that is sent again. */
export const EventReplayInput = z
  .strictObject({
    endpoint: z
      .string()
      .max(255)
      .optional()
      .meta({
        description:
          'Only to this endpoint, subscribed or not. Without it, to every enabled endpoint that the ' +
          'type of the event matches now.',
      }),
  })
  .meta({ id: 'EventReplayCreate' });

export type EventReplay = z.output<typeof EventReplayInput>;
