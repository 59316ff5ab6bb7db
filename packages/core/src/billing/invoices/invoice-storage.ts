import type { AreaStorage } from '../../changes/area-storage.ts';
import type { Change, Write } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type { ChargeReader, ChargeRepository } from '../../payments/charges/charge-repository.ts';
import type { ChargeChange } from '../../payments/charges/charge-storage.ts';
import type {
  CustomerReader,
  CustomerRepository,
} from '../../payments/customers/customer-repository.ts';
import type { DisputeReader } from '../../payments/disputes/dispute-repository.ts';
import type {
  PaymentMethodReader,
  PaymentMethodRepository,
} from '../../payments/payment-methods/payment-method-repository.ts';
import type { PayoutAccountReader } from '../../payments/payouts/payout-repository.ts';
import type { Clocked } from '../../payments/test-clocks/object-clock.ts';
import type { BalanceRepositories, BalanceWrite } from '../balance/balance-storage.ts';
import type { PriceReader, ProductReader } from '../prices/price-repository.ts';
import type { Invoice } from './invoice.ts';
import type { InvoiceItem } from './invoice-item.ts';
import type {
  InvoiceHookRepository,
  InvoiceItemReader,
  InvoiceItemRepository,
  InvoiceReader,
  InvoiceRepository,
} from './invoice-repository.ts';

/** `from`: of an update, the status that the invoice had before. */
export interface InvoiceRowWrite extends Write<'invoice', Invoice> {
  readonly from?: Invoice['status'];
}

export type InvoiceWrite = InvoiceRowWrite | Write<'invoice_item', InvoiceItem> | BalanceWrite;

/** The change that the services of invoices commit. */
export type InvoiceChange = Change<Write<string, unknown>> &
  Clocked &
  Pick<ChargeChange, 'attached'>;

export interface InvoiceReaders {
  readonly invoices: InvoiceReader;
  readonly invoiceItems: InvoiceItemReader;
  readonly prices: PriceReader;
  readonly products: ProductReader;
  readonly customers: CustomerReader;
  readonly paymentMethods: PaymentMethodReader;
  readonly charges: ChargeReader;
  readonly disputes: Pick<DisputeReader, 'ofCharge'>;
}

/**
 * Bound to one transaction. An invoice is locked before its items, and the number last: others of the
 * account wait for it.
 */
export interface InvoiceRepositories {
  readonly invoices: InvoiceRepository;
  readonly invoiceItems: InvoiceItemRepository;
  readonly prices: PriceReader;
  readonly products: ProductReader;
  readonly customers: CustomerRepository;
  readonly customerBalances: BalanceRepositories['customerBalances'];
  readonly paymentMethods: Pick<PaymentMethodRepository, 'find'>;
  readonly charges: ChargeRepository;
  /** The names of accounts. */
  readonly payoutAccounts: PayoutAccountReader;
  readonly changes: ChangeRepository<InvoiceChange>;
  readonly hookOfInvoices: InvoiceHookRepository;
}

/** What the services of invoices need of storage. */
export type InvoiceStorage = AreaStorage<InvoiceReaders, InvoiceRepositories>;

/** Writes an invoice that was read as `before`. */
export function invoiceUpdate(before: Invoice, after: Invoice): InvoiceRowWrite {
  const row = { ...after, version: before.version + 1 };
  return { kind: 'invoice', mode: 'update', from: before.status, row };
}

/** The invoice that a change writes. @returns undefined if it writes none */
export function writtenInvoice({
  writes,
}: Pick<Change<Write<string, unknown>>, 'writes'>): Invoice | undefined {
  return writes.find(isInvoiceWrite)?.row;
}

/** Whether a write of a change is of an invoice. */
export function isInvoiceWrite(write: Write<string, unknown>): write is InvoiceRowWrite {
  return write.kind === 'invoice';
}
