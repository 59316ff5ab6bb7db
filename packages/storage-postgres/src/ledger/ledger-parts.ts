import {
  type BalanceTransaction,
  type LedgerCode,
  LIMITED_CODES,
  type Posting,
} from '@paymount/core';
import { OWNER, type Part } from '../changes/part.ts';

interface EntryLine {
  readonly transaction: string;
  readonly code: LedgerCode;
  readonly currency: string;
  readonly amount: bigint;
  readonly covered: boolean;
}

const LIMITED: ReadonlySet<LedgerCode> = new Set(LIMITED_CODES);

/**
 * Posts ledger transactions: header, entries, and the balances of limited accounts, last of all
 * locks. A transaction whose (kind, source) is there already posts nothing. The debt of `available`
 * rises to what a covered posting needs, and otherwise only shrinks.
 */
export function postingsPart(postings: readonly Posting[]): Part {
  const lines = postings.flatMap(linesOf);
  const balances = new Set(lines.filter(({ code }) => LIMITED.has(code)).map(accountOf));
  return {
    code: balances.size > 1 ? 'lm' : 'l',
    values: [
      postings.map(({ id }) => id),
      postings.map(({ kind }) => kind),
      postings.map(({ sourceId }) => sourceId),
      postings.map(({ availableOn }) => availableOn),
      postings.map(({ created }) => created),
      lines.map(({ transaction }) => transaction),
      lines.map(({ code }) => code),
      lines.map(({ currency }) => currency),
      lines.map(({ amount }) => amount),
      lines.map(({ covered }) => covered),
    ],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  INSERT INTO ${schema}.ledger_transaction
    (account_id, livemode, id, kind, source_id, available_on, created)
  SELECT ${OWNER}, n.id, n.kind, n.source_id, n.available_on, n.created
  FROM unnest(${at(0)}::text[], ${at(1)}::text[], ${at(2)}::text[], ${at(3)}::timestamptz[],
    ${at(4)}::timestamptz[]) AS n (id, kind, source_id, available_on, created)
  WHERE ${when} ON CONFLICT (account_id, livemode, source_id, kind) DO NOTHING RETURNING id),
${alias}_lines AS (
  SELECT n.transaction_id, a.id, a.balance IS NOT NULL AS limited, n.currency, n.amount, n.covered
  FROM unnest(${at(5)}::text[], ${at(6)}::text[], ${at(7)}::text[], ${at(8)}::bigint[],
    ${at(9)}::boolean[]) AS n (transaction_id, code, currency, amount, covered)
  JOIN ${alias} ON ${alias}.id = n.transaction_id
  LEFT JOIN ${schema}.ledger_account a ON a.account_id = $1::text AND a.livemode = $2::boolean
    AND a.currency = n.currency AND a.code = n.code),
${alias}_entries AS (
  INSERT INTO ${schema}.ledger_entry
    (account_id, livemode, transaction_id, ledger_account_id, currency, amount)
  SELECT ${OWNER}, transaction_id, id, currency, amount FROM ${alias}_lines),
${alias}_sums AS (
  SELECT id, -sum(amount)::bigint AS credit, bool_or(covered) AS covered
  FROM ${alias}_lines WHERE limited GROUP BY id)${balances.size > 1 ? lockSql(schema, alias) : ''},
${alias}_balances AS (
  UPDATE ${schema}.ledger_account a SET balance = a.balance + s.credit,
    debt = CASE WHEN a.code <> 'available' THEN 0
      WHEN s.covered THEN GREATEST(0, -(a.balance + s.credit))
      ELSE LEAST(a.debt, GREATEST(0, -(a.balance + s.credit))) END
  FROM ${alias}_sums s ${balances.size > 1 ? `JOIN ${alias}_locks USING (id)` : ''}
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

function linesOf({ id, currency, entries, covered: isCovered }: Posting): readonly EntryLine[] {
  const covered = isCovered === true;
  return entries.map(({ code, amount }) => ({ transaction: id, code, currency, amount, covered }));
}

function accountOf({ code, currency }: EntryLine): string {
  return `${code} ${currency}`;
}

/** Adds what the balance history shows. */
export function balanceTransactionsPart(transactions: readonly BalanceTransaction[]): Part {
  return {
    code: 'b',
    values: [
      transactions.map(({ id }) => id),
      transactions.map(({ type }) => type),
      transactions.map(({ sourceId }) => sourceId),
      transactions.map(({ amount }) => amount),
      transactions.map(({ fee }) => fee),
      transactions.map(({ feeDetails }) => JSON.stringify(feeDetails)),
      transactions.map(({ currency }) => currency),
      transactions.map(({ status }) => status),
      transactions.map(({ availableOn }) => availableOn),
      transactions.map(({ created }) => created),
    ],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  INSERT INTO ${schema}.balance_transactions (account_id, livemode, id, type, source_id, amount,
    fee, fee_details, currency, status, available_on, created)
  SELECT ${OWNER}, n.* FROM unnest(${at(0)}::text[], ${at(1)}::text[], ${at(2)}::text[],
    ${at(3)}::bigint[], ${at(4)}::bigint[], ${at(5)}::jsonb[], ${at(6)}::text[], ${at(7)}::text[],
    ${at(8)}::timestamptz[], ${at(9)}::timestamptz[]) AS n
  WHERE ${when})`,
  };
}
