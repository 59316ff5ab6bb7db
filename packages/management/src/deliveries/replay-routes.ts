import { AdminReplayResource, type Replay, toAdminReplayResource } from '@paymount/core/events';
import {
  assertEventsChosen,
  listSchema,
  Nothing,
  REPLAY_FILTERS,
  ReplayBody,
  toListResource,
  toPageRequest,
  toReplayFilter,
} from '@paymount/http';
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

const ReplayListQuery = AdminListQuery.extend(REPLAY_FILTERS);
const AdminReplayCreateInput = ReplayBody.safeExtend({
  account: z.string().max(255),
  livemode: z.boolean(),
}).meta({ id: 'ReplayCreate' });

/** Replays of many events: list, retrieve with progress, start, cancel. */
export function replayRoutes({
  replays,
  directory,
}: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder(PATH);
  const reads = { permission: 'deliveries.read', response: AdminReplayResource } as const;
  const writes = { permission: 'deliveries.replay', response: AdminReplayResource } as const;
  const find = (call: AdminCall, id: string): Promise<Replay> =>
    target(call, NAME, id, (known) => directory.replays.find(known));

  route.get(
    '',
    {
      ...reads,
      operationId: 'listReplays',
      summary: 'List replays, newest first',
      query: ReplayListQuery,
      response: listSchema('ReplayList', AdminReplayResource),
    },
    async ({ call, query }) => {
      const { account, livemode } = query;
      const filter = {
        ...(await toFilter(call, { account, livemode }, directory.accounts)),
        ...toReplayFilter(query),
      };
      const page = await directory.replays.list(call.adminScope, filter, toPageRequest(query));
      return toListResource(PATH, page, show);
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
      return toAdminReplayResource(replay, await directory.replays.progress(replay.id));
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
      assertEventsChosen(input);
      const owner = await newOwner(call, { account, livemode }, directory.accounts);
      return show(await replays.create(callFor(call, owner), input, show));
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
      return show(await replays.cancel(callFor(call, replay), replay.id, show));
    },
  );
  return route.routes;
}

function show(replay: Replay) {
  return toAdminReplayResource(replay);
}
