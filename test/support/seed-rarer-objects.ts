import { type History, id, type Seeded } from './seed-history.ts';

/** Which charges of a history have an object of a kind: `at`, and every so many from there on. */
export interface Places {
  readonly every: number;
  readonly at: number;
}

/** The customers of these charges are none of the ten that the history gives to each account. */
export const CUSTOMERS: Places = { every: 10, at: 7 };
/** Of succeeded charges. */
export const DISPUTES: Places = { every: 200, at: 46 };
export const PAYOUTS: Places = { every: 1_000, at: 5 };
/** So that ids differ from those of `seedHistory`. */
const APART = 100_000_000;

const OWNER = 'account_id, livemode';

/**
 * Adds objects to a history of `seedHistory`, with the number, account, environment and time of a charge:
 * customers, disputes (alerts that were closed), and payouts that were canceled. The data still agree.
 */
export async function seedRarerObjects(database: Seeded, history: History): Promise<void> {
  await database.query('SET session_replication_role = replica');
  for (const text of statements(history)) await database.query(text);
  await database.query('SET session_replication_role = DEFAULT');
}

/** The id of a customer of `seedRarerObjects`. */
export const customerNumber = (n: number): number => APART + n;

function statements({ charges, accounts }: History): readonly string[] {
  const from = ({ every, at }: Places): string =>
    `(SELECT n, ${id('acct', `n % ${accounts}`)} AS account_id, (n / 20) % 4 = 0 AS livemode,
       timestamptz '2026-01-01T00:00:00.000Z' + n * interval '1 second' AS created
     FROM generate_series(${at}, ${charges} - 1, ${every}) AS n) o`;
  return [
    `INSERT INTO paymount.customers (${OWNER}, id, version, email, balance, preferred_locales,
       metadata, created)
     SELECT ${OWNER}, ${id('cus', `${APART} + n`)}, 1, 'buyer' || n % 1000 || '@example.com', 0, '{}',
       '{}', created FROM ${from(CUSTOMERS)}`,
    `INSERT INTO paymount.disputes (${OWNER}, id, version, status, charge_id, amount, currency, reason,
       processor_name, processor_reference, alert_reference, due_by, evidence, submission_count,
       metadata, created)
     SELECT ${OWNER}, ${id('dp')}, 2, 'warning_closed', ${id('ch')}, 1000, 'eur', 'fraudulent',
       'sandbox', 'dispute_' || n, 'alert_' || n, created + interval '7 days', '{}', 0, '{}', created
     FROM ${from(DISPUTES)}`,
    `UPDATE paymount.charges c SET dispute_id = d.id FROM paymount.disputes d
     WHERE (c.${OWNER.replace(', ', ', c.')}, c.id) = (d.${OWNER.replace(', ', ', d.')}, d.charge_id)`,
    `INSERT INTO paymount.events (${OWNER}, id, type, api_version, created, object_id, object_version,
       body, source)
     SELECT ${OWNER}, ${id('evt', `${APART} + n`)}, 'dispute.alert', '2026-11-01', created, ${id('dp')},
       1, '{"id":"' || ${id('evt', `${APART} + n`)} || '","type":"dispute.alert","data":{"object":{"id":"'
         || ${id('dp')} || '","amount":1000}}}', 'api' FROM ${from(DISPUTES)}`,
    ...payouts(from(PAYOUTS)),
  ];
}

function payouts(from: string): readonly string[] {
  const [debit, credit] = [id('txn', `${APART} + 2 * n`), id('txn', `${APART} + 2 * n + 1`)];
  const lines = (names: string): string =>
    `${from} CROSS JOIN LATERAL (VALUES (${debit}, 'payout', 'payout', -100),
       (${credit}, 'payout_cancel', 'payout_failed', 100)) AS l (${names})`;
  const names = 'line, type, kind, amount';
  return [
    `INSERT INTO paymount.bank_accounts (${OWNER}, id, version, status, last4, fingerprint, country,
       currency, is_default, metadata, created, deleted_at)
     SELECT ${OWNER}, 'ba' || substr(account_id, 5), 2, 'deleted', '6789', 'fingerprint', 'DE', 'eur',
       false, '{}', min(created), max(created) FROM ${from} GROUP BY ${OWNER}`,
    `INSERT INTO paymount.payouts (${OWNER}, id, version, status, amount, currency, arrival_date,
       automatic, destination_id, balance_transaction_id, processor_name,
       failure_balance_transaction_id, metadata, created)
     SELECT ${OWNER}, ${id('po')}, 2, 'canceled', 100, 'eur', created + interval '2 days', false,
       'ba' || substr(account_id, 5), ${debit}, 'sandbox', ${credit}, '{}', created FROM ${from}`,
    `INSERT INTO paymount.balance_transactions (${OWNER}, id, type, source_id, amount, fee, fee_details,
       currency, status, available_on, created)
     SELECT ${OWNER}, line, type, ${id('po')}, amount, 0, '[]', 'eur', 'available', created, created
     FROM ${lines(names)}`,
    `INSERT INTO paymount.ledger_transaction (${OWNER}, id, kind, source_id, available_on, created)
     SELECT ${OWNER}, 'ltx' || substr(line, 4), kind, ${id('po')}, created, created FROM ${lines(names)}`,
    `INSERT INTO paymount.ledger_entry (ledger_account_id, transaction_id, ${OWNER}, currency, amount)
     SELECT a.id, 'ltx' || substr(line, 4), o.account_id, o.livemode, 'eur',
       CASE a.code WHEN 'available' THEN -l.amount ELSE l.amount END
     FROM ${lines(names)} JOIN paymount.ledger_account a
       ON (a.account_id, a.livemode) = (o.account_id, o.livemode)
       AND a.code IN ('available', 'payouts_in_transit')`,
  ];
}
