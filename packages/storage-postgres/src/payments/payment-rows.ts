import type { Readers, Repositories, StoredWrite } from '@paymount/core/store';
import { bankAccountRows, bankAccountTable } from '../bank-accounts/bank-account-rows.ts';
import { billingSettingsRows } from '../billing/billing-settings-rows.ts';
import { insertPart, type Part, updatePart } from '../changes/part.ts';
import { chargeRows, chargeTable } from '../charges/charge-rows.ts';
import { customerBalanceRows, customerBalanceTable } from '../customers/customer-balance-rows.ts';
import { customerRows, customerTable } from '../customers/customer-rows.ts';
import { disputeRows, disputeTable } from '../disputes/dispute-rows.ts';
import { fileRows, fileTable } from '../files/file-rows.ts';
import { invoiceItemRows, invoiceItemTable } from '../invoices/invoice-item-rows.ts';
import { invoiceRows, invoiceTable } from '../invoices/invoice-rows.ts';
import { operationTable } from '../operations/operation-rows.ts';
import {
  paymentMethodRows,
  paymentMethodTable,
  savedMethodRows,
  tokenRows,
  tokenTable,
} from '../payment-methods/payment-method-rows.ts';
import { payoutAccountRows } from '../payouts/payout-account-rows.ts';
import { payoutRows, payoutTable } from '../payouts/payout-rows.ts';
import { payoutRunRows } from '../payouts/payout-run-rows.ts';
import { priceRows, priceTable } from '../prices/price-rows.ts';
import { productRows, productTable } from '../prices/product-rows.ts';
import { refundRows, refundTable } from '../refunds/refund-rows.ts';
import { subscriptionRows, subscriptionTable } from '../subscriptions/subscription-rows.ts';
import { testClockRows, testClockTable } from '../test-clocks/test-clock-rows.ts';
import type { Session } from '../transaction/session.ts';

/** The resources of payments and billing on PostgreSQL, outside a transaction. */
export function paymentReaders(
  session: Session,
): Pick<
  Readers,
  | 'charges'
  | 'refunds'
  | 'payouts'
  | 'bankAccounts'
  | 'payoutAccounts'
  | 'payoutRuns'
  | 'customers'
  | 'customerBalances'
  | 'paymentMethods'
  | 'tokens'
  | 'files'
  | 'disputes'
  | 'testClocks'
  | 'products'
  | 'prices'
  | 'invoices'
  | 'invoiceItems'
  | 'subscriptions'
  | 'billingSettings'
> {
  return {
    charges: chargeRows(session),
    refunds: refundRows(session),
    payouts: payoutRows(session),
    bankAccounts: bankAccountRows(session),
    payoutAccounts: payoutAccountRows(session),
    payoutRuns: payoutRunRows(session),
    customers: customerRows(session),
    customerBalances: customerBalanceRows(session),
    paymentMethods: paymentMethodRows(session),
    tokens: tokenRows(session),
    files: fileRows(session),
    disputes: disputeRows(session),
    testClocks: testClockRows(session),
    products: productRows(session),
    prices: priceRows(session),
    invoices: invoiceRows(session),
    invoiceItems: invoiceItemRows(session),
    subscriptions: subscriptionRows(session),
    billingSettings: billingSettingsRows(session),
  };
}

/** The resources of payments and billing on PostgreSQL that are locked and written in a transaction. */
export function paymentRepositories(
  session: Session,
): Pick<
  Repositories,
  | 'charges'
  | 'refunds'
  | 'disputes'
  | 'files'
  | 'payouts'
  | 'bankAccounts'
  | 'payoutAccounts'
  | 'payoutRuns'
  | 'customers'
  | 'customerBalances'
  | 'testClocks'
  | 'products'
  | 'prices'
  | 'invoices'
  | 'invoiceItems'
  | 'subscriptions'
  | 'paymentMethods'
  | 'billingSettings'
> {
  return {
    charges: chargeRows(session),
    refunds: refundRows(session),
    disputes: disputeRows(session),
    files: fileRows(session),
    payouts: payoutRows(session),
    bankAccounts: bankAccountRows(session),
    payoutAccounts: payoutAccountRows(session),
    payoutRuns: payoutRunRows(session),
    customers: customerRows(session),
    customerBalances: customerBalanceRows(session),
    testClocks: testClockRows(session),
    products: productRows(session),
    prices: priceRows(session),
    invoices: invoiceRows(session),
    invoiceItems: invoiceItemRows(session),
    subscriptions: subscriptionRows(session),
    paymentMethods: savedMethodRows(session),
    billingSettings: billingSettingsRows(session),
  };
}

type PaymentWrite = Exclude<StoredWrite, { readonly kind: 'endpoint' }>;

/** The table of each kind of row that a change of payments writes. */
export const PAYMENT_TABLES = {
  charge: chargeTable,
  refund: refundTable,
  payout: payoutTable,
  bank_account: bankAccountTable,
  customer: customerTable,
  customer_balance_transaction: customerBalanceTable,
  payment_method: paymentMethodTable,
  token: tokenTable,
  operation: operationTable,
  file: fileTable,
  dispute: disputeTable,
  test_clock: testClockTable,
  product: productTable,
  price: priceTable,
  invoice: invoiceTable,
  invoice_item: invoiceItemTable,
  subscription: subscriptionTable,
} as const satisfies Readonly<Record<PaymentWrite['kind'], object>>;

/**
 * The part that writes one row of payments.
 * @param decidedAt the machine's clock at the decision, for columns that are `due`
 */
export function paymentPart(write: PaymentWrite, decidedAt: Date): Part {
  const part = write.mode === 'insert' ? insertPart : updatePart;
  switch (write.kind) {
    case 'charge':
      return part(chargeTable, write.row);
    case 'refund':
      return part(refundTable, write.row);
    case 'payout':
      return part(payoutTable, write.row);
    case 'bank_account':
      return part(bankAccountTable, write.row);
    case 'customer':
      return part(customerTable, write.row);
    case 'customer_balance_transaction':
      return part(customerBalanceTable, write.row);
    case 'payment_method':
      return part(paymentMethodTable, write.row);
    case 'token':
      return part(tokenTable, write.row);
    case 'operation':
      return part(operationTable, write.row, decidedAt);
    case 'file':
      return part(fileTable, write.row);
    case 'dispute':
      return part(disputeTable, write.row);
    case 'test_clock':
      return part(testClockTable, write.row);
    case 'product':
      return part(productTable, write.row);
    case 'price':
      return part(priceTable, write.row);
    case 'invoice':
      return part(invoiceTable, write.row);
    case 'invoice_item':
      return part(invoiceItemTable, write.row);
    case 'subscription':
      return part(subscriptionTable, write.row);
  }
}
