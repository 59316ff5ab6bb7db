import { livemode, type Owner } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

/** The most rows of the tail that one statement folds. */
const MAX_ROWS = 10_000;

const lock = statement(
  'pm_ledger_lock_v2',
  (s) => `SELECT id FROM ${s}.ledger_account
    WHERE account_id = $1 AND livemode = $2 AND currency = $3 AND balance IS NOT NULL
    ORDER BY id FOR NO KEY UPDATE`,
);
/**
 * The next accounts with a tail: one index look-up for each, independent of the length of the tail.
 */
const lockNext = statement(
  'pm_ledger_lock_next_v1',
  (s) => `WITH RECURSIVE found (id) AS (
      SELECT min(ledger_account_id) FROM ${s}.ledger_tail WHERE ledger_account_id > $1
      UNION ALL
      SELECT (SELECT min(t.ledger_account_id) FROM ${s}.ledger_tail t
        WHERE t.ledger_account_id > found.id)
      FROM found WHERE found.id IS NOT NULL),
    next AS (SELECT id FROM found WHERE id IS NOT NULL LIMIT $2),
    locked AS (SELECT a.id FROM ${s}.ledger_account a JOIN next USING (id)
      ORDER BY a.id FOR NO KEY UPDATE OF a SKIP LOCKED)
    SELECT next.id, locked.id IS NOT NULL AS locked FROM next LEFT JOIN locked USING (id)
    ORDER BY next.id`,
);
/**
 * Adds rows of the tail to the balances. Only covered debits can take a balance below zero here, so
 * that part is debt; uncovered debits never enter the tail.
 */
const fold = statement(
  'pm_ledger_fold_v1',
  (s) => `WITH gone AS (
      DELETE FROM ${s}.ledger_tail WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${s}.ledger_tail WHERE ledger_account_id = ANY ($1::bigint[]) LIMIT $2))
      RETURNING ledger_account_id AS id, amount),
    sums AS (SELECT id, sum(amount)::bigint AS amount FROM gone GROUP BY id),
    folded AS (UPDATE ${s}.ledger_account a SET balance = a.balance + s.amount,
        debt = CASE WHEN a.code = 'available' THEN GREATEST(0, -(a.balance + s.amount)) ELSE 0 END
      FROM sums s WHERE a.id = s.id)
    SELECT count(*)::integer AS rows FROM gone`,
);

/**
 * Replaces the rows about what is pending of bank debits by their sum, for the ledgers of accounts
 * that this transaction has locked, so that no other one does it at the same time. A single row is
 * left alone.
 */
const foldBankFunds = statement(
  'pm_ledger_fold_banks_v1',
  (s) => `WITH grown AS (SELECT p.account_id, p.livemode, p.currency FROM ${s}.ledger_account a
      JOIN ${s}.pending_bank_funds p USING (account_id, livemode, currency)
      WHERE a.id = ANY ($1::bigint[]) AND a.code = 'pending'
      GROUP BY p.account_id, p.livemode, p.currency HAVING count(*) > 1),
    gone AS (DELETE FROM ${s}.pending_bank_funds WHERE ctid = ANY (ARRAY(
        SELECT p.ctid FROM ${s}.pending_bank_funds p
        JOIN grown USING (account_id, livemode, currency) LIMIT $2))
      RETURNING account_id, livemode, currency, amount)
    INSERT INTO ${s}.pending_bank_funds (account_id, livemode, currency, amount)
    SELECT account_id, livemode, currency, sum(amount)::bigint FROM gone
    GROUP BY account_id, livemode, currency HAVING sum(amount) <> 0`,
);

/**
 * Locks the limited accounts of an owner in one currency, in order of id, until the transaction
 * ends.
 */
export async function lockBalances(
  session: Session,
  { accountId, environment }: Owner,
  currency: string,
): Promise<readonly bigint[]> {
  const values = [accountId, livemode(environment), currency];
  return (await session.query<{ id: bigint }>(lock, values)).rows.map(({ id }) => id);
}

/**
 * Folds rows of the tails of ledger accounts that this transaction has locked. It must be a later
 * statement than the lock, because a statement that waits for a lock uses a snapshot from before
 * the wait.
 * @returns whether there may be more rows
 */
async function foldSome(session: Session, ids: readonly bigint[]): Promise<boolean> {
  const [row] = (await session.query<{ rows: number }>(fold, [ids, MAX_ROWS])).rows;
  return row?.rows === MAX_ROWS;
}

/** Locks the limited accounts of an owner in one currency, and folds all of their postings. */
export async function foldBalances(
  session: Session,
  owner: Owner,
  currency: string,
): Promise<void> {
  const ids = await lockBalances(session, owner, currency);
  while (await foldSome(session, ids));
}

/**
 * Folds the tails of the next ledger accounts after `after`. It skips accounts that others have
 * locked.
 * @returns the last account, to continue after it; undefined if no account after `after` has a tail
 */
export async function foldNext(
  session: Session,
  after: bigint,
  limit: number,
): Promise<bigint | undefined> {
  const values = [after, limit];
  const next = (await session.query<{ id: bigint; locked: boolean }>(lockNext, values)).rows;
  const ids = next.filter(({ locked }) => locked).map(({ id }) => id);
  if (ids.length > 0) {
    await session.query(foldBankFunds, [ids, MAX_ROWS]);
    if (await foldSome(session, ids)) return after;
  }
  return next.at(-1)?.id;
}
