import type {
  Failing,
  Invoice,
  InvoiceRepository,
  InvoiceState,
  Issue,
  IssuedTo,
} from '@paymount/core/billing';
import { livemode, type Owner } from '@paymount/core/kernel';
import type { Knex } from 'knex';
import { LIMIT_LOCKS } from '../billing/due-rows.ts';
import { type Statement, statement } from '../connection/statement.ts';
import { whereOnClock } from '../shared/clocked-list.ts';
import { type Column, column, columnNames, fixed, json, type Table } from '../shared/columns.ts';
import { facts, type StoredRow } from '../shared/facts-of-row.ts';
import { readPage, whereCreated, whereEqual, whereOwned } from '../shared/list-page.ts';
import {
  type ClockColumns,
  clockColumns,
  toClocked,
  withHeldClock,
} from '../test-clocks/object-clock.ts';
import type { Session } from '../transaction/session.ts';

type StateColumns = 'status' | 'issue' | 'paidAt' | 'isPaidOutOfBand' | 'voidedAt' | 'deletedAt';
type AllFields = Invoice extends infer Each
  ? Omit<Each, StateColumns | 'clock' | 'failing'>
  : never;

const invoiceFacts = facts<AllFields>({
  customerId: 'fixed text',
  subscriptionId: 'fixed text',
  periodIndex: 'fixed integer',
  changedIndex: 'optional fixed integer',
  billingReason: 'fixed text',
  currency: 'fixed text',
  collectionMethod: 'text',
  autoAdvance: 'boolean',
  daysUntilDue: 'integer',
  dueDate: 'timestamptz',
  defaultPaymentMethodId: 'text',
  description: 'text',
  footer: 'text',
  metadata: 'jsonb',
  lines: 'jsonb',
  total: 'bigint',
  periodStart: 'timestamptz',
  periodEnd: 'timestamptz',
  attemptCount: 'integer',
  chargeId: 'text',
  created: 'fixed timestamptz',
  isAbandoned: 'boolean',
  isFailureAnnounced: 'optional boolean',
  refundFailure: 'optional text',
  markedUncollectibleAt: 'optional timestamptz',
  nextActionAt: 'optional timestamptz',
  createdBy: 'optional fixed jsonb',
});

export const invoiceTable: Table<Invoice> = {
  name: 'invoices',
  code: 'iv',
  columns: [
    ...invoiceFacts.columns,
    column('status', 'text', (invoice) => invoice.status),
    issued('number', 'bigint', ({ number }) => number),
    issued('starting_balance', 'bigint', ({ startingBalance }) => startingBalance),
    issued('ending_balance', 'bigint', ({ endingBalance }) => endingBalance),
    issued('amount_due', 'bigint', ({ amountDue }) => amountDue),
    issued('issued_to', 'jsonb', ({ issuedTo }) => json(issuedTo)),
    issued('finalized_at', 'timestamptz', ({ finalizedAt }) => finalizedAt),
    column('paid_at', 'timestamptz', (invoice) =>
      invoice.status === 'paid' ? invoice.paidAt : null,
    ),
    column('paid_out_of_band', 'boolean', (invoice) =>
      invoice.status === 'paid' ? invoice.isPaidOutOfBand : false,
    ),
    column('voided_at', 'timestamptz', (invoice) =>
      invoice.status === 'void' ? invoice.voidedAt : null,
    ),
    column('deleted_at', 'timestamptz', (invoice) =>
      invoice.status === 'deleted' ? invoice.deletedAt : null,
    ),
    column('failing', 'jsonb', () => null),
    fixed('test_clock_id', 'text', (invoice) => invoice.clock?.id ?? null),
  ],
};

/** A column that an invoice gets when it is issued. */
function issued(name: string, type: string, of: (issue: Issue) => unknown): Column<Invoice> {
  return column(name, type, (invoice) => ('issue' in invoice ? of(invoice.issue) : null));
}

/** As it is stored, with its test clock. */
export interface InvoiceRow extends StoredRow, ClockColumns {
  readonly status: InvoiceState['status'];
  readonly number: bigint | null;
  readonly starting_balance: bigint | null;
  readonly ending_balance: bigint | null;
  readonly amount_due: bigint | null;
  readonly issued_to: IssuedTo | null;
  readonly finalized_at: Date | null;
  readonly paid_at: Date | null;
  readonly paid_out_of_band: boolean;
  readonly voided_at: Date | null;
  readonly deleted_at: Date | null;
  readonly failing: Failing | null;
}

export const INVOICE_COLUMNS: readonly string[] = columnNames(invoiceTable);
const select = (s: string): string =>
  `SELECT ${INVOICE_COLUMNS.join(', ')}, ${clockColumns(s, 'v')} FROM ${s}.invoices v
    WHERE account_id = $1 AND livemode = $2`;
const findMany = statement('pm_invoices_find_v1', (s) => `${select(s)} AND id = ANY ($3::text[])`);
const findForUpdate = statement(
  'pm_invoices_lock_v1',
  (s) => `${select(s)} AND id = $3 FOR NO KEY UPDATE OF v`,
);
// Instead of a draft, the oldest one of its subscription that is due: each is looked at for one that is due.
const takeDue = statement(
  'pm_invoices_take_v3',
  (s) => `SELECT ${LIMIT_LOCKS}, v.* FROM (${select(s)} AND next_action_at <= $4 AND id = coalesce((
      SELECT d.id FROM ${s}.invoices asked JOIN ${s}.invoices d
        ON (d.account_id, d.livemode, d.subscription_id)
          = (asked.account_id, asked.livemode, asked.subscription_id)
      WHERE asked.account_id = $1 AND asked.livemode = $2 AND asked.id = $3
        AND asked.status = 'draft' AND d.status = 'draft' AND d.next_action_at <= $4
      ORDER BY d.created, d.id LIMIT 1), $3)
    FOR NO KEY UPDATE OF v SKIP LOCKED) v`,
);
const releaseDrafts = statement(
  'pm_invoices_release_v2',
  (s) => `UPDATE ${s}.invoices
    SET auto_advance = true, next_action_at = $4, version = version + 1
    WHERE account_id = $1 AND livemode = $2 AND subscription_id = $3
      AND (status = 'draft' OR status = 'open' AND attempt_count = 0
        AND collection_method = 'charge_automatically' AND billing_reason <> 'subscription_create')`,
);
const wakeUnpaid = statement(
  'pm_invoices_wake_v2',
  (s) => `UPDATE ${s}.invoices SET next_action_at = $4::timestamptz, version = version + 1
    WHERE account_id = $1 AND livemode = $2 AND subscription_id = $3
      AND status IN ('draft', 'open') AND id <> ALL ($5::text[])
      AND next_action_at IS DISTINCT FROM $4::timestamptz`,
);
const countMails = statement(
  'pm_invoices_count_mails_v1',
  (s) => `SELECT count(*)::integer AS count FROM ${s}.mails
    WHERE customer_id = $1 AND starts_with(dedupe_key, $2) AND created > $3`,
);
const takeNumber = statement(
  'pm_invoices_number_v1',
  (s) => `INSERT INTO ${s}.invoice_numbers AS n (account_id, livemode, last) VALUES ($1, $2, 1)
    ON CONFLICT (account_id, livemode) DO UPDATE SET last = n.last + 1 RETURNING last`,
);

/** Invoices on PostgreSQL. */
export function invoiceRows(session: Session): InvoiceRepository {
  const read = async (by: Statement, owner: Owner, ...more: readonly unknown[]) => {
    const values = [owner.accountId, livemode(owner.environment), ...more];
    return (await session.query<InvoiceRow>(by, values)).rows.map(toInvoice);
  };
  return {
    findMany: (owner, ids) => read(findMany, owner, ids),
    find: async (owner, id) => (await read(findMany, owner, [id]))[0],
    findForUpdate: async (owner, id) =>
      withHeldClock(session, (await read(findForUpdate, owner, id))[0]),
    async takeDue(due, now) {
      return withHeldClock(session, (await read(takeDue, due, due.id, now))[0]);
    },
    async releaseDrafts({ accountId, environment }, subscription, at) {
      const values = [accountId, livemode(environment), subscription, at];
      await session.query(releaseDrafts, values);
    },
    async wakeUnpaid({ accountId, environment }, subscription, { at, except = [] }) {
      const values = [accountId, livemode(environment), subscription, at, except];
      await session.query(wakeUnpaid, values);
    },
    async takeNumber({ accountId, environment }) {
      const values = [accountId, livemode(environment)];
      const { rows } = await session.query<{ last: bigint }>(takeNumber, values);
      return Number(rows[0]?.last);
    },
    async countMails(to, { begin, since }) {
      const { rows } = await session.query<{ count: number }>(countMails, [to, begin, since]);
      return rows[0]?.count ?? 0;
    },
    async list(owner, filter, page) {
      const listed = {
        table: 'invoices',
        columns: [...INVOICE_COLUMNS, clockColumns(session.statements.schema, 't')],
        order: 'created',
        // A draft that is deleted between two pages stays a cursor.
        within: (query: Knex.QueryBuilder) => {
          whereOwned(query, owner);
          const isOfOne = filter.customerId !== undefined || filter.subscriptionId !== undefined;
          whereOnClock(query, filter.clock, { isOfOne });
        },
        narrow: (query: Knex.QueryBuilder) => {
          query.whereNot('status', 'deleted');
          whereEqual(query, 'customer_id', filter.customerId);
          whereEqual(query, 'subscription_id', filter.subscriptionId);
          whereEqual(query, 'status', filter.status);
          whereEqual(query, 'collection_method', filter.collectionMethod);
          whereCreated(query, filter.created);
          whereCreated(query, filter.dueDate, 'due_date');
          if (filter.isTried === true) query.whereNotNull('charge_id');
        },
      } as const;
      return readPage(session, listed, page, toInvoice);
    },
  };
}

/** The invoice of a row. */
export function toInvoice(row: InvoiceRow): Invoice {
  const failing = row.failing === null ? {} : { failing: row.failing };
  return invoiceFacts.read(row, { ...toClocked(row), ...failing, ...toState(row) });
}

/** The table's CHECKs ensure that each state has exactly its own columns. */
function toState(row: InvoiceRow): InvoiceState {
  switch (row.status) {
    case 'draft':
      return { status: 'draft' };
    case 'deleted':
      return { status: 'deleted', deletedAt: row.deleted_at as Date };
    case 'open':
    case 'uncollectible':
      return { status: row.status, issue: toIssue(row) };
    case 'paid':
      return {
        status: 'paid',
        issue: toIssue(row),
        paidAt: row.paid_at as Date,
        isPaidOutOfBand: row.paid_out_of_band,
      };
    case 'void':
      return { status: 'void', issue: toIssue(row), voidedAt: row.voided_at as Date };
  }
}

function toIssue(row: InvoiceRow): Issue {
  return {
    number: Number(row.number),
    startingBalance: Number(row.starting_balance),
    endingBalance: Number(row.ending_balance),
    amountDue: Number(row.amount_due),
    issuedTo: row.issued_to as IssuedTo,
    finalizedAt: row.finalized_at as Date,
  };
}
