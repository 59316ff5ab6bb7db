import type { AdminInvoiceFilter, InvoiceDirectory } from '@paymount/core/billing';
import { livemode } from '@paymount/core/kernel';
import { type ChargeRow, toCharge } from '../charges/charge-row.ts';
import { CHARGE_COLUMNS } from '../charges/charge-rows.ts';
import { statement } from '../connection/statement.ts';
import { adminPage, compared, failing, filtersWithin, findForAdmin } from '../shared/admin-rows.ts';
import { clockColumns } from '../test-clocks/object-clock.ts';
import type { Session } from '../transaction/session.ts';
import { INVOICE_COLUMNS, type InvoiceRow, toInvoice } from './invoice-rows.ts';

/** The charges of a customer have an index; those of an invoice that failed have none. */
const attempts = statement(
  'pm_invoices_attempts_v1',
  (s) => `SELECT ${CHARGE_COLUMNS.join(', ')}, ${clockColumns(s, 'c')} FROM ${s}.charges c
    WHERE account_id = $1 AND livemode = $2 AND customer_id = $3 AND invoice_id = ANY ($4::text[])
    ORDER BY created DESC, id DESC LIMIT $5`,
);

/** Invoices, for admins. */
export function invoiceDirectory(session: Session): InvoiceDirectory {
  const { schema: s } = session.statements;
  const table = { name: 'invoices', columns: [...INVOICE_COLUMNS, clockColumns(s, 't')] };
  return {
    async find(scope, id) {
      const row = await findForAdmin<InvoiceRow>(session, table, filtersWithin(scope), id);
      return row === undefined || row.status === 'deleted' ? undefined : toInvoice(row);
    },
    async list(scope, filter, page) {
      const { overdue } = filter;
      const conditions = [
        () => `t.status <> 'deleted'`,
        ...compared('status', '=', filter.status, 'text'),
        ...compared('customer_id', '=', filter.customerId, 'text'),
        ...compared('subscription_id', '=', filter.subscriptionId, 'text'),
        ...compared('due_date', '<', filter.dueBefore, 'timestamptz'),
        ...failing(filter.isFailing),
        ...(overdue === undefined ? [] : [isOverdue(s, overdue)]),
      ];
      const asked = filtersWithin(scope, filter);
      const found = await adminPage<InvoiceRow>(session, table, asked, { conditions, page });
      return { ...found, data: found.data.map(toInvoice) };
    },
    async attemptsOf({ accountId, environment, customerId, invoiceIds }, limit) {
      const values = [accountId, livemode(environment), customerId, invoiceIds, limit];
      return (await session.query<ChargeRow>(attempts, values)).rows.map(toCharge);
    },
  };
}

/** Open, and due by a time, or by that of its test clock; or not. */
function isOverdue(
  s: string,
  { at, isOverdue: isWanted }: NonNullable<AdminInvoiceFilter['overdue']>,
): (place: (value: unknown, type: string) => string) => string {
  return (place) => `coalesce(t.status = 'open' AND t.due_date <= coalesce(
      (SELECT k.frozen_time FROM ${s}.test_clocks k WHERE (k.account_id, k.livemode, k.id)
        = (t.account_id, t.livemode, t.test_clock_id)), ${place(at, 'timestamptz')}), false)
    = ${place(isWanted, 'boolean')}`;
}
