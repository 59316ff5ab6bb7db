import { EventTypeInput } from '@paymount/core/changes';
import { COUNT_INTERVALS, type DeliveryService } from '@paymount/core/events';
import { MomentInput } from '@paymount/core/kernel';
import { z } from 'zod';
import { idIn } from '../lists.ts';

/** The parameters of every summary of deliveries. */
export const SUMMARY_PARAMETERS = {
  interval: z.enum(COUNT_INTERVALS).default('day'),
  from: MomentInput.optional().meta({
    description: 'The first hour or day contains it; by default 24 hours or 30 days before `to`.',
  }),
  to: MomentInput.optional().meta({
    description: 'The last hour or day contains it, or ends at it; by default now.',
  }),
  endpoint: z
    .string()
    .max(255)
    .optional()
    .meta({ description: 'Only attempts to this webhook endpoint.' }),
  type: EventTypeInput.optional(),
} as const;

const Query = z.object(SUMMARY_PARAMETERS);

/** @throws PaymountError 400 `parameter_invalid` for an id of another kind of object */
export function toAskedCounts({
  interval,
  from,
  to,
  endpoint,
  type,
}: z.output<typeof Query>): Parameters<DeliveryService['summarize']>[1] {
  return {
    interval,
    ...(from && { from }),
    ...(to && { to }),
    ...(endpoint === undefined ? {} : { endpoint: idIn('we', endpoint, 'endpoint') }),
    ...(type && { type }),
  };
}
