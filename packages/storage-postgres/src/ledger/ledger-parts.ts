import type { TestClockId } from '@paymount/core/kernel';
import type { BalanceTransaction, LedgerCode, OwnedPosting, Posting } from '@paymount/core/ledger';
import type { StoredChange } from '@paymount/core/store';
import { OWNER_COLUMNS } from '../changes/owner-columns.ts';
import { OWNER, type Part } from '../changes/part.ts';
import { partCode } from '../changes/part-codes.ts';
import { type RowSource, rowSource } from '../changes/row-source.ts';
import { type Column, fixed, json } from '../shared/columns.ts';

interface Line {
  readonly transaction: string;
  readonly code: LedgerCode;
  readonly currency: string;
  readonly amount: bigint;
  /** An uncovered debit of `available`. */
  readonly judged: boolean;
}

const POSTING_COLUMNS: readonly Column<Posting>[] = [
  fixed('id', 'text', (posting) => posting.id),
  fixed('kind', 'text', (posting) => posting.kind),
  fixed('source_id', 'text', (posting) => posting.sourceId),
  fixed('available_on', 'timestamptz', (posting) => posting.availableOn),
  fixed('created', 'timestamptz', (posting) => posting.created),
];
const OWNED_COLUMNS: readonly Column<OwnedPosting>[] = [...OWNER_COLUMNS, ...POSTING_COLUMNS];
const LINE_COLUMNS: readonly Column<Line>[] = [
  fixed('transaction_id', 'text', (line) => line.transaction),
  fixed('code', 'text', (line) => line.code),
  fixed('currency', 'text', (line) => line.currency),
  fixed('amount', 'bigint', (line) => line.amount),
  fixed('judged', 'boolean', (line) => line.judged),
];
const BALANCE_COLUMNS: readonly Column<BalanceTransaction>[] = [
  fixed('id', 'text', (transaction) => transaction.id),
  fixed('type', 'text', (transaction) => transaction.type),
  fixed('source_id', 'text', (transaction) => transaction.sourceId),
  fixed('amount', 'bigint', (transaction) => transaction.amount),
  fixed('fee', 'bigint', (transaction) => transaction.fee),
  fixed('fee_details', 'jsonb', (transaction) => json(transaction.feeDetails)),
  fixed('currency', 'text', (transaction) => transaction.currency),
  fixed('status', 'text', (transaction) => transaction.status),
  fixed('payout_id', 'text', (transaction) => transaction.payoutId ?? null),
  fixed('available_on', 'timestamptz', (transaction) => transaction.availableOn),
  fixed('created', 'timestamptz', (transaction) => transaction.created),
];

/**
 * Posts ledger transactions of the owner of a change: header, entries, and a row in the tail of
 * each limited account, so that no posting waits for a balance. Only an uncovered debit of
 * `available` updates the balance itself, where a CHECK limits it; `foldBefore` says when the
 * balance must be locked and folded first. A transaction whose (kind, source) already exists posts
 * nothing.
 */
export function postingsPart(postings: readonly Posting[]): Part {
  return postingPart(rowSource(POSTING_COLUMNS, postings), OWNER, postings);
}

/** The same for postings that each have their own owner, in a separate statement. */
export function ownedPostingsPart(postings: readonly OwnedPosting[]): Part {
  return postingPart(rowSource(OWNED_COLUMNS, postings), 'n.account_id, n.livemode', postings);
}

function postingPart(headers: RowSource, owner: string, postings: readonly Posting[]): Part {
  const lines = postings.flatMap(toLines);
  const entries = rowSource(LINE_COLUMNS, lines);
  const judged = lines.some(({ judged }) => judged);
  return {
    code: partCode('postings', headers.code, 'x', entries.code, judged ? 'j' : ''),
    values: [...headers.values, ...entries.values],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  INSERT INTO ${schema}.ledger_transaction
    (account_id, livemode, id, kind, source_id, available_on, created)
  SELECT ${owner}, n.id, n.kind, n.source_id, n.available_on, n.created
  FROM ${headers.sql(at)}
  WHERE ${when} ON CONFLICT (account_id, livemode, source_id, kind) DO NOTHING
  RETURNING id, account_id, livemode),
${alias}_lines AS (
  SELECT p.account_id, p.livemode, n.transaction_id, a.id, a.balance IS NOT NULL AS limited,
    n.currency, n.amount, n.judged
  FROM ${entries.sql((index) => at(headers.values.length + index))}
  JOIN ${alias} p ON p.id = n.transaction_id
  LEFT JOIN ${schema}.ledger_account a ON a.account_id = p.account_id
    AND a.livemode = p.livemode AND a.currency = n.currency AND a.code = n.code),
${alias}_entries AS (
  INSERT INTO ${schema}.ledger_entry
    (account_id, livemode, transaction_id, ledger_account_id, currency, amount)
  SELECT account_id, livemode, transaction_id, id, currency, amount FROM ${alias}_lines),
${alias}_tail AS (
  INSERT INTO ${schema}.ledger_tail (ledger_account_id, amount)
  SELECT id, -sum(amount)::bigint FROM ${alias}_lines WHERE limited AND NOT judged
  GROUP BY id HAVING sum(amount) <> 0)${judged ? balanceCheckSql(schema, alias) : ''}`,
  };
}

function balanceCheckSql(schema: string, alias: string): string {
  return `,
${alias}_judged AS (
  UPDATE ${schema}.ledger_account a SET balance = a.balance - s.debit
  FROM (SELECT id, sum(amount)::bigint AS debit FROM ${alias}_lines WHERE judged GROUP BY id) s
  WHERE a.id = s.id)`;
}

/**
 * The currencies whose balance must be locked and folded in the transaction before it posts these:
 * an uncovered debit of `available` is checked against the whole balance.
 */
export function foldBefore({ postings = [] }: Pick<StoredChange, 'postings'>): readonly string[] {
  const judged = postings.flatMap(toLines).filter((line) => line.judged);
  return [...new Set(judged.map(({ currency }) => currency))];
}

function toLines({ id, currency, entries, covered }: Posting): readonly Line[] {
  return entries.map(({ code, amount }) => ({
    transaction: id,
    code,
    currency,
    amount,
    judged: code === 'available' && amount > 0n && covered !== true,
  }));
}

/** Adds rows of the balance history. @param clock the test clock that they are on */
export function balanceTransactionsPart(
  transactions: readonly BalanceTransaction[],
  clock?: TestClockId,
): Part {
  const rows = rowSource(BALANCE_COLUMNS, transactions);
  const isOnClock = clock !== undefined;
  return {
    code: partCode('balance_transactions', rows.code, isOnClock ? 'c' : ''),
    values: isOnClock ? [...rows.values, clock] : rows.values,
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  INSERT INTO ${schema}.balance_transactions (account_id, livemode, id, type, source_id, amount,
    fee, fee_details, currency, status, payout_id, available_on, created${isOnClock ? ', test_clock_id' : ''})
  SELECT ${OWNER}, n.*${isOnClock ? `, ${at(rows.values.length)}::text` : ''}
  FROM ${rows.sql(at)} WHERE ${when})`,
  };
}
