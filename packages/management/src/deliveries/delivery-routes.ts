import {
  AdminDeliveryResource,
  AdminDeliverySummaryResource,
  type Delivery,
  toAdminDeliveryResource,
  toAdminDeliverySummaryResource,
  toCountFilter,
} from '@paymount/core/events';
import {
  DELIVERY_FILTERS,
  listSchema,
  Nothing,
  SUMMARY_PARAMETERS,
  toAskedCounts,
  toDeliveryFilter,
  toListResource,
  toPageRequest,
  toShownLog,
} from '@paymount/http';
import { z } from 'zod';
import {
  type AdminCall,
  callFor,
  type ManagementRoute,
  routesUnder,
  target,
} from '../admin-call.ts';
import { AdminListQuery, toFilter } from '../admin-list-query.ts';
import type { ManagementServices } from '../services.ts';

const PATH = '/deliveries';
const NAME = { noun: 'delivery', prefix: 'dlv' } as const;

const SummaryQuery = z.strictObject({
  account: AdminListQuery.shape.account,
  livemode: AdminListQuery.shape.livemode,
  ...SUMMARY_PARAMETERS,
});
const DeliveryListQuery = AdminListQuery.extend(DELIVERY_FILTERS);

/** A page of deliveries, with the account of each. */
export const DeliveryListResource = listSchema('DeliveryList', AdminDeliveryResource);

/** Deliveries: list, retrieve with the log of attempts, retry. */
export function deliveryRoutes(services: ManagementServices): readonly ManagementRoute[] {
  const { deliveries, directory, clock } = services;
  const route = routesUnder(PATH);
  const reads = { permission: 'deliveries.read', response: AdminDeliveryResource } as const;
  const find = (call: AdminCall, id: string): Promise<Delivery> =>
    target(call, NAME, id, (known) => directory.deliveries.find(known));

  route.get(
    '',
    {
      ...reads,
      operationId: 'listDeliveries',
      summary: 'List deliveries, newest first',
      query: DeliveryListQuery,
      response: DeliveryListResource,
    },
    async ({ call, query }) => {
      const { account, livemode } = query;
      const filter = {
        ...(await toFilter(call, { account, livemode }, directory.accounts)),
        ...toDeliveryFilter(query),
      };
      const page = await directory.deliveries.list(call.adminScope, filter, toPageRequest(query));
      return toListResource(PATH, page, show);
    },
  );
  route.get(
    '/summary',
    {
      ...reads,
      operationId: 'summarizeDeliveries',
      summary: 'Count attempts by hour or day, and by endpoint',
      query: SummaryQuery,
      response: AdminDeliverySummaryResource,
    },
    async ({ call, query }) => {
      const { account, livemode } = query;
      const period = toCountFilter(toAskedCounts(query), clock.now());
      const filter = {
        ...(await toFilter(call, { account, livemode }, directory.accounts)),
        ...period,
      };
      const counts = await directory.deliveries.counts(call.adminScope, filter);
      return toAdminDeliverySummaryResource({ period, counts });
    },
  );
  route.get(
    '/:id',
    {
      ...reads,
      operationId: 'retrieveDelivery',
      summary: 'Retrieve a delivery with its attempts',
      query: Nothing,
    },
    async ({ call, path }) => {
      const delivery = await find(call, path.id);
      const log = await directory.deliveries.log(delivery);
      return toAdminDeliveryResource(delivery, await toShownLog(log));
    },
  );
  route.post(
    '/:id/retry',
    {
      permission: 'deliveries.replay',
      operationId: 'retryDelivery',
      summary: 'Retry a pending or failed delivery now',
      body: Nothing,
      response: AdminDeliveryResource,
    },
    async ({ call, path }) => {
      const delivery = await find(call, path.id);
      return show(await deliveries.retry(callFor(call, delivery), delivery.id, show));
    },
  );
  return route.routes;
}

function show(delivery: Delivery) {
  return toAdminDeliveryResource(delivery);
}
