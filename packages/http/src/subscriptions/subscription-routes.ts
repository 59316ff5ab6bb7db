import {
  SubscriptionCancelInput,
  SubscriptionCreateInput,
  type SubscriptionJson,
  SubscriptionResource,
  SubscriptionResumeInput,
  SubscriptionUpdateInput,
} from '@paymount/core/billing';
import type { Call } from '@paymount/core/kernel';
import { z } from 'zod';
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

const PATH = '/v1/subscriptions';

/** What `GET /v1/subscriptions` takes. */
export const SubscriptionListQuery = ListQuery.extend({
  created: CreatedInput,
  customer: idFilter('A `cus_` id.'),
  price: idFilter('Only those with an item of this price.'),
  status: z
    .enum([...SubscriptionResource.shape.status.options, 'all', 'ended'])
    .optional()
    .meta({ description: 'Absent: all that are not canceled. `ended`: what is over.' }),
  collection_method: SubscriptionResource.shape.collection_method.optional(),
  test_clock: clockFilter('what is on none, or of one customer all'),
});

/** Subscriptions: create, retrieve, update, list, cancel, resume. */
export function subscriptionRoutes(
  { subscriptions }: Services,
  expand: Expandable,
): readonly Route[] {
  const route = routesUnder(PATH);
  const scope = 'subscriptions:write';
  const shared = { scope, expand, response: SubscriptionResource } as const;

  route.post(
    '',
    {
      ...shared,
      operationId: 'createSubscription',
      errorStatuses: [402, 502],
      summary: 'Charge a customer for prices, every period',
      body: SubscriptionCreateInput,
    },
    ({ call, body }) => subscriptions.create(call, body),
  );
  route.get(
    '',
    {
      scope,
      operationId: 'listSubscriptions',
      summary: 'List subscriptions, newest first',
      query: SubscriptionListQuery,
      response: listSchema('SubscriptionList', SubscriptionResource),
      expand: inList(expand),
    },
    ({ call, query }) => listSubscriptions(subscriptions, call, query),
  );
  route.get(
    '/:id',
    {
      ...shared,
      operationId: 'retrieveSubscription',
      summary: 'Retrieve a subscription',
      query: Nothing,
    },
    ({ call, path }) => subscriptions.retrieve(call, path.id),
  );
  route.post(
    '/:id',
    {
      ...shared,
      operationId: 'updateSubscription',
      errorStatuses: [402, 502],
      summary: 'Change the items, the settings or the end of a subscription',
      body: SubscriptionUpdateInput,
    },
    ({ call, path, body }) => subscriptions.update(call, path.id, body),
  );
  route.delete(
    '/:id',
    {
      ...shared,
      operationId: 'cancelSubscription',
      errorStatuses: [402, 502],
      summary: 'End a subscription now',
      body: SubscriptionCancelInput,
    },
    ({ call, path, body }) => subscriptions.cancel(call, path.id, body),
  );
  route.post(
    '/:id/resume',
    {
      ...shared,
      operationId: 'resumeSubscription',
      errorStatuses: [402, 502],
      summary: 'End a pause, and bill the period that begins',
      body: SubscriptionResumeInput,
    },
    ({ call, path, body }) => subscriptions.resume(call, path.id, body),
  );
  return route.routes;
}

/**
 * A page of subscriptions, newest first.
 * @throws PaymountError `parameters_exclusive`, `resource_missing`, `invalid_cursor`
 */
export async function listSubscriptions(
  subscriptions: Services['subscriptions'],
  call: Call,
  query: z.output<typeof SubscriptionListQuery>,
): Promise<ListJson<SubscriptionJson>> {
  const { created, customer, price, status, collection_method: collectionMethod } = query;
  const filter = {
    ...(created && { created }),
    ...(customer && { customer }),
    ...(price && { price }),
    ...(status && { status }),
    ...(collectionMethod && { collectionMethod }),
    ...toClockFilter(query),
  };
  const found = await subscriptions.list(call, filter, toPageRequest(query));
  return toListResource(PATH, found, (subscription) => subscription);
}
