import type { Call } from '@paymount/core/kernel';
import {
  RefundCreateInput,
  type RefundJson,
  RefundResource,
  RefundUpdateInput,
  toRefundResource,
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

const PATH = '/v1/refunds';

/** What `GET /v1/refunds` takes. */
export const RefundListQuery = ListQuery.extend({
  charge: idFilter('Only refunds of this charge.'),
  created: CreatedInput,
  test_clock: clockFilter('what is on none, or of one charge all'),
});

/** A page of refunds. */
export const RefundList = listSchema('RefundList', RefundResource);

/** Refunds: create, retrieve, update, list, cancel. */
export function refundRoutes({ refunds }: Services, expand: Expandable): readonly Route[] {
  const route = routesUnder(PATH);
  const writes = { scope: 'charges:write', response: RefundResource, expand } as const;
  const reads = { scope: 'charges:read', response: RefundResource, expand } as const;

  route.post(
    '',
    {
      ...writes,
      operationId: 'createRefund',
      summary: 'Refund a charge, all or part',
      body: RefundCreateInput,
    },
    async ({ call, body }) => toRefundResource(await refunds.create(call, body)),
  );
  route.get(
    '',
    {
      ...reads,
      operationId: 'listRefunds',
      summary: 'List refunds, newest first',
      query: RefundListQuery,
      response: RefundList,
      expand: inList(expand),
    },
    ({ call, query }) => listRefunds(refunds, call, query),
  );
  route.get(
    '/:id',
    { ...reads, operationId: 'retrieveRefund', summary: 'Retrieve a refund', query: Nothing },
    async ({ call, path }) => toRefundResource(await refunds.retrieve(call, path.id)),
  );
  route.post(
    '/:id',
    { ...writes, operationId: 'updateRefund', summary: 'Update a refund', body: RefundUpdateInput },
    async ({ call, path, body }) => toRefundResource(await refunds.update(call, path.id, body)),
  );
  route.post(
    '/:id/cancel',
    {
      ...writes,
      operationId: 'cancelRefund',
      summary: 'Withdraw a refund that was not sent yet',
      body: Nothing,
    },
    async ({ call, path }) => toRefundResource(await refunds.cancel(call, path.id)),
  );
  return route.routes;
}

/** A page of refunds, newest first. @throws PaymountError `parameters_exclusive`, `invalid_cursor` */
export async function listRefunds(
  refunds: Services['refunds'],
  call: Call,
  { charge, created, test_clock, ...page }: z.output<typeof RefundListQuery>,
): Promise<ListJson<RefundJson>> {
  const filter = {
    ...(charge && { charge }),
    ...(created && { created }),
    ...toClockFilter({ test_clock }),
  };
  return toListResource(
    PATH,
    await refunds.list(call, filter, toPageRequest(page)),
    toRefundResource,
  );
}
