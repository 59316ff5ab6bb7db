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

const take = statement(
  'pm_bank_accounts_unannounced_v1',
  (s) => `DELETE FROM ${s}.unannounced_destinations WHERE (bank_account_id, news) = (
      SELECT bank_account_id, news FROM ${s}.unannounced_destinations
      ORDER BY noted_at, bank_account_id, news LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING bank_account_id, account_id, livemode, news`,
);

/** Bank accounts that processes of an earlier version changed, on PostgreSQL. */
export function unannouncedDestinationQueue(
  session: Session,
  ports: ChangePorts,
): UnannouncedDestinationQueue {
  return {
    next: (decide) =>
      inTransaction(session, async (inner) => {
        const [row] = (await inner.query<UnannouncedRow>(take, [])).rows;
        if (row === undefined) return false;
        const owner = { accountId: row.account_id, environment: environmentOf(row.livemode) };
        const bankAccount = await bankAccountRows(inner).findForUpdate(owner, row.bank_account_id);
        // Nobody deletes rows of bank accounts, but an operator may.
        if (bankAccount === undefined) return true;
        const result = await changeRows(inner, ports).apply(
          decide({ news: row.news, bankAccount }),
        );
        assert.equal(result, 'applied', 'It writes no row that others change.');
        return true;
      }),
  };
}
