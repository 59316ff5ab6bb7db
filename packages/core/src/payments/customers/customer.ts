import type { Owner } from '../../kernel/basics/environment.ts';
import type { CustomerId, PaymentMethodId } from '../../kernel/basics/id.ts';
import type { Address, Shipping } from '../contacts/contact.ts';
import type { Clocked } from '../test-clocks/object-clock.ts';

/** The fields that a caller may change. */
export interface CustomerEdit {
  readonly email: string | null;
  readonly name: string | null;
  readonly phone: string | null;
  readonly description: string | null;
  readonly address: Address | null;
  readonly shipping: Shipping | null;
  /** Minor units that the next invoice adds; negative: a credit. */
  readonly balance: number;
  /** IETF language tags, the preferred one first. */
  readonly preferredLocales: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** Someone whom an account charges. */
export interface Customer extends Owner, CustomerEdit, Clocked {
  readonly id: CustomerId;
  /** Increments with every change, and when a payment method is attached or detached. */
  readonly version: number;
  /** One of the attached payment methods. */
  readonly defaultPaymentMethodId: PaymentMethodId | null;
  readonly created: Date;
  /** Set once; nothing but the id, the balance and the times is left then. */
  readonly deletedAt?: Date;
}

export const BLANK_CUSTOMER: CustomerEdit = {
  email: null,
  name: null,
  phone: null,
  description: null,
  address: null,
  shipping: null,
  balance: 0,
  preferredLocales: [],
  metadata: {},
};

/** The customer with the next version, so that concurrent changes of its payment methods race. */
export function touched(
  customer: Customer,
  edit: Partial<CustomerEdit & Pick<Customer, 'defaultPaymentMethodId'>> = {},
): Customer {
  return { ...customer, ...edit, version: customer.version + 1 };
}

/** The customer without the facts about a person. Charges keep its id, and the ledger needs no more. */
export function deleted(customer: Customer, at: Date): Customer {
  return {
    ...customer,
    ...BLANK_CUSTOMER,
    balance: customer.balance,
    version: customer.version + 1,
    defaultPaymentMethodId: null,
    deletedAt: at,
  };
}
