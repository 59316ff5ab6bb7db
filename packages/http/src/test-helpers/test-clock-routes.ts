import {
  DeletedTestClockResource,
  TestClockAdvanceInput,
  TestClockCreateInput,
  TestClockResource,
  toDeletedTestClockResource,
  toTestClockResource,
} from '@paymount/core/payments';
import { CreatedListQuery, listSchema, toListResource, toPageRequest } from '../lists.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

const PATH = '/v1/test_helpers/test_clocks';

/** Test clocks: create, list, retrieve, advance, delete; in the test environment. */
export function testClockRoutes({ testClocks }: Services): readonly Route[] {
  const route = routesUnder(PATH);
  const uses = { scope: 'secret_key', testOnly: true, response: TestClockResource } as const;

  route.post(
    '',
    {
      ...uses,
      operationId: 'createTestClock',
      summary: 'Create a test clock',
      body: TestClockCreateInput,
    },
    async ({ call, body }) => toTestClockResource(await testClocks.create(call, body)),
  );
  route.get(
    '',
    {
      ...uses,
      operationId: 'listTestClocks',
      summary: 'List test clocks, newest first',
      query: CreatedListQuery,
      response: listSchema('TestClockList', TestClockResource),
    },
    async ({ call, query: { created, ...page } }) =>
      toListResource(
        PATH,
        await testClocks.list(call, { ...(created && { created }) }, toPageRequest(page)),
        toTestClockResource,
      ),
  );
  route.get(
    '/:id',
    {
      ...uses,
      operationId: 'retrieveTestClock',
      summary: 'Retrieve a test clock, and how far it is',
      query: Nothing,
    },
    async ({ call, path }) => toTestClockResource(await testClocks.retrieve(call, path.id)),
  );
  route.post(
    '/:id/advance',
    {
      ...uses,
      operationId: 'advanceTestClock',
      summary: 'Advance a test clock; a worker runs what is due until then',
      body: TestClockAdvanceInput,
      errorStatuses: [409],
    },
    async ({ call, path, body }) =>
      toTestClockResource(await testClocks.advance(call, path.id, body)),
  );
  route.delete(
    '/:id',
    {
      ...uses,
      operationId: 'deleteTestClock',
      summary: 'Delete a test clock and its customers',
      body: Nothing,
      response: DeletedTestClockResource,
    },
    async ({ call, path }) => toDeletedTestClockResource(await testClocks.delete(call, path.id)),
  );
  return route.routes;
}
