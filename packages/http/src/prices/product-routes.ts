import {
  DeletedProductResource,
  ProductCreateInput,
  type ProductJson,
  ProductResource,
  ProductUpdateInput,
  toDeletedProductResource,
  toProductResource,
} from '@paymount/core/billing';
import type { Call } from '@paymount/core/kernel';
import { z } from 'zod';
import {
  CreatedInput,
  type ListJson,
  ListQuery,
  listSchema,
  toListResource,
  toPageRequest,
} from '../lists.ts';
import type { Route } from '../routing/route.ts';
import { Nothing, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

const PATH = '/v1/products';

/** What `GET /v1/products` takes. */
export const ProductListQuery = ListQuery.extend({
  created: CreatedInput,
  active: z.boolean().optional().meta({ description: 'Only those that are active, or are not.' }),
  ids: z
    .array(z.string().min(1).max(255))
    .max(100)
    .optional()
    .meta({ description: 'Only these products; unknown ids are left out.' }),
});

/** Products: create, retrieve, update, list, delete. */
export function productRoutes({ products }: Services): readonly Route[] {
  const route = routesUnder(PATH);
  const scope = 'subscriptions:write';
  const writes = { scope, response: ProductResource } as const;

  route.post(
    '',
    {
      ...writes,
      operationId: 'createProduct',
      summary: 'Create a product',
      body: ProductCreateInput,
    },
    async ({ call, body }) => toProductResource(await products.create(call, body)),
  );
  route.get(
    '',
    {
      scope,
      operationId: 'listProducts',
      summary: 'List products, newest first',
      query: ProductListQuery,
      response: listSchema('ProductList', ProductResource),
    },
    ({ call, query }) => listProducts(products, call, query),
  );
  route.get(
    '/:id',
    {
      ...writes,
      operationId: 'retrieveProduct',
      summary: 'Retrieve a product',
      query: Nothing,
    },
    async ({ call, path }) => toProductResource(await products.retrieve(call, path.id)),
  );
  route.post(
    '/:id',
    {
      ...writes,
      operationId: 'updateProduct',
      summary: 'Update a product',
      body: ProductUpdateInput,
    },
    async ({ call, path, body }) => toProductResource(await products.update(call, path.id, body)),
  );
  route.delete(
    '/:id',
    {
      scope,
      operationId: 'deleteProduct',
      summary: 'Delete a product that has no price',
      body: Nothing,
      response: DeletedProductResource,
    },
    async ({ call, path }) => toDeletedProductResource(await products.delete(call, path.id)),
  );
  return route.routes;
}

/** A page of products, newest first. @throws PaymountError `parameters_exclusive`, `invalid_cursor` */
export async function listProducts(
  products: Services['products'],
  call: Call,
  { created, active, ids, ...page }: z.output<typeof ProductListQuery>,
): Promise<ListJson<ProductJson>> {
  const filter = {
    ...(created && { created }),
    ...(active !== undefined && { active }),
    ...(ids && { ids }),
  };
  const found = await products.list(call, filter, toPageRequest(page));
  return toListResource(PATH, found, toProductResource);
}
