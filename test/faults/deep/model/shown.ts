import { query } from '../../../support/database.ts';
import type { ApiAnswer } from '../../api-client.ts';
import type { Merchant, Stage } from '../stage.ts';
import type { Book } from './book.ts';

type Row = Readonly<Record<string, unknown>>;

/** Everything that there is of one account, one line each. */
export function expectedOf(book: Book): readonly string[] {
  const taken = book.disputes.filter(({ status }) => DEBITED.has(status));
  const withdrawn = book.payouts.filter(({ status }) => !['failed', 'canceled'].includes(status));
  const isPaid = ({ status }: { status: string }) => status === 'paid';
  const refunds = book.refunds.filter(
    ({ status, fundsAtMs }) => status !== 'failed' && fundsAtMs !== undefined,
  );
  const clearing =
    total(book.charges, 'captured') - total(refunds, 'amount') - total(taken, 'amount');
  const paidOut = total(withdrawn.filter(isPaid), 'amount');
  return [
    ...book.charges.map(
      ({ id, status, captured, refunded, isDisputed }) =>
        `charge ${id} ${status} ${captured} refunded ${refunded} disputed ${isDisputed}`,
    ),
    ...book.refunds.map(
      ({ id, status, amount, charge }) => `refund ${id} ${status} ${amount} of ${charge.id}`,
    ),
    ...book.disputes.map(
      ({ id, status, amount, charge, closedReason }) =>
        `dispute ${id} ${status} ${amount} of ${charge.id} ${closedReason}`,
    ),
    ...book.payouts.map(({ id, status, amount }) => `payout ${id} ${status} ${amount}`),
    ...book.events.map((event) => `event ${withId(book, event)}`),
    `balance ${book.available} available, ${book.pending} pending`,
    ...ledger({
      pending: book.pending,
      available: book.available,
      processor_clearing: -clearing,
      payouts_in_transit: total(withdrawn, 'amount') - paidOut,
      bank: paidOut,
    }),
  ].sort();
}

const DEBITED = new Set(['needs_response', 'under_review', 'lost']);

function total<Key extends string>(
  rows: readonly Readonly<Record<Key, number>>[],
  key: Key,
): number {
  return rows.reduce((sum, row) => sum + row[key], 0);
}

function ledger(credits: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(credits)
    .filter(([, credit]) => credit !== 0)
    .map(([code, credit]) => `ledger ${code} ${credit}`);
}

/** Disputes are known by their reference until the API has shown them. */
function withId(book: Book, event: string): string {
  const [type, subject] = event.split(' ');
  const dispute = book.disputes.find(({ reference }) => reference === subject);
  return `${type} ${dispute === undefined ? subject : dispute.id}`;
}

/** The same, as the API and the tables show it. New disputes get their ids in `book`. */
export async function shownOf(
  { databaseUrl }: Stage,
  merchant: Merchant,
  book: Book,
): Promise<readonly string[]> {
  const [charges, refunds, disputes, payouts, balance, events, sums] = await Promise.all([
    listed(merchant.get('charges?limit=100')),
    listed(merchant.get('refunds?limit=100')),
    listed(merchant.get('disputes?limit=100')),
    listed(merchant.get('payouts?limit=100')),
    merchant.get('balance'),
    query(databaseUrl, EVENTS, [merchant.account]),
    query(databaseUrl, LEDGER, [merchant.account]),
  ]);
  nameDisputes(book, disputes);
  const funds = (name: string) => (balance.json[name] as Row[] | undefined)?.[0]?.['amount'] ?? 0;
  return [
    ...charges.map(
      (row) =>
        `charge ${row['id']} ${row['status']} ${row['amount_captured']} refunded ${row['amount_refunded']} disputed ${row['disputed']}`,
    ),
    ...refunds.map(
      (row) => `refund ${row['id']} ${row['status']} ${row['amount']} of ${row['charge']}`,
    ),
    ...disputes.map(
      (row) =>
        `dispute ${row['id']} ${row['status']} ${row['amount']} of ${row['charge']} ${row['closed_reason']}`,
    ),
    ...payouts.map((row) => `payout ${row['id']} ${row['status']} ${row['amount']}`),
    ...events.map((row) => `event ${row['type']} ${row['object_id']}`),
    `balance ${funds('available')} available, ${funds('pending')} pending`,
    ...sums.map((row) => `ledger ${row['code']} ${row['credit']}`),
  ].sort();
}

const EVENTS = 'SELECT type, object_id FROM paymount.events WHERE account_id = $1';

const LEDGER = `SELECT a.code, -sum(e.amount) AS credit
  FROM paymount.ledger_entry e JOIN paymount.ledger_account a ON a.id = e.ledger_account_id
  WHERE a.account_id = $1 GROUP BY a.code HAVING sum(e.amount) <> 0`;

async function listed(answer: Promise<ApiAnswer>): Promise<readonly Row[]> {
  const { status, json, text } = await answer;
  if (status !== 200) throw new Error(`A list was answered ${text}`);
  return json['data'] as readonly Row[];
}

/** The oldest that has no id yet is the oldest that is not known yet. */
function nameDisputes(book: Book, shown: readonly Row[]): void {
  const known = new Set(book.disputes.map(({ id }) => id));
  const fresh = shown.map((row) => String(row['id'])).filter((id) => !known.has(id));
  for (const dispute of book.disputes) dispute.id ??= fresh.pop();
}
