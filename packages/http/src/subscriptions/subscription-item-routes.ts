import {
  DeletedSubscriptionItemResource,
  SubscriptionItemCreateInput,
  SubscriptionItemDeleteInput,
  type SubscriptionItemJson,
  SubscriptionItemResource,
  SubscriptionItemUpdateInput,
} from '@paymount/core/billing';
import type { Call } from '@paymount/core/kernel';
import { z } from 'zod';
import { type ListJson, ListQuery, listSchema, toListResource, toPageRequest } from '../lists.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

const PATH = '/v1/subscription_items';

/** What `GET /v1/subscription_items` takes. */
export const SubscriptionItemListQuery = ListQuery.extend({
  subscription: z.string().min(1).max(255).meta({ description: 'A `sub_` id.' }),
});

/** The items of subscriptions: create, retrieve, update, list, delete. */
export function subscriptionItemRoutes({ subscriptionItems }: Services): readonly Route[] {
  const route = routesUnder(PATH);
  const scope = 'subscriptions:write';
  const shared = { scope, response: SubscriptionItemResource } as const;

  route.post(
    '',
    {
      ...shared,
      operationId: 'createSubscriptionItem',
      errorStatuses: [402, 502],
      summary: 'Add an item to a subscription',
      body: SubscriptionItemCreateInput,
    },
    ({ call, body }) => subscriptionItems.create(call, body),
  );
  route.get(
    '',
    {
      scope,
      operationId: 'listSubscriptionItems',
      summary: 'List the items of a subscription, in their order',
      query: SubscriptionItemListQuery,
      response: listSchema('SubscriptionItemPage', SubscriptionItemResource),
    },
    ({ call, query }) => listSubscriptionItems(subscriptionItems, call, query),
  );
  route.get(
    '/:id',
    {
      ...shared,
      operationId: 'retrieveSubscriptionItem',
      summary: 'Retrieve an item of a subscription',
      query: Nothing,
    },
    ({ call, path }) => subscriptionItems.retrieve(call, path.id),
  );
  route.post(
    '/:id',
    {
      ...shared,
      operationId: 'updateSubscriptionItem',
      errorStatuses: [402, 502],
      summary: 'Change the price or the quantity of an item',
      body: SubscriptionItemUpdateInput,
    },
    ({ call, path, body }) => subscriptionItems.update(call, path.id, body),
  );
  route.delete(
    '/:id',
    {
      scope,
      operationId: 'deleteSubscriptionItem',
      errorStatuses: [402, 502],
      summary: 'Remove an item from a subscription',
      body: SubscriptionItemDeleteInput,
      response: DeletedSubscriptionItemResource,
    },
    ({ call, path, body }) => subscriptionItems.delete(call, path.id, body),
  );
  return route.routes;
}

/** A page of the items of a subscription. @throws PaymountError `resource_missing`, `invalid_cursor` */
export async function listSubscriptionItems(
  subscriptionItems: Services['subscriptionItems'],
  call: Call,
  query: z.output<typeof SubscriptionItemListQuery>,
): Promise<ListJson<SubscriptionItemJson>> {
  const { subscription } = query;
  const found = await subscriptionItems.list(call, { subscription }, toPageRequest(query));
  return toListResource(PATH, found, (item) => item);
}
