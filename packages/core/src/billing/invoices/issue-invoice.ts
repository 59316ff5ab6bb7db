import type { Owner } from '../../kernel/basics/environment.ts';
import type { Customer } from '../../payments/customers/customer.ts';
import { timeOf } from '../../payments/test-clocks/object-clock.ts';
import { moveHeldBalance } from '../balance/move-held-balance.ts';
import { withHookLines } from './hook-lines.ts';
import { type DraftInvoice, finalized, type Invoice, type IssuedInvoice } from './invoice.ts';
import { assertBillable } from './invoice-lines.ts';
import type { InvoiceRepositories, InvoiceWrite } from './invoice-storage.ts';

type Rows = Pick<InvoiceRepositories, 'invoices' | 'customers' | 'customerBalances'>;
type IssueRows = Rows & Pick<InvoiceRepositories, 'hookOfInvoices' | 'invoiceItems'>;

/** How an invoice is issued. */
export interface Issuing {
  /** False: it takes nothing of the balance, because nobody has to pay; a credit is still added. @defaultValue true */
  readonly usesBalance?: boolean;
  /** It is void at once, so the host adds nothing to it. @defaultValue false */
  readonly isVoid?: boolean;
  /** The customer, if the caller has read it in this transaction. */
  readonly seen?: Customer | undefined;
}

/** An issued invoice, and what is committed with it: the balance that it took. */
export interface Issued {
  readonly invoice: IssuedInvoice;
  readonly writes: readonly InvoiceWrite[];
}

/**
 * Issues a draft, whose row is locked: the host's hook may add lines, then it gets its number and the balance of the
 * customer, and is `open`, or `paid` if nothing is due. Locks the customer if there is a balance, then the number:
 * others who issue invoices of the account wait until the transaction ends.
 * @throws PaymountError `amount_too_large`, `invoice_item_limit_reached`,
 *   `customer_balance_limit_exceeded`
 * @throws HookError if the hook throws, or returns lines that no invoice can have
 */
export async function issueInvoice(
  rows: IssueRows,
  made: DraftInvoice,
  at: Date,
  how: Issuing = {},
): Promise<Issued> {
  const { usesBalance = true, isVoid = false } = how;
  assertBillable(made.lines);
  const draft = isVoid ? made : await withHookLines(rows, made, at);
  const { accountId, environment, customerId, currency, total } = draft;
  const owner: Owner = { accountId, environment };
  const seen = how.seen ?? (await rows.customers.find(owner, customerId));
  const isMoved = total < 0 || (usesBalance && (seen?.balances[currency] ?? 0) !== 0);
  const customer = isMoved ? await rows.customers.findForUpdate(owner, customerId) : seen;
  const { name = null, email = null, address = null } = customer ?? {};
  const invoice = finalized(draft, {
    number: await rows.invoices.takeNumber(owner),
    startingBalance: isMoved ? (customer?.balances[currency] ?? 0) : 0,
    issuedTo: { name, email, address },
    at: timeOf(draft, at),
  });
  const { startingBalance, endingBalance, amountDue } = invoice.issue;
  const amount = endingBalance - startingBalance;
  if (customer === undefined || amount === 0) return { invoice, writes: [] };
  const type = total < 0 && amountDue === 0 ? 'proration_credit' : 'applied_to_invoice';
  const move = { amount, currency, type, invoiceId: invoice.id } as const;
  const { writes } = await moveHeldBalance(rows, customer, move, at);
  return { invoice, writes };
}

/**
 * Gives back what a void invoice took of the balance, and takes back what it gave. The invoice is locked.
 * @throws PaymountError `customer_balance_limit_exceeded`
 */
export async function unapplyBalance(
  rows: Rows,
  invoice: Invoice,
  at: Date,
): Promise<readonly InvoiceWrite[]> {
  if (!('issue' in invoice)) return [];
  const { startingBalance, endingBalance } = invoice.issue;
  const amount = startingBalance - endingBalance;
  if (amount === 0) return [];
  const { accountId, environment, customerId, currency, id } = invoice;
  const customer = await rows.customers.findForUpdate({ accountId, environment }, customerId);
  if (customer === undefined) return [];
  const move = { amount, currency, type: 'unapplied_from_invoice', invoiceId: id } as const;
  return (await moveHeldBalance(rows, customer, move, at)).writes;
}
