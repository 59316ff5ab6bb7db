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
  /** IETF language tags, the preferred one first. */
  readonly preferredLocales: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** What balance transactions change of a customer. */
interface Balances {
  /** Of the first balance transaction, for good; null before it. ISO 4217, lower case. */
  readonly currency: string | null;
  /** The balance in each currency that has balance transactions: the ending balance of the last one. */
  readonly balances: Readonly<Record<string, number>>;
}

/** Someone whom an account charges. */
export interface Customer extends Owner, CustomerEdit, Balances, Clocked {
  readonly id: CustomerId;
  /** Increments with every change, and when a payment method is attached or detached. */
  readonly version: number;
  /** One of the attached payment methods. */
  readonly defaultPaymentMethodId: PaymentMethodId | null;
  readonly created: Date;
  /** Set once; nothing but the id, the balances and the times is left then. */
  readonly deletedAt?: Date;
}

/** The balances of a new customer. */
export const NO_BALANCE: Balances = { currency: null, balances: {} };

/**
 * Stripe's `balance`, one number, beside balances in several currencies: that in the customer's own
 * currency. Minor units that the next invoice adds; negative: a credit.
 */
export function balanceOf({ currency, balances }: Balances): number {
  return currency === null ? 0 : (balances[currency] ?? 0);
}

export const BLANK_CUSTOMER: CustomerEdit = {
  email: null,
  name: null,
  phone: null,
  description: null,
  address: null,
  shipping: null,
  preferredLocales: [],
  metadata: {},
};

/** The customer with the next version, so that concurrent changes of its payment methods race. */
export function touched(
  customer: Customer,
  edit: Partial<CustomerEdit & Pick<Customer, 'defaultPaymentMethodId' | keyof Balances>> = {},
): Customer {
  return { ...customer, ...edit, version: customer.version + 1 };
}

/** The customer without the facts about a person. Charges keep its id, and the ledger needs no more. */
export function deleted(customer: Customer, at: Date): Customer {
  return {
    ...customer,
    ...BLANK_CUSTOMER,
    version: customer.version + 1,
    defaultPaymentMethodId: null,
    deletedAt: at,
  };
}
