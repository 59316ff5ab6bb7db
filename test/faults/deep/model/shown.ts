import { query } from '../../../support/database.ts';
import type { Merchant, Setup } from '../setup.ts';
import type { Book } from './book.ts';
import { comparedAgain } from './compared-again.ts';
import { listAll, type Row } from './list-all.ts';
import { CURRENCIES, type Currency } from './objects.ts';

/** Everything that there is of one account, one line each. */
export function expectedOf(book: Book): readonly string[] {
  return [
    ...book.charges.map(
      ({ id, status, captured, refunded, isDisputed }) =>
        `charge ${id} ${status} ${captured} refunded ${refunded} disputed ${isDisputed}`,
    ),
    ...book.refunds.map(
      ({ id, status, amount, charge }) => `refund ${id} ${status} ${amount} of ${charge.id}`,
    ),
    ...book.disputes.map(
      ({ id, status, amount, charge, closedReason, evidence, submissions }) =>
        `dispute ${id} ${status} ${amount} of ${charge.id} ${closedReason} ${evidence} sent ${submissions}`,
    ),
    ...book.payouts.map(
      ({ id, status, amount, bank, isAutomatic }) =>
        `payout ${id} ${status} ${amount} to ${bank.id} automatic ${isAutomatic}`,
    ),
    ...book.banks
      .filter(({ isDeleted }) => !isDeleted)
      .map(
        ({ id, isErrored, isDefault }) =>
          `bank ${id} ${isErrored ? 'errored' : 'new'} default ${isDefault}`,
      ),
    ...book.methods.map(({ id, number, isDetached, isBlocked }) => {
      const state = isDetached ? 'detached' : 'attached';
      return `method ${id} ${number.slice(-4)} ${state} blocked ${isBlocked}`;
    }),
    ...book.differences
      .map(comparedAgain)
      .map(
        ({ kind, about, expected, found, state }) =>
          `${kind} of ${about}: ${expected}, found ${found}, ${state}`,
      ),
    ...book.events.map((event) => `event ${withId(book, event)}`),
    ...CURRENCIES.flatMap((currency) => ledgerOf(book, currency)),
  ].sort();
}

const UNDONE = new Set(['failed', 'canceled']);
const DEBITED = new Set(['needs_response', 'under_review', 'lost']);

/** Payouts are in euros. */
function ledgerOf(book: Book, currency: Currency): readonly string[] {
  const isMeant = ({ charge }: { charge: { currency: Currency } }) => charge.currency === currency;
  const charges = book.charges.filter((charge) => charge.currency === currency);
  const taken = book.disputes.filter(({ status }) => DEBITED.has(status)).filter(isMeant);
  const refunds = book.refunds
    .filter(({ status, fundsAtMs }) => !UNDONE.has(status) && fundsAtMs !== undefined)
    .filter(isMeant);
  const clearing = total(charges, 'captured') - total(refunds, 'amount') - total(taken, 'amount');
  const payouts = currency === 'eur' ? book.payouts : [];
  const withdrawn = payouts.filter(({ status }) => !UNDONE.has(status));
  const paid = withdrawn.filter(({ status }) => status === 'paid');
  const [available, pending] = [book.available(currency), book.pending(currency)];
  const { reserved, losses, fees, settled } = book.totals[currency];
  const credits = {
    pending,
    available,
    reserved,
    losses: -losses,
    processor_clearing: settled + fees - clearing,
    processor_fees: -fees,
    payouts_in_transit: total(withdrawn, 'amount') - total(paid, 'amount'),
    bank: total(paid, 'amount') - settled,
  };
  return [
    `balance ${currency} ${available} available, ${pending} pending, ${reserved} reserved`,
    ...Object.entries(credits)
      .filter(([, credit]) => credit !== 0)
      .map(([code, credit]) => `ledger ${currency} ${code} ${credit}`),
  ];
}

function total<Key extends string>(
  rows: readonly Readonly<Record<Key, number>>[],
  key: Key,
): number {
  return rows.reduce((sum, row) => sum + row[key], 0);
}

/** Disputes are known by their reference until the API has shown them. */
function withId(book: Book, event: string): string {
  const [type, subject] = event.split(' ');
  const dispute = book.disputes.find(({ reference }) => reference === subject);
  return `${type} ${dispute === undefined ? subject : dispute.id}`;
}

/** The same, as the API and the tables show it. New disputes get their ids in `book`. */
export async function shownOf(
  { databaseUrl }: Setup,
  merchant: Merchant,
  book: Book,
): Promise<readonly string[]> {
  const clocks = await query(databaseUrl, CLOCKS, [merchant.account]);
  // A list without a clock leaves out what is on one.
  const all = async (name: string): Promise<readonly Row[]> => {
    const clauses = ['', ...clocks.map(({ id }) => `&test_clock=${id}`)];
    const lists = clauses.map((more) => listAll(merchant, name, more));
    return (await Promise.all(lists)).flat();
  };
  const [charges, refunds, disputes, payouts, banks, balance, methods, differences, events, sums] =
    await Promise.all([
      all('charges'),
      all('refunds'),
      all('disputes'),
      all('payouts'),
      listAll(merchant, `accounts/${merchant.account}/external_accounts`),
      merchant.get('balance'),
      query(databaseUrl, METHODS, [merchant.account]),
      query(databaseUrl, DIFFERENCES, [merchant.account]),
      query(databaseUrl, EVENTS, [merchant.account]),
      query(databaseUrl, LEDGER, [merchant.account]),
    ]);
  nameDisputes(book, disputes);
  const funds = (name: string, currency: Currency) => {
    const rows = balance.json[name] as readonly Row[] | undefined;
    return rows?.find((row) => row['currency'] === currency)?.['amount'] ?? 0;
  };
  return [
    ...charges.map(
      (row) =>
        `charge ${row['id']} ${row['status']} ${row['amount_captured']} refunded ${row['amount_refunded']} disputed ${row['disputed']}`,
    ),
    ...refunds.map(
      (row) => `refund ${row['id']} ${row['status']} ${row['amount']} of ${row['charge']}`,
    ),
    ...disputes.map(disputeLine),
    ...payouts.map(
      (row) =>
        `payout ${row['id']} ${row['status']} ${row['amount']} to ${row['destination']} automatic ${row['automatic']}`,
    ),
    ...banks.map(
      (row) => `bank ${row['id']} ${row['status']} default ${row['default_for_currency']}`,
    ),
    ...methods
      .filter(({ id }) => book.methods.some((method) => method.id === id))
      .map(
        (row) => `method ${row['id']} ${row['last4']} ${row['state']} blocked ${row['blocked']}`,
      ),
    ...differences.map(
      (row) =>
        `${row['kind']} of ${row['about']}: ${row['expected']}, found ${row['found']}, ${row['state']}`,
    ),
    ...events.map((row) => `event ${row['type']} ${row['object_id']}`),
    ...CURRENCIES.map(
      (currency) =>
        `balance ${currency} ${funds('available', currency)} available, ${funds('pending', currency)} pending, ${funds('reserved', currency)} reserved`,
    ),
    ...sums.map((row) => `ledger ${row['currency']} ${row['code']} ${row['credit']}`),
  ].sort();
}

function disputeLine(row: Row): string {
  const evidence = row['evidence'] as Row;
  const details = row['evidence_details'] as Row;
  return `dispute ${row['id']} ${row['status']} ${row['amount']} of ${row['charge']} ${row['closed_reason']} ${evidence['uncategorized_text']} sent ${details['submission_count']}`;
}

const METHODS = `SELECT id, COALESCE(us_bank_account, card) ->> 'last4' AS last4,
    CASE WHEN customer_id IS NULL THEN 'detached' ELSE 'attached' END AS state,
    blocked IS NOT NULL AS blocked
  FROM paymount.payment_methods WHERE account_id = $1`;

/** Charges that no line settles within a week are not of the model: their pass runs once a day. */
const DIFFERENCES = `SELECT kind, CASE kind WHEN 'amount_differs' THEN line_id ELSE subject_id END AS about,
    expected_amount AS expected, found_amount AS found, state
  FROM paymount.settlement_differences WHERE account_id = $1 AND kind <> 'not_settled'`;

/** Those of subscriptions are in the laws of billing. */
const EVENTS = `SELECT type, object_id FROM paymount.events
  WHERE account_id = $1 AND type NOT LIKE 'subscription.%'`;

const CLOCKS = 'SELECT id FROM paymount.test_clocks WHERE account_id = $1';
const LEDGER = `SELECT a.currency, a.code, -sum(e.amount) AS credit
  FROM paymount.ledger_entry e JOIN paymount.ledger_account a ON a.id = e.ledger_account_id
  WHERE a.account_id = $1 GROUP BY a.currency, a.code HAVING sum(e.amount) <> 0`;

/** The oldest that has no id yet is the oldest that is not known yet. */
function nameDisputes(book: Book, shown: readonly Row[]): void {
  const known = new Set(book.disputes.map(({ id }) => id));
  const fresh = shown.map((row) => String(row['id'])).filter((id) => !known.has(id));
  for (const dispute of book.disputes) dispute.id ??= fresh.pop();
}
