import type { BankAccountDirectory } from '@paymount/core/payments';
import { adminPage, compared, filtersWithin, findForAdmin } from '../shared/admin-rows.ts';
import type { Session } from '../transaction/session.ts';
import {
  BANK_ACCOUNT_COLUMNS,
  type BankAccountRow,
  isLive,
  toBankAccount,
} from './bank-account-rows.ts';

const TABLE = { name: 'bank_accounts', columns: BANK_ACCOUNT_COLUMNS } as const;

/** Bank accounts, for operators. */
export function bankAccountDirectory(session: Session): BankAccountDirectory {
  return {
    async find(scope, id) {
      const row = await findForAdmin<BankAccountRow>(session, TABLE, filtersWithin(scope), id);
      const found = row && toBankAccount(row);
      return found && isLive(found) ? found : undefined;
    },
    async list(scope, filter, page) {
      const conditions = [
        () => 't.deleted_at IS NULL',
        ...compared('status', '=', filter.status, 'text'),
        ...compared('currency', '=', filter.currency, 'text'),
      ];
      const wanted = { conditions, page };
      const asked = filtersWithin(scope, filter);
      const found = await adminPage<BankAccountRow>(session, TABLE, asked, wanted);
      return { ...found, data: found.data.map(toBankAccount).filter(isLive) };
    },
  };
}
