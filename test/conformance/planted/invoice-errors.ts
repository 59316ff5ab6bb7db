import { type Planted, planted } from './planted-errors.ts';

const INVOICE = 'UPDATE paymount.invoices SET';
const ITEM = 'UPDATE paymount.invoice_items SET';
const CHARGE = 'UPDATE paymount.charges SET';
const PAID =
  'A paid invoice has a succeeded charge of its amount, nothing due, or was paid elsewhere.';
const OF_INVOICE = 'The charge of an invoice is of its amount, customer and currency.';
const ONE_LINE = 'An invoice item has one line of the invoice that it is on, and of no other.';
const GAPS = 'The invoices of an account and environment are numbered without gaps.';
const LAST = 'The last number of an account and environment is that of its last invoice.';
const BALANCE =
  'What is due of an invoice and what is left of the balance are its total and the balance before.';
const of = (invoice: string): string => `(SELECT charge_id FROM paymount.invoices
  WHERE id = '${invoice}')`;

/** Errors in invoices, their numbers, their items and what pays them. */
export const INVOICE_ERRORS: readonly Planted[] = [
  planted(
    'an invoice whose lines sum to something else',
    ({ billed }) => `${INVOICE} total = total + 1, ending_balance = ending_balance + 1
      WHERE id = '${billed}'`,
    'The total of an invoice is the sum of its lines.',
  ),
  planted(
    'an invoice of which less is due than it says',
    ({ billed }) => `${INVOICE} starting_balance = -1 WHERE id = '${billed}'`,
    BALANCE,
  ),
  planted(
    'a paid invoice that names no charge',
    ({ billed }) => `${INVOICE} charge_id = NULL WHERE id = '${billed}'`,
    PAID,
  ),
  planted(
    'a paid invoice whose charge is of another invoice',
    ({ billed, unpaid }) => `${CHARGE} invoice_id = '${unpaid}' WHERE id = ${of(billed)}`,
    PAID,
    OF_INVOICE,
  ),
  planted(
    'an invoice that stayed open when its charge succeeded',
    ({ billed }) => `${INVOICE} status = 'open', paid_at = NULL WHERE id = '${billed}'`,
    'An invoice whose charge has succeeded is paid.',
  ),
  planted(
    'a charge of an invoice of another customer',
    ({ billed, stranger }) => `${INVOICE} customer_id = '${stranger}' WHERE id = '${billed}'`,
    OF_INVOICE,
  ),
  planted(
    'a charge of an invoice in another currency',
    ({ billed }) => `${INVOICE} currency = 'usd' WHERE id = '${billed}'`,
    OF_INVOICE,
  ),
  planted(
    'a charge of an invoice that does not exist',
    ({ bought }) => `${CHARGE} invoice_id = 'in_none' WHERE id = '${bought}'`,
    OF_INVOICE,
  ),
  planted(
    'a number of an invoice that is left out',
    ({ unpaid }) => `${INVOICE} number = number + 100 WHERE id = '${unpaid}'`,
    GAPS,
    LAST,
  ),
  planted(
    'a number that was given and is on no invoice',
    () => 'UPDATE paymount.invoice_numbers SET last = last + 1',
    LAST,
  ),
  planted(
    'an invoice item that is on an invoice without a line of it',
    ({ waitingItem, unpaid }) => `${ITEM} invoice_id = '${unpaid}' WHERE id = '${waitingItem}'`,
    ONE_LINE,
  ),
  planted(
    'an invoice item that waits although it was billed',
    ({ unpaid }) => `${ITEM} invoice_id = NULL WHERE invoice_id = '${unpaid}'`,
    ONE_LINE,
  ),
  planted(
    'an invoice item that two invoices have billed',
    ({ billed, unpaid }) => `${INVOICE} lines = (SELECT lines FROM paymount.invoices
      WHERE id = '${billed}'), total = 1900, amount_due = 1900 WHERE id = '${unpaid}'`,
    ONE_LINE,
  ),
  planted(
    'an invoice item of another amount than its line',
    ({ unpaid }) => `${ITEM} unit_amount = 1, amount = 1 WHERE invoice_id = '${unpaid}'`,
    'A line has the amount of its invoice item.',
  ),
];
