import {
  type Delivery,
  DeliveryResource,
  DeliverySummaryResource,
  toDeliveryResource,
  toDeliverySummaryResource,
} from '@paymount/core/events';
import { z } from 'zod';
import { ListQuery, listSchema, toListResource, toPageRequest } from '../lists.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';
import { DELIVERY_FILTERS, toDeliveryFilter } from './delivery-query.ts';
import { toShownLog } from './shown-log.ts';
import { SUMMARY_PARAMETERS, toAskedCounts } from './summary-query.ts';

const PATH = '/v1/deliveries';

const DeliveryListQuery = ListQuery.extend(DELIVERY_FILTERS);
const SummaryQuery = z.strictObject(SUMMARY_PARAMETERS);

/** A page of deliveries. */
export const DeliveryListResource = listSchema('DeliveryList', DeliveryResource);

/** Deliveries: list, retrieve with the log of attempts, retry. */
export function deliveryRoutes({ deliveries }: Services): readonly Route[] {
  const route = routesUnder(PATH);
  const facts = { scope: 'webhooks:write', response: DeliveryResource } as const;
  route.get(
    '',
    {
      ...facts,
      operationId: 'listDeliveries',
      summary: 'List deliveries, newest first',
      query: DeliveryListQuery,
      response: DeliveryListResource,
    },
    async ({ call, query }) => {
      const page = await deliveries.list(call, toDeliveryFilter(query), toPageRequest(query));
      return toListResource(PATH, page, show);
    },
  );
  route.get(
    '/summary',
    {
      ...facts,
      operationId: 'summarizeDeliveries',
      summary: 'Count attempts by hour or day, and by endpoint',
      query: SummaryQuery,
      response: DeliverySummaryResource,
    },
    async ({ call, query }) =>
      toDeliverySummaryResource(
        await deliveries.summarize(call, toAskedCounts(query)),
        call.principal.environment,
      ),
  );
  route.get(
    '/:id',
    {
      ...facts,
      operationId: 'retrieveDelivery',
      summary: 'Retrieve a delivery with its attempts',
      query: Nothing,
    },
    async ({ call, path }) => {
      const { delivery, log } = await deliveries.retrieve(call, path.id);
      return toDeliveryResource(delivery, await toShownLog(log));
    },
  );
  route.post(
    '/:id/retry',
    {
      ...facts,
      operationId: 'retryDelivery',
      summary: 'Retry a pending or failed delivery now',
      body: Nothing,
    },
    async ({ call, path }) => show(await deliveries.retry(call, path.id, show)),
  );
  return route.routes;
}

function show(delivery: Delivery) {
  return toDeliveryResource(delivery);
}
