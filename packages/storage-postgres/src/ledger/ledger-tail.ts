import { livemode, type Owner } from '@paymount/core/kernel';
import type { Session } from '../session.ts';
import { statement } from '../shared/statement.ts';

/** So many rows of the tail at most are folded by one statement. */
const MAX_ROWS = 10_000;

const lock = statement(
  'pm_ledger_lock_v2',
  (s) => `SELECT id FROM ${s}.ledger_account
    WHERE account_id = $1 AND livemode = $2 AND currency = $3 AND balance IS NOT NULL
    ORDER BY id FOR NO KEY UPDATE`,
);
/** The next accounts with a tail: an index look-up for each, however long their tails are. */
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
 * Moves rows of the tail into the balances. What covered debits took below zero is debt, and
 * nothing else is: uncovered ones never come to the tail.
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

/** Locks what limits an owner in one currency, in order of id, until the transaction ends. */
export async function lockBalances(
  session: Session,
  { accountId, environment }: Owner,
  currency: string,
): Promise<readonly bigint[]> {
  const values = [accountId, livemode(environment), currency];
  return (await session.query<{ id: bigint }>(lock, values)).rows.map(({ id }) => id);
}

/**
 * Folds rows of the tails of ledger accounts that are locked in this transaction. It must be a
 * statement after the one that locked: a statement that waits for a lock goes on with a snapshot
 * from before the wait.
 * @returns whether there may be more
 */
async function foldSome(session: Session, ids: readonly bigint[]): Promise<boolean> {
  const [row] = (await session.query<{ rows: number }>(fold, [ids, MAX_ROWS])).rows;
  return row?.rows === MAX_ROWS;
}

/** Locks what limits an owner in one currency, and folds all that was posted to it. */
export async function foldBalances(
  session: Session,
  owner: Owner,
  currency: string,
): Promise<void> {
  const ids = await lockBalances(session, owner, currency);
  while (await foldSome(session, ids));
}

/**
 * Folds the tails of the next ledger accounts behind `after`; those that others have locked keep
 * theirs until the next time.
 * @returns where to go on; undefined when no account behind `after` has a tail
 */
export async function foldNext(
  session: Session,
  after: bigint,
  limit: number,
): Promise<bigint | undefined> {
  const values = [after, limit];
  const next = (await session.query<{ id: bigint; locked: boolean }>(lockNext, values)).rows;
  const ids = next.filter(({ locked }) => locked).map(({ id }) => id);
  if (ids.length > 0 && (await foldSome(session, ids))) return after;
  return next.at(-1)?.id;
}
