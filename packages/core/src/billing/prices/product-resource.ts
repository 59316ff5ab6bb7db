import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { MetadataResource, TimestampResource } from '../../kernel/basics/resource.ts';
import type { Product } from './product.ts';

export const ProductResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('product'),
    livemode: z.boolean(),
    created: TimestampResource,
    metadata: MetadataResource,
    name: z.string(),
    active: z.boolean(),
    description: z.string().nullable(),
  })
  .meta({ id: 'Product' });

export const DeletedProductResource = z
  .strictObject({ id: z.string(), object: z.literal('product'), deleted: z.literal(true) })
  .meta({ id: 'DeletedProduct' });

export type ProductJson = z.output<typeof ProductResource>;
export type DeletedProductJson = z.output<typeof DeletedProductResource>;

/** Renders a product that is not deleted. */
export function toProductResource(product: Product): ProductJson {
  return {
    id: product.id,
    object: 'product',
    livemode: livemode(product.environment),
    created: product.created.toISOString(),
    metadata: product.metadata,
    name: product.name,
    active: product.active,
    description: product.description,
  };
}

/** What deleting a product answers. */
export function toDeletedProductResource({ id }: Pick<Product, 'id'>): DeletedProductJson {
  return { id, object: 'product', deleted: true };
}
