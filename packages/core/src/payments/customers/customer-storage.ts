import type { AreaStorage } from '../../changes/area-storage.ts';
import type { Change, Write } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type {
  PaymentMethodEffects,
  PaymentMethodReaders,
  PaymentMethodWrite,
} from '../payment-methods/payment-method-storage.ts';
import type { TestClockReader } from '../test-clocks/test-clock-repository.ts';
import type { TestClockWrite } from '../test-clocks/test-clock-storage.ts';
import type { Customer } from './customer.ts';
import type { CustomerReader } from './customer-repository.ts';

export type CustomerWrite = Write<'customer', Customer>;

/** The change that the services of customers commit. */
export type CustomerChange = Change<CustomerWrite | PaymentMethodWrite | TestClockWrite> &
  Pick<PaymentMethodEffects, 'detachedFrom'>;

interface Readers extends PaymentMethodReaders {
  readonly customers: CustomerReader;
  readonly testClocks: TestClockReader;
}

/** What the services of customers need of storage. */
export type CustomerStorage = AreaStorage<
  Readers,
  { readonly changes: ChangeRepository<CustomerChange> }
>;
