import {
  AdminDeliveryResource,
  DELIVERY_STATES,
  type Delivery,
  toAdminDeliveryResource,
} from '@paymount/core/events';
import { listSchema, Nothing, toListResource, toPageRequest } from '@paymount/http';
import { z } from 'zod';
import {
  type AdminCall,
  callFor,
  type ManagementRoute,
  routesUnder,
  target,
} from '../admin-call.ts';
import { AdminListQuery, idIn, toFilter } from '../admin-list-query.ts';
import type { ManagementServices } from '../services.ts';

const PATH = '/deliveries';
const NAME = { noun: 'delivery', prefix: 'dlv' } as const;

const DeliveryListQuery = AdminListQuery.extend({
  status: z.enum(DELIVERY_STATES).optional(),
  endpoint: z.string().max(255).optional(),
  event: z.string().max(255).optional(),
  replay: z.string().max(255).optional().meta({ description: 'Only deliveries of this replay.' }),
});

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
    async ({ call, query: { endpoint, event, replay, ...query } }) => {
      const filter = {
        ...(await toFilter(call, query, directory.accounts)),
        ...(endpoint === undefined ? {} : { endpoint: idIn('we', endpoint, 'endpoint') }),
        ...(event === undefined ? {} : { event: idIn('evt', event, 'event') }),
        ...(replay === undefined ? {} : { replay: idIn('rpl', replay, 'replay') }),
      };
      const page = await directory.deliveries.list(call.adminScope, filter, toPageRequest(query));
      return toListResource(PATH, page, (delivery) => toAdminDeliveryResource(delivery));
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
      return toAdminDeliveryResource(delivery, await directory.deliveries.attempts(delivery.id));
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
      return toAdminDeliveryResource(await deliveries.retry(callFor(call, delivery), delivery.id));
    },
  );
  return route.routes;
}
