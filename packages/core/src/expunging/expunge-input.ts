import { z } from 'zod';
import { reason } from '../kernel/input/input.ts';
import type { CreatedFilter } from '../kernel/input/page.ts';

/** No list of a request may be longer. */
const MAX_EVENTS = 100;

/** Which events are expunged, and why; the bounds on `created` are those of every list. */
export const ExpungeCreateInput = z
  .strictObject({
    events: z.array(z.string().max(255)).min(1).max(MAX_EVENTS).optional().meta({
      description: 'Only these events, by id.',
    }),
    object_id: z.string().min(1).max(255).optional().meta({
      description: 'Only events of this object, such as a charge.',
    }),
    reason: reason(500).meta({
      description:
        'Why the data are deleted. It is stored with the request and in the audit log: do not write ' +
        'personal data into it.',
    }),
  })
  .meta({ id: 'ExpungeRequestCreate' });

export type ExpungeCreate = z.output<typeof ExpungeCreateInput> & {
  readonly created?: CreatedFilter | undefined;
};
