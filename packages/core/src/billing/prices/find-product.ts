import type { Owner } from '../../kernel/basics/environment.ts';
import type { ProductId } from '../../kernel/basics/id.ts';
import { findOrThrow } from '../../kernel/errors/missing.ts';
import type { Product } from './product.ts';

/**
 * Finds a product that is not deleted.
 * @param find how its row is read, or locked
 * @param param the parameter that named the product; absent: the id in the path
 * @throws PaymountError `resource_missing`, also for a deleted one
 */
export function findLiveProduct(
  find: (owner: Owner, id: ProductId) => Promise<Product | undefined>,
  owner: Owner,
  name: string,
  param?: string,
): Promise<Product> {
  const asked = {
    noun: 'product',
    prefix: 'prod',
    ...(param === undefined ? {} : { param }),
  } as const;
  return findOrThrow(asked, name, async (id) => {
    const found = await find(owner, id);
    return found?.deletedAt === undefined ? found : undefined;
  });
}
