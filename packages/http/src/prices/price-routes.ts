import {
  PriceCreateInput,
  type PriceJson,
  PriceResource,
  PriceUpdateInput,
  toPriceResource,
} from '@paymount/core/billing';
import { type Call, CurrencyInput } from '@paymount/core/kernel';
import { z } from 'zod';
import {
  CreatedInput,
  idFilter,
  type ListJson,
  ListQuery,
  listSchema,
  toListResource,
  toPageRequest,
} from '../lists.ts';
import { type Expandable, inList } from '../routing/expand.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

const PATH = '/v1/prices';
/** As at Stripe. */
const MAX_LOOKUP_KEYS = 10;

/** What `GET /v1/prices` takes. */
export const PriceListQuery = ListQuery.extend({
  created: CreatedInput,
  product: idFilter('Only prices of this product.'),
  active: z.boolean().optional().meta({ description: 'Only those that are active, or are not.' }),
  currency: CurrencyInput.optional(),
  type: z
    .enum(['one_time', 'recurring'])
    .optional()
    .meta({ description: 'Only those that are charged once, or every period.' }),
  lookup_keys: z
    .array(z.string().min(1).max(200))
    .max(MAX_LOOKUP_KEYS)
    .optional()
    .meta({ description: 'Only prices with one of these lookup keys.' }),
});

/** Prices: create, retrieve, update, list. They are never deleted. */
export function priceRoutes({ prices }: Services, expand: Expandable): readonly Route[] {
  const route = routesUnder(PATH);
  const shared = { scope: 'subscriptions:write', expand } as const;

  route.post(
    '',
    {
      ...shared,
      operationId: 'createPrice',
      summary: 'Create a price',
      body: PriceCreateInput,
      response: PriceResource,
    },
    async ({ call, body }) => toPriceResource(await prices.create(call, body)),
  );
  route.get(
    '',
    {
      ...shared,
      operationId: 'listPrices',
      summary: 'List prices, newest first',
      query: PriceListQuery,
      response: listSchema('PriceList', PriceResource),
      expand: inList(expand),
    },
    ({ call, query }) => listPrices(prices, call, query),
  );
  route.get(
    '/:id',
    {
      ...shared,
      operationId: 'retrievePrice',
      summary: 'Retrieve a price',
      query: Nothing,
      response: PriceResource,
    },
    async ({ call, path }) => toPriceResource(await prices.retrieve(call, path.id)),
  );
  route.post(
    '/:id',
    {
      ...shared,
      operationId: 'updatePrice',
      summary: 'Update a price; its amount, currency and interval never change',
      body: PriceUpdateInput,
      response: PriceResource,
    },
    async ({ call, path, body }) => toPriceResource(await prices.update(call, path.id, body)),
  );
  return route.routes;
}

/**
 * A page of prices, newest first.
 * @throws PaymountError `parameters_exclusive`, `resource_missing`, `invalid_cursor`
 */
export async function listPrices(
  prices: Services['prices'],
  call: Call,
  {
    created,
    product,
    active,
    currency,
    type,
    lookup_keys,
    ...page
  }: z.output<typeof PriceListQuery>,
): Promise<ListJson<PriceJson>> {
  const filter = {
    ...(created && { created }),
    ...(product && { product }),
    ...(active !== undefined && { active }),
    ...(currency && { currency }),
    ...(type && { type }),
    ...(lookup_keys && { lookupKeys: lookup_keys }),
  };
  return toListResource(
    PATH,
    await prices.list(call, filter, toPageRequest(page)),
    toPriceResource,
  );
}
