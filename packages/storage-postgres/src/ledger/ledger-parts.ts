import {
  type BalanceTransaction,
  type LedgerCode,
  LIMITED_CODES,
  type Posting,
} from '@paymount/core';
import { OWNER, type Part } from '../changes/part.ts';
import { rowSource } from '../changes/row-source.ts';
import { type Column, fixed, json } from '../shared/columns.ts';

interface Line {
  readonly transaction: string;
  readonly code: LedgerCode;
  readonly currency: string;
  readonly amount: bigint;
  readonly covered: boolean;
}

const LIMITED: ReadonlySet<LedgerCode> = new Set(LIMITED_CODES);

const POSTING_COLUMNS: readonly Column<Posting>[] = [
  fixed('id', 'text', (posting) => posting.id),
  fixed('kind', 'text', (posting) => posting.kind),
  fixed('source_id', 'text', (posting) => posting.sourceId),
  fixed('available_on', 'timestamptz', (posting) => posting.availableOn),
  fixed('created', 'timestamptz', (posting) => posting.created),
];
const LINE_COLUMNS: readonly Column<Line>[] = [
  fixed('transaction_id', 'text', (line) => line.transaction),
  fixed('code', 'text', (line) => line.code),
  fixed('currency', 'text', (line) => line.currency),
  fixed('amount', 'bigint', (line) => line.amount),
  fixed('covered', 'boolean', (line) => line.covered),
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
  fixed('available_on', 'timestamptz', (transaction) => transaction.availableOn),
  fixed('created', 'timestamptz', (transaction) => transaction.created),
];

/**
 * Posts ledger transactions: header, entries, and the balances of limited accounts, last of all
 * locks. A transaction whose (kind, source) is there already posts nothing. The debt of `available`
 * rises to what a covered posting needs, and otherwise only shrinks.
 */
export function postingsPart(postings: readonly Posting[]): Part {
  const lines = postings.flatMap(linesOf);
  const headers = rowSource(POSTING_COLUMNS, postings);
  const entries = rowSource(LINE_COLUMNS, lines);
  const balances = new Set(lines.filter(({ code }) => LIMITED.has(code)).map(accountOf));
  const many = balances.size > 1;
  return {
    code: `l${headers.code}x${entries.code}${many ? 'm' : ''}`,
    values: [...headers.values, ...entries.values],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  INSERT INTO ${schema}.ledger_transaction
    (account_id, livemode, id, kind, source_id, available_on, created)
  SELECT ${OWNER}, n.id, n.kind, n.source_id, n.available_on, n.created
  FROM ${headers.sql(at)}
  WHERE ${when} ON CONFLICT (account_id, livemode, source_id, kind) DO NOTHING RETURNING id),
${alias}_lines AS (
  SELECT n.transaction_id, a.id, a.balance IS NOT NULL AS limited, n.currency, n.amount, n.covered
  FROM ${entries.sql((index) => at(headers.values.length + index))}
  JOIN ${alias} ON ${alias}.id = n.transaction_id
  LEFT JOIN ${schema}.ledger_account a ON a.account_id = $1::text AND a.livemode = $2::boolean
    AND a.currency = n.currency AND a.code = n.code),
${alias}_entries AS (
  INSERT INTO ${schema}.ledger_entry
    (account_id, livemode, transaction_id, ledger_account_id, currency, amount)
  SELECT ${OWNER}, transaction_id, id, currency, amount FROM ${alias}_lines),
${alias}_sums AS (
  SELECT id, -sum(amount)::bigint AS credit, bool_or(covered) AS covered
  FROM ${alias}_lines WHERE limited GROUP BY id)${many ? lockSql(schema, alias) : ''},
${alias}_balances AS (
  UPDATE ${schema}.ledger_account a SET balance = a.balance + s.credit,
    debt = CASE WHEN a.code <> 'available' THEN 0
      WHEN s.covered THEN GREATEST(0, -(a.balance + s.credit))
      ELSE LEAST(a.debt, GREATEST(0, -(a.balance + s.credit))) END
  FROM ${alias}_sums s ${many ? `JOIN ${alias}_locks USING (id)` : ''}
  WHERE a.id = s.id)`,
  };
}

/** Two transactions that change several balances take them in one order. */
function lockSql(schema: string, alias: string): string {
  return `,
${alias}_locks AS (
  SELECT a.id FROM ${schema}.ledger_account a JOIN ${alias}_sums s USING (id)
  ORDER BY a.id FOR NO KEY UPDATE OF a)`;
}

function linesOf({ id, currency, entries, covered }: Posting): readonly Line[] {
  return entries.map(({ code, amount }) => ({
    transaction: id,
    code,
    currency,
    amount,
    covered: covered === true,
  }));
}

function accountOf({ code, currency }: Line): string {
  return `${code} ${currency}`;
}

/** Adds what the balance history shows. */
export function balanceTransactionsPart(transactions: readonly BalanceTransaction[]): Part {
  const rows = rowSource(BALANCE_COLUMNS, transactions);
  return {
    code: `b${rows.code}`,
    values: rows.values,
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  INSERT INTO ${schema}.balance_transactions (account_id, livemode, id, type, source_id, amount,
    fee, fee_details, currency, status, available_on, created)
  SELECT ${OWNER}, n.* FROM ${rows.sql(at)} WHERE ${when})`,
  };
}
