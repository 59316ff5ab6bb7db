import {
  AdminTestClockResource,
  TEST_CLOCK_STATUSES,
  type TestClock,
  toAdminTestClockResource,
} from '@paymount/core/payments';
import { listSchema, Nothing, toListResource, toPageRequest } from '@paymount/http';
import { z } from 'zod';
import {
  type AdminCall,
  callFor,
  type ManagementRoute,
  routesUnder,
  target,
} from '../admin-call.ts';
import { AdminListQuery, toFilter } from '../admin-list-query.ts';
import type { AdminDirectories, ManagementServices } from '../services.ts';

const PATH = '/test_clocks';
const NAME = { noun: 'test clock', prefix: 'clock' } as const;

const TestClockListQuery = AdminListQuery.extend({
  status: z.enum(TEST_CLOCK_STATUSES).optional(),
});

/** Test clocks of merchants: list, retrieve, and clear one that is stuck. */
export function testClockRoutes({
  testClocks,
  directory,
}: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder(PATH);
  const reads = { permission: 'test_clocks.read', response: AdminTestClockResource } as const;

  route.get(
    '',
    {
      ...reads,
      operationId: 'listTestClocks',
      summary: 'List test clocks, newest first',
      query: TestClockListQuery,
      response: listSchema('AdminTestClockList', AdminTestClockResource),
    },
    async ({ call, query }) => {
      const filter = await toFilter(call, query, directory.accounts);
      const page = await directory.testClocks.list(call.adminScope, filter, toPageRequest(query));
      return toListResource(PATH, page, toAdminTestClockResource);
    },
  );
  route.get(
    '/:id',
    {
      ...reads,
      operationId: 'retrieveTestClock',
      summary: 'Retrieve a test clock, and how far it is',
      query: Nothing,
    },
    async ({ call, path }) => toAdminTestClockResource(await find(directory, call, path.id)),
  );
  route.post(
    '/:id/clear',
    {
      permission: 'test_clocks.clear',
      response: AdminTestClockResource,
      operationId: 'clearTestClock',
      summary:
        'Set a test clock that stopped at a failure, or waits for the hook or for an answer, to ready where it stands',
      body: Nothing,
    },
    async ({ call, path }) => {
      const clock = await find(directory, call, path.id);
      return toAdminTestClockResource(await testClocks.clear(callFor(call, clock), clock.id));
    },
  );
  return route.routes;
}

function find({ testClocks }: AdminDirectories, call: AdminCall, id: string): Promise<TestClock> {
  return target(call, NAME, id, (known) => testClocks.find(call.admin, known));
}
