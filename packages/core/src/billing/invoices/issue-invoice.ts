import type { Owner } from '../../kernel/basics/environment.ts';
import { timeOf } from '../../payments/test-clocks/object-clock.ts';
import { type DraftInvoice, finalized, type IssuedInvoice } from './invoice.ts';
import { assertBillable } from './invoice-lines.ts';
import type { InvoiceRepositories } from './invoice-storage.ts';

/**
 * Issues a draft, whose row is locked: it gets its number and the balance of the customer, and is `open`,
 * or `paid` if nothing is due. Others who issue invoices of the account wait until the transaction ends.
 * @throws PaymountError `amount_too_large`, `invoice_item_limit_reached`
 */
export async function issueInvoice(
  rows: Pick<InvoiceRepositories, 'invoices' | 'customers'>,
  draft: DraftInvoice,
  at: Date,
): Promise<IssuedInvoice> {
  assertBillable(draft.lines);
  const { accountId, environment, customerId } = draft;
  const owner: Owner = { accountId, environment };
  const customer = await rows.customers.find(owner, customerId);
  const { name = null, email = null, address = null } = customer ?? {};
  return finalized(draft, {
    number: await rows.invoices.takeNumber(owner),
    startingBalance: 0,
    issuedTo: { name, email, address },
    at: timeOf(draft, at),
  });
}
