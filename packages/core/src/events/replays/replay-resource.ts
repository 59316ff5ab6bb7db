import { z } from 'zod';
import { EventTypeInput } from '../../changes/events/event-pattern.ts';
import { livemode } from '../../kernel/basics/environment.ts';
import {
  BoundsResource,
  TimestampResource,
  timestamp,
  toBoundsResource,
} from '../../kernel/basics/resource.ts';
import { REPLAY_STATUSES, REPLAYED_STATES, type Replay, type ReplayProgress } from './replay.ts';

export const ReplayResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('replay'),
    livemode: z.boolean(),
    status: z.enum(REPLAY_STATUSES).meta({
      description:
        '`pending`: no worker has begun. `running`: matching events are counted, and deliveries are ' +
        'made. `completed`: all are made. `canceled`: no more are made, and pending ones are canceled. ' +
        '`failed`: no more can be made, for the reason in `failure`; pending ones are still sent.',
    }),
    endpoint: z.string().nullable(),
    to: z.string().nullable(),
    types: z.array(EventTypeInput).nullable(),
    states: z.array(z.enum(REPLAYED_STATES)).nullable(),
    created_filter: BoundsResource,
    rate: z.int(),
    dry_run: z.boolean(),
    matched: z.int().meta({
      description: 'Matching pairs of event and endpoint that were counted so far.',
    }),
    counting: z.boolean().meta({ description: 'Whether `matched` still rises.' }),
    created_count: z.int().meta({ description: 'Deliveries made so far.' }),
    skipped: z.int().meta({
      description:
        'Pairs of event and endpoint that were passed over so far because the event is expunged.',
    }),
    deliveries: z
      .strictObject({
        pending: z.int(),
        newest: z.int(),
        succeeded: z.int(),
        failed: z.int(),
        canceled: z.int(),
      })
      .optional()
      .meta({
        description:
          'The results of its deliveries, if a single replay is retrieved: `pending` counts all pending ' +
          'ones; the others count the newest, at most 10,000, and `newest` is how many these are.',
      }),
    created: TimestampResource,
    finished_at: TimestampResource.nullable(),
    failure: z.string().nullable().meta({ description: 'Why it failed.' }),
  })
  .meta({ id: 'Replay' });

/** For admins, who see more than one account. */
export const AdminReplayResource = ReplayResource.extend({ account: z.string() }).meta({
  id: 'Replay',
});

export type ReplayJson = z.output<typeof ReplayResource>;

/** The JSON of a replay. @param progress given if a single replay is retrieved */
export function toReplayResource(replay: Replay, progress?: ReplayProgress): ReplayJson {
  return {
    id: replay.id,
    object: 'replay',
    livemode: livemode(replay.environment),
    status: replay.status,
    endpoint: replay.endpointId ?? null,
    to: replay.toEndpointId ?? null,
    types: replay.types === undefined ? null : [...replay.types],
    states: replay.states === undefined ? null : [...replay.states],
    created_filter: toBoundsResource(replay.createdFilter),
    rate: replay.rate,
    dry_run: replay.dryRun,
    matched: replay.matched,
    counting: replay.isCounting,
    created_count: replay.createdCount,
    skipped: replay.skipped,
    ...(progress && { deliveries: progress }),
    created: replay.created.toISOString(),
    finished_at: timestamp(replay.finishedAt),
    failure: replay.failure ?? null,
  };
}

/** As `toReplayResource`, with the account that the replay belongs to. */
export function toAdminReplayResource(
  replay: Replay,
  progress?: ReplayProgress,
): z.output<typeof AdminReplayResource> {
  return { ...toReplayResource(replay, progress), account: replay.accountId };
}
