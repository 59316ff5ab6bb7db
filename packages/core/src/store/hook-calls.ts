import {
  type InvoiceFinalizing,
  type InvoiceResult,
  invoiceResults,
} from '../billing/invoices/invoice-result.ts';
import {
  type SubscriptionResult,
  subscriptionResults,
} from '../billing/subscriptions/subscription-result.ts';
import type { PaymentResult } from '../payments/wiring/payment-result.ts';
import type { StoredChange } from './storage.ts';

/** The argument of the host's hook, inside the transaction that records the result. */
export type HookPayload = PaymentResult | InvoiceResult | InvoiceFinalizing | SubscriptionResult;

/**
 * What the host's hook is called with in the transaction of a change, one call after the other. If it is empty,
 * a process without the hook may commit the change.
 */
export function hookCallsOf(change: StoredChange): readonly HookPayload[] {
  const { settled, alsoSettled } = change;
  return [
    ...(settled === undefined ? [] : [settled]),
    ...(alsoSettled === undefined ? [] : [alsoSettled]),
    ...invoiceResults(change),
    ...subscriptionResults(change),
  ];
}
