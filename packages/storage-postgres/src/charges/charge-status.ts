import { livemode, type Owner } from '@paymount/core/kernel';
import type { ChargeState } from '@paymount/core/payments';
import type { Knex } from 'knex';
import { whereEqual } from '../shared/list-page.ts';

/**
 * The condition of each status, exactly as its index states it. With a second, equivalent condition
 * PostgreSQL would assume that few rows match both.
 */
const INDEXED = {
  authorized: 'capture_before IS NOT NULL',
  failed: 'failure IS NOT NULL',
  canceled: 'canceled_at IS NOT NULL',
} as const;

/**
 * Most charges have succeeded, so no index is needed for them. Pending charges are found by their
 * open operation; an index on this status would slow down every charge.
 */
export function whereStatus(
  query: Knex.QueryBuilder,
  schema: string,
  owner: Owner,
  status: ChargeState['status'] | undefined,
): void {
  if (status === undefined || status === 'succeeded') whereEqual(query, 'status', status);
  else if (status !== 'pending') query.whereRaw(INDEXED[status]);
  else {
    query.where({ status }).whereRaw(
      `id = ANY (ARRAY(SELECT charge_id FROM ${schema}.operations
        WHERE account_id = ? AND livemode = ?
          AND state IN ('created', 'sent', 'unknown', 'quarantined')))`,
      [owner.accountId, livemode(owner.environment)],
    );
  }
}
