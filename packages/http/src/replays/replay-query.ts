import { REPLAY_STATUSES, ReplayCreateInput, type ReplayFilter } from '@paymount/core/events';
import { PaymountError } from '@paymount/core/kernel';
import { z } from 'zod';
import { CreatedInput } from '../lists.ts';

/** The filters of every list of replays. */
export const REPLAY_FILTERS = {
  status: z.enum(REPLAY_STATUSES).optional(),
  created: CreatedInput,
} as const;

const Query = z.object(REPLAY_FILTERS);

/** The filter of a list of replays. */
export function toReplayFilter({ status, created }: z.output<typeof Query>): ReplayFilter {
  return { ...(status && { status }), ...(created && { created }) };
}

/** Which events are sent again, with the bounds on `created` that every list takes. */
export const ReplayBody = ReplayCreateInput.safeExtend({ created: CreatedInput }).meta({
  id: 'ReplayCreate',
});

type Chosen = Pick<
  z.output<typeof ReplayBody>,
  'endpoint' | 'to' | 'types' | 'states' | 'created' | 'dry_run'
>;

/**
 * A request without filters would send all events to every endpoint, so at least one is required.
 * @throws PaymountError `parameter_missing` if there is none
 */
export function assertEventsChosen(input: Chosen): void {
  const { endpoint, to, types, states, created, dry_run: dryRun } = input;
  const chosen = [endpoint, to, types, states, created].some((filter) => filter !== undefined);
  if (chosen || dryRun) return;
  throw new PaymountError(
    'parameter_missing',
    'Send at least one of created[gte], types[], states[], endpoint and to. To send all events again, send created[gte]=0.',
    { param: 'created' },
  );
}
