import { type ManagementRoute, management, type V1Route, v1 } from './route-row.ts';

const PATH = '/v1/test_helpers/test_clocks';

/** The routes of test clocks. */
export const TEST_CLOCK_ROUTES: readonly V1Route[] = [
  v1(`POST ${PATH}`, 'createTestClock', 'secret_key', {
    testOnly: true,
    body: () => ({ frozen_time: '2030-01-01T00:00:00Z' }),
  }),
  v1(`GET ${PATH}`, 'listTestClocks', 'secret_key', { testOnly: true, lists: 'testClock' }),
  v1(`GET ${PATH}/{id}`, 'retrieveTestClock', 'secret_key', { testOnly: true, of: 'testClock' }),
  v1(`POST ${PATH}/{id}/advance`, 'advanceTestClock', 'secret_key', {
    testOnly: true,
    of: 'testClock',
    body: () => ({ frozen_time: '2031-01-01T00:00:00Z' }),
  }),
  v1(`DELETE ${PATH}/{id}`, 'deleteTestClock', 'secret_key', {
    testOnly: true,
    of: 'leavingClock',
  }),
];

/** The routes of administrators for test clocks. */
export const ADMIN_TEST_CLOCK_ROUTES: readonly ManagementRoute[] = [
  management('GET /test_clocks', 'listTestClocks', 'test_clocks.read', {
    lists: 'stuckClock',
    ids: { account: { of: 'account', answer: 'missing' } },
  }),
  management('GET /test_clocks/{id}', 'retrieveTestClock', 'test_clocks.read', {
    of: 'stuckClock',
    testOnly: true,
  }),
  management('POST /test_clocks/{id}/clear', 'clearTestClock', 'test_clocks.clear', {
    of: 'stuckClock',
    testOnly: true,
    audits: ['test_clock.clear'],
  }),
];
