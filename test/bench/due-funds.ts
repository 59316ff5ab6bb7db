import { newId } from '@paymount/core/kernel';
import { CURRENCY, FIRST_ACCOUNT } from './seeds.ts';

interface Seeded {
  query(text: string, values?: unknown[]): Promise<unknown>;
}

/** What each of the funds comes to, minor units. */
export const FUNDS = 1_000;

/**
 * Opens the ledgers of accounts in test mode, for `seedDueFunds`.
 * @param count accounts, as `seedAccounts` made them
 */
export async function seedLedgers(database: Seeded, count: number): Promise<void> {
  await database.query(
    `INSERT INTO paymount.ledger_account (account_id, livemode, currency, code, balance)
     SELECT ($1::bigint + n)::text, false, $2, code,
       CASE WHEN code IN ('pending', 'available', 'reserved') THEN 0 END
     FROM generate_series(0, $3::integer - 1) AS n, unnest(ARRAY['processor_clearing', 'bank',
       'pending', 'available', 'reserved', 'payouts_in_transit', 'fees_revenue', 'processor_fees',
       'losses']) AS code`,
    [FIRST_ACCOUNT, CURRENCY, count],
  );
}

/** Captured charges whose funds are due, one after the other over the accounts, as each posting left them. */
export async function seedDueFunds(
  database: Seeded,
  { accounts, count }: { readonly accounts: number; readonly count: number },
): Promise<void> {
  const ids = Array.from({ length: count }, () => newId('txn'));
  await database.query(
    `WITH due AS (
       SELECT ($1::bigint + (n - 1) % $2::bigint)::text AS account_id, id, 'ltx_' || id AS posting,
         'ch_' || id AS charge FROM unnest($3::text[]) WITH ORDINALITY AS d (id, n)),
     lines AS (SELECT * FROM due, (VALUES ('processor_clearing', $4::bigint), ('pending', -$4::bigint))
       AS line (code, amount)),
     transactions AS (INSERT INTO paymount.ledger_transaction
         (account_id, livemode, id, kind, source_id, available_on, created)
       SELECT account_id, false, posting, 'capture', charge, now(), now() FROM due),
     entries AS (INSERT INTO paymount.ledger_entry
         (account_id, livemode, transaction_id, ledger_account_id, currency, amount)
       SELECT l.account_id, false, l.posting, a.id, $5, l.amount FROM lines l
       JOIN paymount.ledger_account a
         ON (a.account_id, a.livemode, a.currency, a.code) = (l.account_id, false, $5, l.code)),
     tails AS (INSERT INTO paymount.ledger_tail (ledger_account_id, amount)
       SELECT a.id, -l.amount FROM lines l JOIN paymount.ledger_account a
         ON (a.account_id, a.livemode, a.currency, a.code) = (l.account_id, false, $5, l.code)
       WHERE a.balance IS NOT NULL)
     INSERT INTO paymount.balance_transactions (account_id, livemode, id, type, source_id, amount,
       fee, fee_details, currency, status, available_on, created)
     SELECT account_id, false, id, 'charge', charge, $4, 0, '[]', $5, 'pending',
       now() - interval '1 second', now() FROM due`,
    [FIRST_ACCOUNT, accounts, ids, FUNDS, CURRENCY],
  );
}
