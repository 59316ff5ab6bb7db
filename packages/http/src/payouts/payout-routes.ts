import type { Call } from '@paymount/core/kernel';
import {
  PayoutCreateInput,
  type PayoutJson,
  PayoutResource,
  PayoutUpdateInput,
  toPayoutResource,
} from '@paymount/core/payments';
import type { z } from 'zod';
import {
  CreatedInput,
  clockFilter,
  idFilter,
  type ListJson,
  ListQuery,
  listSchema,
  toClockFilter,
  toListResource,
  toPageRequest,
} from '../lists.ts';
import { type Expandable, inList } from '../routing/expand.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

const PATH = '/v1/payouts';

/** What `GET /v1/payouts` takes. */
export const PayoutListQuery = ListQuery.extend({
  arrival_date: CreatedInput,
  created: CreatedInput,
  destination: idFilter('Only payouts to this bank account.'),
  status: PayoutResource.shape.status.optional(),
  test_clock: clockFilter('what is on none'),
});

/** Payouts: create, retrieve, update, list, cancel. */
export function payoutRoutes({ payouts }: Services, expand: Expandable): readonly Route[] {
  const route = routesUnder(PATH);
  const writes = { scope: 'secret_key', response: PayoutResource, expand } as const;
  const reads = { scope: 'payouts:read', response: PayoutResource, expand } as const;

  route.post(
    '',
    {
      ...writes,
      operationId: 'createPayout',
      summary: 'Pay out available funds to a bank account',
      body: PayoutCreateInput,
    },
    async ({ call, body }) => toPayoutResource(await payouts.create(call, body)),
  );
  route.get(
    '',
    {
      ...reads,
      operationId: 'listPayouts',
      summary: 'List payouts, newest first',
      query: PayoutListQuery,
      response: listSchema('PayoutList', PayoutResource),
      expand: inList(expand),
    },
    ({ call, query }) => listPayouts(payouts, call, query),
  );
  route.get(
    '/:id',
    { ...reads, operationId: 'retrievePayout', summary: 'Retrieve a payout', query: Nothing },
    async ({ call, path }) => toPayoutResource(await payouts.retrieve(call, path.id)),
  );
  route.post(
    '/:id',
    { ...writes, operationId: 'updatePayout', summary: 'Update a payout', body: PayoutUpdateInput },
    async ({ call, path, body }) => toPayoutResource(await payouts.update(call, path.id, body)),
  );
  route.post(
    '/:id/cancel',
    {
      ...writes,
      operationId: 'cancelPayout',
      summary: 'Cancel a payout that was not sent yet',
      body: Nothing,
    },
    async ({ call, path }) => toPayoutResource(await payouts.cancel(call, path.id)),
  );
  return route.routes;
}

/** A page of payouts, newest first. @throws PaymountError `parameters_exclusive`, `invalid_cursor` */
export async function listPayouts(
  payouts: Services['payouts'],
  call: Call,
  query: z.output<typeof PayoutListQuery>,
): Promise<ListJson<PayoutJson>> {
  const { arrival_date: arrivalDate, created, destination, status, test_clock, ...page } = query;
  const filter = {
    ...(arrivalDate && { arrivalDate }),
    ...(created && { created }),
    ...(destination && { destination }),
    ...(status && { status }),
    ...toClockFilter({ test_clock }),
  };
  return toListResource(
    PATH,
    await payouts.list(call, filter, toPageRequest(page)),
    toPayoutResource,
  );
}
