import assert from 'node:assert/strict';
import { type AccountId, type BankAccountId, environmentOf } from '@paymount/core/kernel';
import type { UnannouncedDestination, UnannouncedDestinationQueue } from '@paymount/core/payments';
import { changeRows } from '../changes/change-rows.ts';
import type { ChangePorts } from '../changes/execute-change.ts';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction } from '../transaction/transaction.ts';
import { bankAccountRows } from './bank-account-rows.ts';

interface UnannouncedRow {
  readonly bank_account_id: BankAccountId;
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly news: UnannouncedDestination['news'];
}

/** One whose bank account an operator has deleted stays. */
const take = statement(
  'pm_bank_accounts_unannounced_v2',
  (s) => `DELETE FROM ${s}.unannounced_destinations WHERE (bank_account_id, news) = (
      SELECT u.bank_account_id, u.news FROM ${s}.unannounced_destinations u
      JOIN ${s}.bank_accounts b
        ON (b.account_id, b.livemode, b.id) = (u.account_id, u.livemode, u.bank_account_id)
      WHERE u.bank_account_id <> ALL ($1::text[])
      ORDER BY u.noted_at, u.bank_account_id, u.news LIMIT 1
      FOR UPDATE OF u SKIP LOCKED FOR NO KEY UPDATE OF b SKIP LOCKED)
    RETURNING bank_account_id, account_id, livemode, news`,
);
/** Until the end of the transaction. What waits longer is tried again in the next pass. */
const LOCK_LIMIT = 'SET LOCAL lock_timeout = 200';

/** Bank accounts that processes of an earlier version changed, on PostgreSQL. */
export function unannouncedDestinationQueue(
  session: Session,
  ports: ChangePorts,
): UnannouncedDestinationQueue {
  return {
    next: (decide, passed) =>
      inTransaction(session, async (inner) => {
        await inner.plain(LOCK_LIMIT);
        const [row] = (await inner.query<UnannouncedRow>(take, [passed])).rows;
        if (row === undefined) return false;
        const owner = { accountId: row.account_id, environment: environmentOf(row.livemode) };
        const bankAccount = await bankAccountRows(inner).findForUpdate(owner, row.bank_account_id);
        assert(bankAccount, 'It is locked.');
        const result = await changeRows(inner, ports).apply(
          decide({ news: row.news, bankAccount }),
        );
        assert.equal(result, 'applied', 'It writes no row that others change.');
        return true;
      }),
  };
}
