import type { Owner } from '../../kernel/basics/environment.ts';
import type { Customer } from '../../payments/customers/customer.ts';
import type { PaymentMethod } from '../../payments/payment-methods/payment-method.ts';
import type { PaymentMethodReader } from '../../payments/payment-methods/payment-method-repository.ts';
import { findAttached, firstAttached } from '../invoices/charge-invoice.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { Subscription } from './subscription.ts';
import type { SubscriptionUpdate } from './subscription-input.ts';
import type { SubscriptionRepositories } from './subscription-storage.ts';

/**
 * The payment method that `default_payment_method` names.
 * @returns null if it is empty; undefined if it was not sent
 * @throws PaymountError `resource_missing`, `payment_method_unattached`, `payment_method_unusable`
 */
export async function findSubscriptionMethod(
  rows: Pick<SubscriptionRepositories, 'paymentMethods'>,
  of: Owner & Pick<Subscription, 'customerId'>,
  { default_payment_method: name }: Pick<SubscriptionUpdate, 'default_payment_method'>,
): Promise<Subscription['defaultPaymentMethodId'] | undefined> {
  if (name === undefined) return undefined;
  if (name === '') return null;
  return (await findAttached(rows, of, { name, param: 'default_payment_method' })).id;
}

/**
 * What pays the invoices of a subscription: the first that is attached of that of the invoice, of the
 * subscription, and of the customer, and that may be tried; undefined: none is.
 */
export async function collectingMethod(
  read: { readonly paymentMethods: Pick<PaymentMethodReader, 'find'> },
  subscription: Subscription,
  customer: Customer | undefined,
  invoice?: Invoice,
): Promise<PaymentMethod | undefined> {
  const own = [invoice?.defaultPaymentMethodId, subscription.defaultPaymentMethodId];
  const ids = [...own, customer?.defaultPaymentMethodId];
  return firstAttached(read, subscription, ids, forbiddenOf(subscription));
}

/** The cards of which the issuer forbade further attempts while an invoice of the subscription is collected. */
export function forbiddenOf(subscription: Subscription): readonly string[] | undefined {
  return 'dunning' in subscription ? subscription.dunning.forbidden : undefined;
}
