import type { Change, Write } from '../../changes/change.ts';
import type { DraftInvoice, Invoice, IssuedInvoice } from './invoice.ts';
import { type InvoiceRowWrite, isInvoiceWrite } from './invoice-storage.ts';

/** What the host's hook gets about an invoice that is about to get its number, and may add lines to. */
export interface InvoiceFinalizing {
  readonly kind: 'invoice';
  readonly event: 'finalizing';
  /** As it will be, but for its number, the balance and what the hook adds. */
  readonly invoice: DraftInvoice;
}

/** What the host's hook gets about an invoice. */
export interface InvoiceResult {
  readonly kind: 'invoice';
  readonly event: 'finalized' | 'paid';
  /** As it is after the change. */
  readonly invoice: IssuedInvoice;
}

/**
 * What the invoices of a change have become, in the order in which it happened. It is computed from the rows,
 * so that nobody can issue or pay an invoice without the hook.
 */
export function invoiceResults({
  writes,
}: Pick<Change<Write<string, unknown>>, 'writes'>): readonly InvoiceResult[] {
  return writes.filter(isInvoiceWrite).flatMap(resultsOf);
}

function resultsOf({ mode, from, row }: InvoiceRowWrite): readonly InvoiceResult[] {
  if (!isIssued(row)) return [];
  const isFinalized = mode === 'insert' || from === 'draft';
  const isPaid = row.status === 'paid' && (mode === 'insert' || from !== 'paid');
  return [
    ...(isFinalized ? [{ kind: 'invoice', event: 'finalized', invoice: row } as const] : []),
    ...(isPaid ? [{ kind: 'invoice', event: 'paid', invoice: row } as const] : []),
  ];
}

function isIssued(invoice: Invoice): invoice is IssuedInvoice {
  return 'issue' in invoice;
}
