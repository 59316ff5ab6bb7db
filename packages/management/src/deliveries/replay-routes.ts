import {
  REPLAY_STATUSES,
  type Replay,
  ReplayCreateInput,
  ReplayResource,
  toReplayResource,
} from '@paymount/core/events';
import { PaymountError } from '@paymount/core/kernel';
import { CreatedInput, listSchema, Nothing, toListResource, toPageRequest } from '@paymount/http';
import { z } from 'zod';
import {
  type AdminCall,
  callFor,
  type ManagementRoute,
  newOwner,
  routesUnder,
  target,
} from '../admin-call.ts';
import { AdminListQuery, toFilter } from '../admin-list-query.ts';
import type { ManagementServices } from '../services.ts';

const PATH = '/replays';
const NAME = { noun: 'replay', prefix: 'rpl' } as const;

const ReplayListQuery = AdminListQuery.extend({ status: z.enum(REPLAY_STATUSES).optional() });
const AdminReplayCreateInput = ReplayCreateInput.safeExtend({
  account: z.string().max(255),
  livemode: z.boolean(),
  created: CreatedInput,
}).meta({ id: 'ReplayCreate' });

/** Replays of many events: list, retrieve with progress, start, cancel. */
export function replayRoutes({
  replays,
  directory,
}: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder(PATH);
  const reads = { permission: 'deliveries.read', response: ReplayResource } as const;
  const writes = { permission: 'deliveries.replay', response: ReplayResource } as const;
  const find = (call: AdminCall, id: string): Promise<Replay> =>
    target(call, NAME, id, (known) => directory.replays.find(known));

  route.get(
    '',
    {
      ...reads,
      operationId: 'listReplays',
      summary: 'List replays, newest first',
      query: ReplayListQuery,
      response: listSchema('ReplayList', ReplayResource),
    },
    async ({ call, query }) => {
      const filter = await toFilter(call, query, directory.accounts);
      const page = await directory.replays.list(call.adminScope, filter, toPageRequest(query));
      return toListResource(PATH, page, (replay) => toReplayResource(replay));
    },
  );
  route.get(
    '/:id',
    {
      ...reads,
      operationId: 'retrieveReplay',
      summary: 'Retrieve a replay with its progress',
      query: Nothing,
    },
    async ({ call, path }) => {
      const replay = await find(call, path.id);
      return toReplayResource(replay, await directory.replays.progress(replay.id));
    },
  );
  route.post(
    '',
    {
      ...writes,
      operationId: 'createReplay',
      summary: 'Send many events again',
      body: AdminReplayCreateInput,
    },
    async ({ call, body: { account, livemode, ...input } }) => {
      assertChosen(input);
      const owner = await newOwner(call, { account, livemode }, directory.accounts);
      return toReplayResource(await replays.create(callFor(call, owner), input));
    },
  );
  route.post(
    '/:id/cancel',
    {
      ...writes,
      operationId: 'cancelReplay',
      summary: 'Cancel a replay and its pending deliveries',
      body: Nothing,
    },
    async ({ call, path }) => {
      const replay = await find(call, path.id);
      return toReplayResource(await replays.cancel(callFor(call, replay), replay.id));
    },
  );
  return route.routes;
}

type Chosen = Pick<
  z.output<typeof AdminReplayCreateInput>,
  'endpoint' | 'to' | 'types' | 'states' | 'created' | 'dry_run'
>;

/**
 * A request without filters would send all events to every endpoint, so at least one is required.
 * @throws PaymountError `parameter_missing` if there is none
 */
function assertChosen({ endpoint, to, types, states, created, dry_run: dryRun }: Chosen): void {
  const chosen = [endpoint, to, types, states, created].some((filter) => filter !== undefined);
  if (chosen || dryRun) return;
  throw new PaymountError(
    'parameter_missing',
    'Send at least one of created[gte], types[], states[], endpoint and to. To send all events again, send created[gte]=0.',
    { param: 'created' },
  );
}
