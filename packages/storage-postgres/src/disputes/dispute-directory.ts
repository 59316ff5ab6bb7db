import type { DisputeDirectory } from '@paymount/core/payments';
import { filtersWithin, findForAdmin } from '../shared/admin-rows.ts';
import type { Session } from '../transaction/session.ts';
import { DISPUTE_COLUMNS, type DisputeRow, toDispute } from './dispute-rows.ts';

const TABLE = { name: 'disputes', columns: DISPUTE_COLUMNS } as const;

/** Disputes, for operators. */
export function disputeDirectory(session: Session): DisputeDirectory {
  return {
    async find(scope, id) {
      const row = await findForAdmin<DisputeRow>(session, TABLE, filtersWithin(scope), id);
      return row && toDispute(row);
    },
  };
}
