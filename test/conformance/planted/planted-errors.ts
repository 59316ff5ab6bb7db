import type { Healthy } from './healthy-data.ts';

/** An error as a forger, a bug or a bad restore would leave it. */
export interface Planted {
  readonly error: string;
  /** SQL that plants it, without triggers and foreign keys. */
  readonly plant: (healthy: Healthy) => string;
  /** All rules that it breaks. */
  readonly breaks: readonly string[];
}

export const planted = (
  error: string,
  plant: Planted['plant'],
  ...breaks: readonly string[]
): Planted => ({ error, plant, breaks });

/** The id of the ledger transaction of a kind, for what it was booked for. */
export function posted(kind: string, source: string): string {
  return `(SELECT id FROM paymount.ledger_transaction
    WHERE kind = '${kind}' AND source_id = ${source})`;
}

/** The id of the balance transaction of a charge or refund. */
export function toLine(source: string, type: string): string {
  return `(SELECT id FROM paymount.balance_transactions
    WHERE source_id = '${source}' AND type = '${type}')`;
}

/** The entries of a posting on one ledger account. */
export function entriesOn(code: string, transaction: string): string {
  return `transaction_id = ${transaction} AND ledger_account_id IN (
    SELECT id FROM paymount.ledger_account WHERE code = '${code}')`;
}

/** Entries that balance, on ledger accounts that no recipe knows. */
export function strangeEntries(transaction: string): string {
  return `INSERT INTO paymount.ledger_entry
      (ledger_account_id, transaction_id, account_id, livemode, currency, amount)
    SELECT a.id, t.id, a.account_id, a.livemode, a.currency, CASE a.code WHEN 'bank' THEN 5 ELSE -5 END
    FROM paymount.ledger_transaction t JOIN paymount.ledger_account a
      ON a.account_id = t.account_id AND a.currency = 'eur' AND a.code IN ('bank', 'losses')
    WHERE t.id = ${transaction}`;
}

const operationOf = (subject: string): string =>
  `WHERE subject_id = '${subject}' AND kind <> 'authorize'`;
const authorizationOf = (subject: string): string =>
  `WHERE subject_id = '${subject}' AND kind = 'authorize'`;
export const updated = { operationOf, authorizationOf };

/** Makes the outcome of operations an approval of what they asked for. */
export const APPROVE = `UPDATE paymount.operations SET state = 'done', outcome = jsonb_build_object(
  'outcome', 'approved', 'amount', amount, 'currency', currency)`;
export const DECLINE = `UPDATE paymount.operations SET outcome = '{"outcome":"declined"}'`;

/** A second event of the same, with a body of its own. @param where selects one event */
export function copiedEvent(where: string, version: string): string {
  return `INSERT INTO paymount.events (id, account_id, livemode, type, api_version, created,
      object_id, object_version, body, source)
    SELECT 'evt_2', account_id, livemode, type, api_version, created, object_id, ${version},
      replace(body, id, 'evt_2'), source FROM paymount.events ${where}`;
}

/** Moves a time by a year. */
export function yearLater(column: string): string {
  return `${column} = ${column} + interval '1 year'`;
}
