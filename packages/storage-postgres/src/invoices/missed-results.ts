import type { MissedResult } from '@paymount/core/billing';
import {
  type AccountId,
  type ChargeId,
  environmentOf,
  type InvoiceId,
  livemode,
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
  'pm_invoices_missed_v2',
  (s) => `SELECT v.account_id, v.livemode, v.id AS invoice_id, v.charge_id
    FROM ${s}.invoices v
    JOIN ${s}.charges c ON (c.account_id, c.livemode, c.id) = (v.account_id, v.livemode, v.charge_id)
    LEFT JOIN ${s}.subscriptions u
      ON (u.account_id, u.livemode, u.id) = (v.account_id, v.livemode, v.subscription_id)
    WHERE v.status IN ('open', 'uncollectible') AND v.charge_id IS NOT NULL
      AND (v.account_id, v.livemode, v.id) > ($2, $3, $4)
      AND (c.status = 'succeeded' OR c.status = 'failed' AND u.charging_invoice_id = v.id)
    ORDER BY v.account_id, v.livemode, v.id LIMIT $1`,
);

/** Results of charges of which their invoices do not know, in the order of the invoices. */
export async function missedResults(
  session: Session,
  limit: number,
  after?: MissedResult,
): Promise<readonly MissedResult[]> {
  const isLive = after !== undefined && livemode(after.environment);
  const values = [limit, after?.accountId ?? '', isLive, after?.invoiceId ?? ''];
  const { rows } = await session.query<MissedRow>(findMissed, values);
  return rows.map((row) => ({
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    invoiceId: row.invoice_id,
    chargeId: row.charge_id,
  }));
}
