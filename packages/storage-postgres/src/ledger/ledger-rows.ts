import type {
  AccountId,
  BalanceTransaction,
  BalanceTransactionId,
  ChargeId,
  CurrencyBalance,
  LedgerRepository,
  RefundId,
} from '@paymount/core';
import { environmentOf, livemode } from '@paymount/core';
import type { Session } from '../session.ts';
import { listPage, whereCreated, whereEqual } from '../shared/list-page.ts';
import { statement } from '../shared/statement.ts';
import { openLedger } from './ledger-accounts.ts';

interface BalanceRow {
  readonly currency: string;
  readonly pending: bigint;
  readonly available: bigint;
  readonly reserved: bigint;
}

interface TransactionRow {
  readonly id: BalanceTransactionId;
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly type: BalanceTransaction['type'];
  readonly source_id: ChargeId | RefundId;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly fee_details: BalanceTransaction['feeDetails'];
  readonly currency: string;
  readonly status: BalanceTransaction['status'];
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
  'available_on',
  'created',
];
const SUMS = ['pending', 'available', 'reserved']
  .map((code) => `COALESCE(sum(balance) FILTER (WHERE code = '${code}'), 0)::bigint AS ${code}`)
  .join(', ');

const balances = statement(
  'pm_ledger_balances_v1',
  (s) => `SELECT currency, ${SUMS} FROM ${s}.ledger_account
    WHERE account_id = $1 AND livemode = $2 AND balance IS NOT NULL
    GROUP BY currency ORDER BY currency`,
);
const lock = statement(
  'pm_ledger_lock_v1',
  (s) => `SELECT currency, ${SUMS} FROM (
      SELECT currency, code, balance FROM ${s}.ledger_account
      WHERE account_id = $1 AND livemode = $2 AND currency = $3 AND balance IS NOT NULL
      ORDER BY id FOR NO KEY UPDATE) locked
    GROUP BY currency`,
);
const find = statement(
  'pm_ledger_find_v1',
  (s) => `SELECT ${COLUMNS.join(', ')} FROM ${s}.balance_transactions
    WHERE account_id = $1 AND livemode = $2 AND id = $3`,
);
const findMany = statement(
  'pm_ledger_find_many_v1',
  (s) => `SELECT ${COLUMNS.join(', ')} FROM ${s}.balance_transactions
    WHERE account_id = $1 AND livemode = $2 AND id = ANY ($3::text[])`,
);
const claimDue = statement(
  'pm_ledger_claim_v1',
  (s) => `UPDATE ${s}.balance_transactions b SET status = 'available'
    FROM (SELECT account_id, livemode, id FROM ${s}.balance_transactions
      WHERE status = 'pending' AND available_on <= $1
      ORDER BY available_on LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED) due
    WHERE (b.account_id, b.livemode, b.id) = (due.account_id, due.livemode, due.id)
    RETURNING ${COLUMNS.map((name) => `b.${name}`).join(', ')}`,
);

/** The ledger on PostgreSQL. Postings are written by changes only. */
export function ledgerRows(session: Session, knownLedgers: Set<string>): LedgerRepository {
  return {
    async balances(owner) {
      const values = [owner.accountId, livemode(owner.environment)];
      return (await session.query<BalanceRow>(balances, values)).rows;
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
      const found = await listPage<TransactionRow>(
        session,
        'balance_transactions',
        COLUMNS,
        { owner, page },
        (query) => {
          whereEqual(query, 'type', filter.type);
          whereEqual(query, 'source_id', filter.sourceId);
          whereEqual(query, 'currency', filter.currency);
          whereCreated(query, filter.created);
        },
      );
      return { ...found, data: found.data.map(toTransaction) };
    },
    async lockBalance(owner, currency) {
      await openLedger(session, owner, currency, knownLedgers);
      const values = [owner.accountId, livemode(owner.environment), currency];
      const [row] = (await session.query<BalanceRow>(lock, values)).rows;
      const none: CurrencyBalance = { currency, pending: 0n, available: 0n, reserved: 0n };
      return row ?? none;
    },
    async claimDueFunds(now, limit) {
      return (await session.query<TransactionRow>(claimDue, [now, limit])).rows.map(toTransaction);
    },
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
    availableOn: row.available_on,
    created: row.created,
  };
}
