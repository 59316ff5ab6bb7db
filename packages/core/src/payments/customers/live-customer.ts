import type { Owner } from '../../kernel/basics/environment.ts';
import { findOrThrow } from '../../kernel/errors/missing.ts';
import type { Customer } from './customer.ts';
import type { CustomerReader } from './customer-repository.ts';

/**
 * Finds a customer that is not deleted.
 * @param customers how its row is read, or locked
 * @param param the parameter that named the customer; absent: the id in the path
 * @throws PaymountError `resource_missing`, also for a deleted one
 */
export function findLiveCustomer(
  { customers }: { readonly customers: Pick<CustomerReader, 'find'> },
  owner: Owner,
  name: string,
  param?: string,
): Promise<Customer> {
  const asked = {
    noun: 'customer',
    prefix: 'cus',
    ...(param === undefined ? {} : { param }),
  } as const;
  return findOrThrow(asked, name, async (id) => {
    const found = await customers.find(owner, id);
    return found?.deletedAt === undefined ? found : undefined;
  });
}
