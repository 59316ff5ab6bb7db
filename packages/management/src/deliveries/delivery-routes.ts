import {
  AdminDeliveryResource,
  type Delivery,
  toAdminDeliveryResource,
} from '@paymount/core/events';
import {
  DELIVERY_FILTERS,
  listSchema,
  Nothing,
  toDeliveryFilter,
  toListResource,
  toPageRequest,
  toShownLog,
} from '@paymount/http';
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

const DeliveryListQuery = AdminListQuery.extend(DELIVERY_FILTERS);

/** A page of deliveries, with the account of each. */
export const DeliveryListResource = listSchema('DeliveryList', AdminDeliveryResource);

/** Deliveries: list, retrieve with the log of attempts, retry. */
export function deliveryRoutes(services: ManagementServices): readonly ManagementRoute[] {
  const { deliveries, directory } = services;
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
      return toAdminDeliveryResource(delivery, toShownLog(log));
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
