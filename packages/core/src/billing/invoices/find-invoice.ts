import type { Owner } from '../../kernel/basics/environment.ts';
import type { InvoiceId, InvoiceItemId } from '../../kernel/basics/id.ts';
import { findOrThrow } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { CustomerReader } from '../../payments/customers/customer-repository.ts';
import {
  allows,
  type DraftInvoice,
  INVOICE_TRANSITIONS,
  type Invoice,
  type InvoiceAction,
  type IssuedInvoice,
  type PayableInvoice,
} from './invoice.ts';
import type { InvoiceItem } from './invoice-item.ts';

/**
 * Finds an invoice that is not deleted.
 * @param find how its row is read, or locked
 * @param param the parameter that named it; absent: the id in the path
 * @throws PaymountError `resource_missing`, also for a deleted one
 */
export function findLiveInvoice(
  find: (owner: Owner, id: InvoiceId) => Promise<Invoice | undefined>,
  owner: Owner,
  name: string,
  param?: string,
): Promise<Invoice> {
  const asked = {
    noun: 'invoice',
    prefix: 'in',
    ...(param === undefined ? {} : { param }),
  } as const;
  return findOrThrow(asked, name, async (id) => {
    const found = await find(owner, id);
    return found?.status === 'deleted' ? undefined : found;
  });
}

/** Finds an invoice item that is not deleted. @throws PaymountError `resource_missing` */
export function findLiveItem(
  find: (owner: Owner, id: InvoiceItemId) => Promise<InvoiceItem | undefined>,
  owner: Owner,
  name: string,
): Promise<InvoiceItem> {
  return findOrThrow({ noun: 'invoice item', prefix: 'ii' }, name, async (id) => {
    const found = await find(owner, id);
    return found?.deletedAt === undefined ? found : undefined;
  });
}

/** @throws PaymountError `invoice_not_draft` @param param the parameter that named it */
export function requireDraft(invoice: Invoice, param?: string): DraftInvoice {
  if (invoice.status === 'draft') return invoice;
  const message = `Invoice ${invoice.id} is ${invoice.status}; only a draft can be changed.`;
  throw new PaymountError('invoice_not_draft', message, param === undefined ? {} : { param });
}

interface Customers {
  readonly customers: CustomerReader;
}

/** Whether nobody could be charged, or asked to pay. */
export async function isCustomerDeleted(
  { customers }: Customers,
  { accountId, environment, customerId }: Invoice,
): Promise<boolean> {
  const customer = await customers.find({ accountId, environment }, customerId);
  return customer?.deletedAt !== undefined;
}

/** @throws PaymountError `invoice_customer_deleted` */
export async function assertCustomerLives(rows: Customers, draft: DraftInvoice): Promise<void> {
  if (!(await isCustomerDeleted(rows, draft))) return;
  const message = `Customer ${draft.customerId} of invoice ${draft.id} was deleted.`;
  throw new PaymountError('invoice_customer_deleted', message);
}

/** An invoice that a customer may get. @throws PaymountError `status_transition_invalid` */
export function requireIssued(invoice: Invoice): IssuedInvoice {
  if ('issue' in invoice && invoice.status !== 'void') return invoice;
  const message = `Invoice ${invoice.id} is ${invoice.status}; it is not sent to anybody.`;
  throw new PaymountError('status_transition_invalid', message);
}

/** @throws PaymountError `status_transition_invalid` */
export function requirePayable(
  invoice: Invoice,
  action: Extract<InvoiceAction, 'pay' | 'void' | 'mark_uncollectible'>,
): PayableInvoice {
  if (
    allows(invoice, action) &&
    (invoice.status === 'open' || invoice.status === 'uncollectible')
  ) {
    return invoice;
  }
  const { from, to } = INVOICE_TRANSITIONS[action];
  throw new PaymountError(
    'status_transition_invalid',
    `Invoice ${invoice.id} is ${invoice.status}; only one that is ${from.join(' or ')} becomes ${to}.`,
  );
}
