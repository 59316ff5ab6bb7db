import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { MetadataResource, TimestampResource } from '../../kernel/basics/resource.ts';
import {
  AddressResource,
  ShippingResource,
  toAddressResource,
  toShippingResource,
  toShownLine,
} from '../contacts/contact-resource.ts';
import { balanceOf, type Customer } from './customer.ts';

const LiveCustomerResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('customer'),
    livemode: z.boolean(),
    created: TimestampResource,
    metadata: MetadataResource,
    email: z.string().nullable(),
    name: z.string().nullable(),
    phone: z.string().nullable(),
    description: z.string().nullable(),
    address: AddressResource.nullable(),
    shipping: ShippingResource.nullable(),
    currency: z.string().nullable().meta({
      description: 'The currency of `balance`: that of the first balance transaction.',
    }),
    balance: z.int().meta({
      description: 'Minor units of `currency` that the next invoice adds; negative: a credit.',
    }),
    invoice_credit_balance: z.record(z.string(), z.int()).meta({
      description:
        'The credit in each currency that has balance transactions. As at Stripe, it is positive for a ' +
        'credit, unlike `balance`.',
    }),
    delinquent: z.literal(false),
    invoice_settings: z.strictObject({
      default_payment_method: z
        .string()
        .nullable()
        .meta({ description: 'Expandable.', expandsTo: 'PaymentMethod' }),
    }),
    preferred_locales: z.array(z.string()),
    test_clock: z.string().nullable().meta({ description: 'The test clock that it follows.' }),
  })
  .meta({ id: 'Customer' });

export const DeletedCustomerResource = z
  .strictObject({ id: z.string(), object: z.literal('customer'), deleted: z.literal(true) })
  .meta({ id: 'DeletedCustomer' });

/** A customer, or what is left of a deleted one. */
export const CustomerResource = z.union([LiveCustomerResource, DeletedCustomerResource]);

/** What creating, changing and listing answers. */
export { LiveCustomerResource };

export type CustomerJson = z.output<typeof LiveCustomerResource>;
export type DeletedCustomerJson = z.output<typeof DeletedCustomerResource>;

/** Renders a customer that is not deleted. */
export function toCustomerResource(customer: Customer): CustomerJson {
  const { address, shipping } = customer;
  return {
    id: customer.id,
    object: 'customer',
    livemode: livemode(customer.environment),
    created: customer.created.toISOString(),
    metadata: customer.metadata,
    email: customer.email,
    name: toShownLine(customer.name),
    phone: toShownLine(customer.phone),
    description: customer.description,
    address: address && toAddressResource(address),
    shipping: shipping && toShippingResource(shipping),
    currency: customer.currency,
    balance: balanceOf(customer),
    invoice_credit_balance: toCredits(customer.balances),
    delinquent: false,
    invoice_settings: { default_payment_method: customer.defaultPaymentMethodId },
    preferred_locales: [...customer.preferredLocales],
    test_clock: customer.clock?.id ?? null,
  };
}

/** Stripe's `balance` is what is owed, and its `invoice_credit_balance` what is not. */
function toCredits(balances: Customer['balances']): Record<string, number> {
  return Object.fromEntries(
    // 0 - 0 is 0, but -0 would be -0.
    Object.entries(balances).map(([currency, balance]) => [currency, 0 - balance]),
  );
}

/** What is left of a deleted customer. */
export function toDeletedCustomerResource({ id }: Pick<Customer, 'id'>): DeletedCustomerJson {
  return { id, object: 'customer', deleted: true };
}

/** Renders any customer; charges may refer to a deleted one. */
export function toAnyCustomerResource(customer: Customer): CustomerJson | DeletedCustomerJson {
  return customer.deletedAt === undefined
    ? toCustomerResource(customer)
    : toDeletedCustomerResource(customer);
}
