import { type Replay, ReplayResource, toReplayResource } from '@paymount/core/events';
import { ListQuery, listSchema, toListResource, toPageRequest } from '../lists.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';
import { assertEventsChosen, REPLAY_FILTERS, ReplayBody, toReplayFilter } from './replay-query.ts';

const PATH = '/v1/replays';

const ReplayListQuery = ListQuery.extend(REPLAY_FILTERS);

/** Replays of many events: list, retrieve with progress, start, cancel. */
export function replayRoutes({ replays }: Services): readonly Route[] {
  const route = routesUnder(PATH);
  const facts = { scope: 'webhooks:write', response: ReplayResource } as const;
  route.get(
    '',
    {
      ...facts,
      operationId: 'listReplays',
      summary: 'List replays, newest first',
      query: ReplayListQuery,
      response: listSchema('ReplayList', ReplayResource),
    },
    async ({ call, query }) => {
      const page = await replays.list(call, toReplayFilter(query), toPageRequest(query));
      return toListResource(PATH, page, show);
    },
  );
  route.get(
    '/:id',
    {
      ...facts,
      operationId: 'retrieveReplay',
      summary: 'Retrieve a replay with its progress',
      query: Nothing,
    },
    async ({ call, path }) => {
      const { replay, progress } = await replays.retrieve(call, path.id);
      return toReplayResource(replay, progress);
    },
  );
  route.post(
    '',
    {
      ...facts,
      operationId: 'createReplay',
      summary: 'Send many events again',
      body: ReplayBody,
    },
    async ({ call, body }) => {
      assertEventsChosen(body);
      return show(await replays.create(call, body, show));
    },
  );
  route.post(
    '/:id/cancel',
    {
      ...facts,
      operationId: 'cancelReplay',
      summary: 'Cancel a replay and its pending deliveries',
      body: Nothing,
    },
    async ({ call, path }) => show(await replays.cancel(call, path.id, show)),
  );
  return route.routes;
}

function show(replay: Replay) {
  return toReplayResource(replay);
}
