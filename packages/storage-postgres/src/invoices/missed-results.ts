import type { MissedResult } from '@paymount/core/billing';
import {
  type AccountId,
  type ChargeId,
  environmentOf,
  type InvoiceId,
} from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

interface MissedRow {
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly invoice_id: InvoiceId;
  readonly charge_id: ChargeId;
}

/** An invoice is not paid although its charge is, or its subscription waits for a charge that has failed. */
const findMissed = statement(
  'pm_invoices_missed_v1',
  (s) => `SELECT v.account_id, v.livemode, v.id AS invoice_id, v.charge_id
    FROM ${s}.invoices v
    JOIN ${s}.charges c ON (c.account_id, c.livemode, c.id) = (v.account_id, v.livemode, v.charge_id)
    LEFT JOIN ${s}.subscriptions u
      ON (u.account_id, u.livemode, u.id) = (v.account_id, v.livemode, v.subscription_id)
    WHERE v.status = 'open' AND v.charge_id IS NOT NULL
      AND (c.status = 'succeeded' OR c.status = 'failed' AND u.charging_invoice_id = v.id)
    LIMIT $1`,
);

/** Results of charges of which their invoices do not know. */
export async function missedResults(
  session: Session,
  limit: number,
): Promise<readonly MissedResult[]> {
  const { rows } = await session.query<MissedRow>(findMissed, [limit]);
  return rows.map((row) => ({
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    invoiceId: row.invoice_id,
    chargeId: row.charge_id,
  }));
}
