import type { AccountId, BalanceTransactionId, Owner, PayoutId } from '@paymount/core/kernel';
import { environmentOf, livemode } from '@paymount/core/kernel';
import {
  BALANCE_TRANSACTION_TYPES,
  type BalanceTransaction,
  type BalanceTransactionFilter,
  type CurrencyBalance,
  type LedgerRepository,
} from '@paymount/core/ledger';
import type { Knex } from 'knex';
import { type Statement, statement } from '../connection/statement.ts';
import { whereOnClock } from '../shared/clocked-list.ts';
import {
  type Ranges,
  readPage,
  whereCreated,
  whereEqual,
  whereOwned,
} from '../shared/list-page.ts';
import type { Session } from '../transaction/session.ts';
import { openLedger } from './ledger-accounts.ts';
import { ownedPostingsPart } from './ledger-parts.ts';
import { foldNext, lockBalances } from './ledger-tail.ts';

interface BalanceRow {
  readonly currency: string;
  readonly pending: bigint;
  readonly available: bigint;
  readonly reserved: bigint;
}

interface SourcesRow extends BalanceRow {
  readonly pending_of_banks: bigint;
}

interface TransactionRow {
  readonly id: BalanceTransactionId;
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly type: BalanceTransaction['type'];
  readonly source_id: BalanceTransaction['sourceId'];
  readonly amount: bigint;
  readonly fee: bigint;
  readonly fee_details: BalanceTransaction['feeDetails'];
  readonly currency: string;
  readonly status: BalanceTransaction['status'];
  readonly payout_id: PayoutId | null;
  readonly available_on: Date;
  readonly created: Date;
}

const COLUMNS = [
  'id',
  'account_id',
  'livemode',
  'type',
  'source_id',
  'amount',
  'fee',
  'fee_details',
  'currency',
  'status',
  'payout_id',
  'available_on',
  'created',
];
const SUMS = ['pending', 'available', 'reserved']
  .map(
    (code) =>
      `COALESCE(sum(a.balance + t.amount) FILTER (WHERE a.code = '${code}'), 0)::bigint AS ${code}`,
  )
  .join(', ');

/** A balance is the column plus its tail, read in one statement and so in one snapshot. */
const balance = statement(
  'pm_ledger_balances_v3',
  (s) => `SELECT a.currency, ${SUMS} FROM ${s}.ledger_account a
    CROSS JOIN LATERAL (SELECT COALESCE(sum(amount), 0) AS amount FROM ${s}.ledger_tail
      WHERE ledger_account_id = a.id) t
    WHERE a.account_id = $1 AND a.livemode = $2 AND a.balance IS NOT NULL
      AND a.currency = $3
    GROUP BY a.currency ORDER BY a.currency`,
);
/** The same with what is pending of bank debits, which triggers keep in a tail of its own. */
const balancesWithSources = statement(
  'pm_ledger_sources_v2',
  (s) => `SELECT a.currency, ${SUMS}, (SELECT COALESCE(sum(p.amount), 0)
      FROM ${s}.pending_bank_funds p WHERE p.account_id = $1 AND p.livemode = $2
        AND p.currency = a.currency)::bigint AS pending_of_banks
    FROM ${s}.ledger_account a
    CROSS JOIN LATERAL (SELECT COALESCE(sum(amount), 0) AS amount FROM ${s}.ledger_tail
      WHERE ledger_account_id = a.id) t
    WHERE a.account_id = $1 AND a.livemode = $2 AND a.balance IS NOT NULL
    GROUP BY a.currency ORDER BY a.currency`,
);
const find = statement(
  'pm_ledger_find_v2',
  (s) => `SELECT ${COLUMNS.join(', ')} FROM ${s}.balance_transactions
    WHERE account_id = $1 AND livemode = $2 AND id = $3`,
);
const findMany = statement(
  'pm_ledger_find_many_v2',
  (s) => `SELECT ${COLUMNS.join(', ')} FROM ${s}.balance_transactions
    WHERE account_id = $1 AND livemode = $2 AND id = ANY ($3::text[])`,
);
const claimDue = claimStatement('pm_ledger_claim_v3', 'test_clock_id IS NULL');
const claimDueOn = claimStatement('pm_ledger_claim_on_v1', 'test_clock_id = $3');
const nextDue = statement(
  'pm_ledger_next_due_v1',
  (s) => `SELECT available_on FROM ${s}.balance_transactions
    WHERE status = 'pending' AND test_clock_id = $1 AND available_on <= $2
    ORDER BY available_on LIMIT 1`,
);

/** @param clocked the condition on their test clock */
function claimStatement(name: `pm_${string}`, clocked: string): Statement {
  return statement(
    name,
    (s) => `UPDATE ${s}.balance_transactions b SET status = 'available'
    FROM (SELECT account_id, livemode, id FROM ${s}.balance_transactions
      WHERE status = 'pending' AND available_on <= $1 AND ${clocked}
      ORDER BY available_on LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED) due
    WHERE (b.account_id, b.livemode, b.id) = (due.account_id, due.livemode, due.id)
    RETURNING ${COLUMNS.map((name) => `b.${name}`).join(', ')}`,
  );
}

/** The ledger on PostgreSQL. */
export function ledgerRows(session: Session, knownLedgers: Set<string>): LedgerRepository {
  return {
    async balances(owner) {
      const values = [owner.accountId, livemode(owner.environment)];
      const { rows } = await session.query<SourcesRow>(balancesWithSources, values);
      return rows.map(({ pending_of_banks: pendingOfBanks, ...row }) => ({
        ...row,
        pendingOfBanks,
      }));
    },
    async findTransaction(owner, id) {
      const values = [owner.accountId, livemode(owner.environment), id];
      const [row] = (await session.query<TransactionRow>(find, values)).rows;
      return row && toTransaction(row);
    },
    async findTransactions(owner, ids) {
      const values = [owner.accountId, livemode(owner.environment), ids];
      return (await session.query<TransactionRow>(findMany, values)).rows.map(toTransaction);
    },
    async listTransactions(owner, filter, page) {
      const listed = {
        table: 'balance_transactions',
        columns: COLUMNS,
        order: 'created',
        within: (query: Knex.QueryBuilder) => {
          whereOwned(query, owner);
          whereOnClock(query, filter.clock, {
            isOfOne: filter.sourceId !== undefined || filter.payoutId !== undefined,
          });
        },
        narrow: (query: Knex.QueryBuilder) => {
          whereEqual(query, 'source_id', filter.sourceId);
          if (filter.payoutId !== undefined) whereInPayout(query, filter.payoutId, filter);
          if (filter.clock !== undefined) whereOfKind(query, filter);
          whereCreated(query, filter.created);
        },
        // What is in a payout, or on a clock, is one range of an index of its own.
        ...(filter.payoutId === undefined &&
          filter.clock === undefined && {
            ranges: toRanges(session.statements.schema, owner, filter),
          }),
      } as const;
      return readPage(session, listed, page, toTransaction);
    },
    async lockBalance(owner, currency) {
      await openLedger(session, owner, currency, knownLedgers);
      await lockBalances(session, owner, currency);
      const values = [owner.accountId, livemode(owner.environment), currency];
      // A separate statement after the lock; see `foldLocked`.
      const [row] = (await session.query<BalanceRow>(balance, values)).rows;
      const none: CurrencyBalance = { currency, pending: 0n, available: 0n, reserved: 0n };
      return row ?? none;
    },
    fold: (after, limit) => foldNext(session, after, limit),
    async post(postings) {
      if (postings.length === 0) return;
      const { code, sql, values } = ownedPostingsPart(postings);
      const place = { alias: 'p0', when: 'true', at: (index: number) => `$${index + 1}` };
      const post = statement(
        `pm_ledger_post_${code}_v1`,
        (schema) => `WITH ${sql({ schema, ...place })} SELECT`,
      );
      await session.query(post, [...values]);
    },
    async claimDueFunds(now, limit, clock) {
      const { rows } = await (clock === undefined
        ? session.query<TransactionRow>(claimDue, [now, limit])
        : session.query<TransactionRow>(claimDueOn, [now, limit, clock]));
      return rows.map(toTransaction);
    },
    async nextDueFunds(clock, until) {
      const values = [clock, until];
      const { rows } = await session.query<{ available_on: Date }>(nextDue, values);
      return rows[0]?.available_on;
    },
  };
}

/** What a payout contains; its own debit is marked with it too. */
function whereInPayout(
  query: Knex.QueryBuilder,
  payoutId: PayoutId,
  filter: BalanceTransactionFilter,
): void {
  query.where('payout_id', payoutId).whereNot('source_id', payoutId);
  whereOfKind(query, filter);
}

function whereOfKind(
  query: Knex.QueryBuilder,
  { currency, types }: BalanceTransactionFilter,
): void {
  whereEqual(query, 'currency', currency);
  if (types !== undefined) query.whereIn('type', types);
}

/** The currencies and types that the history of an owner can have: a few of each. */
function toRanges(
  schema: string,
  { accountId, environment }: Owner,
  { currency, types = BALANCE_TRANSACTION_TYPES }: BalanceTransactionFilter,
): Ranges {
  const booked = `SELECT currency FROM ${schema}.ledger_account
    WHERE account_id = ? AND livemode = ? AND code = 'pending'`;
  return {
    sql: `SELECT c.currency, y.type FROM (${booked}${currency === undefined ? '' : ' AND currency = ?'}) c
      CROSS JOIN unnest(?::text[]) AS y (type)`,
    bindings: [
      accountId,
      livemode(environment),
      ...(currency === undefined ? [] : [currency]),
      [...types],
    ],
    on: 't.currency = p.currency AND t.type = p.type',
  };
}

function toTransaction(row: TransactionRow): BalanceTransaction {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    type: row.type,
    sourceId: row.source_id,
    amount: row.amount,
    fee: row.fee,
    feeDetails: row.fee_details,
    currency: row.currency,
    status: row.status,
    ...(row.payout_id === null ? {} : { payoutId: row.payout_id }),
    availableOn: row.available_on,
    created: row.created,
  };
}
