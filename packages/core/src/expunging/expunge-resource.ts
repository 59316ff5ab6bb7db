import { z } from 'zod';
import { livemode } from '../kernel/basics/environment.ts';
import {
  BoundsResource,
  TimestampResource,
  timestamp,
  toBoundsResource,
} from '../kernel/basics/resource.ts';
import { EXPUNGE_STATUSES, type ExpungeRequest } from './expunge-request.ts';

export const ExpungeRequestResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('expunge_request'),
    account: z.string(),
    livemode: z.boolean(),
    status: z.enum(EXPUNGE_STATUSES).meta({
      description:
        '`pending`: no worker has begun. `running`: events are expunged. `succeeded`: all are. ' +
        '`failed`: it ended before, for the reason in `failure`; what was expunged stays so.',
    }),
    events: z.array(z.string()).nullable(),
    object_id: z.string().nullable(),
    created_filter: BoundsResource,
    reason: z.string(),
    expunged_events: z.int().meta({ description: 'Events whose data were deleted so far.' }),
    expunged_attempts: z.int().meta({
      description: 'Attempts whose headers and bodies were deleted so far.',
    }),
    canceled_deliveries: z.int().meta({
      description: 'Deliveries that waited for an attempt, and are not sent any more.',
    }),
    created: TimestampResource,
    started_at: TimestampResource.nullable(),
    finished_at: TimestampResource.nullable(),
    failure: z.string().nullable().meta({ description: 'Why it failed.' }),
  })
  .meta({ id: 'ExpungeRequest' });

export type ExpungeRequestJson = z.output<typeof ExpungeRequestResource>;

/** The JSON of a request, for admins. */
export function toExpungeRequestResource(request: ExpungeRequest): ExpungeRequestJson {
  const { selection, counts } = request;
  return {
    id: request.id,
    object: 'expunge_request',
    account: request.accountId,
    livemode: livemode(request.environment),
    status: request.status,
    events: selection.eventIds === undefined ? null : [...selection.eventIds],
    object_id: selection.objectId ?? null,
    created_filter: toBoundsResource(selection.createdFilter),
    reason: request.reason,
    expunged_events: counts.events,
    expunged_attempts: counts.attempts,
    canceled_deliveries: counts.canceledDeliveries,
    created: request.created.toISOString(),
    started_at: timestamp('startedAt' in request ? request.startedAt : undefined),
    finished_at: timestamp('finishedAt' in request ? request.finishedAt : undefined),
    failure: 'failure' in request ? request.failure : null,
  };
}
