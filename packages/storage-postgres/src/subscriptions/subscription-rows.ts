import type {
  BillingPeriod,
  Failing,
  Subscription,
  SubscriptionFacts,
  SubscriptionRepository,
  SubscriptionState,
  TakenSubscription,
} from '@paymount/core/billing';
import type { InvoiceId, SubscriptionId } from '@paymount/core/kernel';
import { livemode, type Owner } from '@paymount/core/kernel';
import type { Knex } from 'knex';
import { LIMIT_LOCKS } from '../billing/due-rows.ts';
import { type Statement, statement } from '../connection/statement.ts';
import { CUSTOMER_COLUMNS, type CustomerRow, toCustomer } from '../customers/customer-rows.ts';
import {
  METHOD_COLUMNS,
  type PaymentMethodRow,
  toPaymentMethod,
} from '../payment-methods/payment-method-rows.ts';
import { PRICE_COLUMNS, toPrice } from '../prices/price-rows.ts';
import { whereOnClock } from '../shared/clocked-list.ts';
import { column, columnNames, fixed, json, type Table } from '../shared/columns.ts';
import { facts, type StoredRow } from '../shared/facts-of-row.ts';
import { joinedTable } from '../shared/joined-rows.ts';
import { readPage, whereCreated, whereEqual, whereOwned } from '../shared/list-page.ts';
import {
  type ClockColumns,
  clockColumns,
  toClocked,
  withHeldClock,
} from '../test-clocks/object-clock.ts';
import type { Session } from '../transaction/session.ts';
import { withDates } from './dated-rows.ts';

const subscriptionFacts = facts<Omit<SubscriptionFacts, 'clock' | 'nextActionAt' | 'failing'>>({
  customerId: 'fixed text',
  currency: 'fixed text',
  items: 'jsonb',
  calendar: 'jsonb',
  period: 'jsonb',
  startDate: 'fixed timestamptz',
  freeUntil: 'timestamptz',
  trial: 'jsonb',
  cancelAt: 'timestamptz',
  cancelAtPeriodEnd: 'boolean',
  cancelProration: 'text',
  canceledAt: 'timestamptz',
  cancellation: 'jsonb',
  pendingUpdate: 'jsonb',
  latestInvoiceId: 'text',
  chargingInvoiceId: 'text',
  announcedIndex: 'integer',
  collectionMethod: 'text',
  daysUntilDue: 'integer',
  defaultPaymentMethodId: 'text',
  description: 'text',
  metadata: 'jsonb',
  trialEndBehavior: 'text',
  pauseCollection: 'jsonb',
  isWoken: 'boolean',
  created: 'fixed timestamptz',
  createdBy: 'optional fixed jsonb',
});

export const subscriptionTable: Table<Subscription> = {
  name: 'subscriptions',
  code: 'iu',
  columns: [
    ...subscriptionFacts.columns,
    column('status', 'text', (subscription) => subscription.status),
    column('state', 'jsonb', (subscription) => json(toStored(subscription))),
    column('next_action_at', 'timestamptz', (subscription) => subscription.nextActionAt),
    column('failing', 'jsonb', () => null),
    fixed('test_clock_id', 'text', (subscription) => subscription.clock?.id ?? null),
  ],
};

/** As it is stored, with its test clock. */
export interface SubscriptionRow extends StoredRow, ClockColumns {
  readonly status: SubscriptionState['status'];
  readonly state: object;
  readonly next_action_at: Date | null;
  readonly failing: Failing | null;
}

interface TakenRow extends SubscriptionRow {
  readonly is_disputed: boolean;
  readonly has_waiting_items: boolean;
}

/** As it is stored. */
export interface PeriodRow {
  readonly subscription_id: SubscriptionId;
  readonly index: number;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly invoice_id: InvoiceId | null;
  readonly is_billed: boolean;
}

export const SUBSCRIPTION_COLUMNS: readonly string[] = columnNames(subscriptionTable);
const select = (s: string): string =>
  `SELECT ${SUBSCRIPTION_COLUMNS.join(', ')}, ${clockColumns(s, 'u')} FROM ${s}.subscriptions u
    WHERE account_id = $1 AND livemode = $2`;
const findMany = statement(
  'pm_subscriptions_find_v1',
  (s) => `${select(s)} AND id = ANY ($3::text[])`,
);
const findByItem = statement(
  'pm_subscriptions_by_item_v1',
  (s) => `${select(s)} AND id = (SELECT subscription_id FROM ${s}.subscription_items i
    WHERE i.account_id = $1 AND i.livemode = $2 AND i.id = $3)`,
);
const findForUpdate = statement(
  'pm_subscriptions_lock_v1',
  (s) => `${select(s)} AND id = $3 FOR NO KEY UPDATE OF u`,
);
const customers = joinedTable<CustomerRow>('x', CUSTOMER_COLUMNS);
const methods = joinedTable<PaymentMethodRow>('p', METHOD_COLUMNS);
const prices = joinedTable<StoredRow>('c', PRICE_COLUMNS);
/** One statement for all that most renewals read, because there may be a million of them. */
const takeDue = statement(
  'pm_subscriptions_take_v3',
  (s) => `SELECT ${LIMIT_LOCKS}, d.subscription_id IS NOT NULL AS is_disputed,
      EXISTS (SELECT FROM ${s}.invoice_items i WHERE i.account_id = $1 AND i.livemode = $2
        AND i.customer_id = u.customer_id AND i.invoice_id IS NULL AND i.deleted_at IS NULL)
        AS has_waiting_items,
      u.*, ${customers.columns('x')}, ${methods.columns('p')}, ${prices.columns('c')}
    FROM (${select(s)} AND id = $3 AND next_action_at <= $4 FOR NO KEY UPDATE OF u SKIP LOCKED) u
    LEFT JOIN ${s}.disputed_subscriptions d ON d.account_id = $1 AND d.livemode = $2
      AND d.subscription_id = u.id
    LEFT JOIN ${s}.customers x ON x.account_id = $1 AND x.livemode = $2 AND x.id = u.customer_id
    LEFT JOIN ${s}.payment_methods p ON p.account_id = $1 AND p.livemode = $2
      AND p.id = coalesce(u.default_payment_method_id, x.default_payment_method_id)
    LEFT JOIN ${s}.prices c ON c.account_id = $1 AND c.livemode = $2
      AND c.id = u.items #>> '{0,priceId}'`,
);
const settleDispute = statement(
  'pm_subscriptions_settle_v1',
  (s) => `DELETE FROM ${s}.disputed_subscriptions
    WHERE account_id = $1 AND livemode = $2 AND subscription_id = $3`,
);
const countLive = statement(
  'pm_subscriptions_count_v1',
  (s) => `SELECT count(*)::integer AS count FROM ${s}.subscriptions
    WHERE account_id = $1 AND livemode = $2 AND customer_id = $3
      AND status NOT IN ('canceled', 'incomplete_expired')`,
);
const periodsOf = statement('pm_billing_periods_v1', (s) => `${selectPeriods(s)} ORDER BY index`);

/** Reads the periods of a subscription. */
export function selectPeriods(s: string): string {
  return `SELECT subscription_id, index, starts_at, ends_at, invoice_id, is_billed
    FROM ${s}.billing_periods WHERE account_id = $1 AND livemode = $2 AND subscription_id = $3`;
}

/** Subscriptions on PostgreSQL. */
export function subscriptionRows(session: Session): SubscriptionRepository {
  const read = async (by: Statement, owner: Owner, ...more: readonly unknown[]) => {
    const values = [owner.accountId, livemode(owner.environment), ...more];
    return (await session.query<SubscriptionRow>(by, values)).rows.map(toSubscription);
  };
  return {
    findMany: (owner, ids) => read(findMany, owner, ids),
    find: async (owner, id) => (await read(findMany, owner, [id]))[0],
    findByItem: async (owner, id) => (await read(findByItem, owner, id))[0],
    findForUpdate: async (owner, id) =>
      withHeldClock(session, (await read(findForUpdate, owner, id))[0]),
    async takeDue(due, now) {
      const values = [due.accountId, livemode(due.environment), due.id, now];
      const [row] = (await session.query<TakenRow>(takeDue, values)).rows;
      return row && toTaken(row);
    },
    async settleDispute({ accountId, environment }, id) {
      await session.query(settleDispute, [accountId, livemode(environment), id]);
    },
    async countLive({ accountId, environment }, customerId) {
      const values = [accountId, livemode(environment), customerId];
      const { rows } = await session.query<{ count: number }>(countLive, values);
      return rows[0]?.count ?? 0;
    },
    async periodsOf({ accountId, environment }, id) {
      const values = [accountId, livemode(environment), id];
      return (await session.query<PeriodRow>(periodsOf, values)).rows.map(toPeriod);
    },
    async list(owner, filter, page) {
      const { schema } = session.statements;
      const listed = {
        table: 'subscriptions',
        columns: [...SUBSCRIPTION_COLUMNS, clockColumns(schema, 't')],
        order: 'created',
        within: (query: Knex.QueryBuilder) => {
          whereOwned(query, owner);
          whereOnClock(query, filter.clock, { isOfOne: filter.customerId !== undefined });
        },
        narrow: (query: Knex.QueryBuilder) => {
          whereStatus(query, filter.status);
          whereEqual(query, 'customer_id', filter.customerId);
          whereEqual(query, 'collection_method', filter.collectionMethod);
          whereCreated(query, filter.created);
          if (filter.priceId !== undefined) {
            query.whereRaw(
              `EXISTS (SELECT FROM ${schema}.subscription_items i WHERE i.account_id = t.account_id
                AND i.livemode = t.livemode AND i.price_id = ? AND i.subscription_id = t.id)`,
              [filter.priceId],
            );
          }
        },
      } as const;
      return readPage(session, listed, page, toSubscription);
    },
  };
}

type Status = Parameters<SubscriptionRepository['list']>[1]['status'];

/** Without a status, what is canceled is left out, as at Stripe. */
function whereStatus(query: Knex.QueryBuilder, status: Status): void {
  if (status === 'all') return;
  if (status === undefined) query.whereNot('status', 'canceled');
  else if (status === 'ended') query.whereIn('status', ['canceled', 'incomplete_expired']);
  else query.where('status', status);
}

/** The subscription of a row. */
export function toSubscription(row: SubscriptionRow): Subscription {
  const { items, calendar, period, trial, pendingUpdate, pauseCollection, ...rest } =
    subscriptionFacts.read(row, {});
  return {
    ...rest,
    ...withDates({ items, calendar, period, trial, pendingUpdate, pauseCollection }),
    ...toClocked(row),
    ...toState(row),
    nextActionAt: row.next_action_at,
    isWoken: rest.isWoken || isWokenBefore(row, rest.created),
    ...(row.failing !== null && { failing: row.failing }),
  };
}

/** The objects of a subscription are on its test clock. */
function toTaken(row: TakenRow): TakenSubscription {
  const { clock_time = null, clock_advancing = null } = row;
  const clock = { clock_time, clock_advancing };
  const customer = customers.read(row);
  const method = methods.read(row);
  const price = prices.read(row);
  return {
    subscription: toSubscription(row),
    isDisputed: row.is_disputed,
    hasWaitingItems: row.has_waiting_items,
    ...(customer && { customer: toCustomer({ ...customer, ...clock }) }),
    ...(method && { method: toPaymentMethod({ ...method, ...clock }) }),
    ...(price && { price: toPrice(price) }),
  };
}

/** A process of the previous version wakes a subscription by this time alone. */
function isWokenBefore({ next_action_at: next }: SubscriptionRow, created: Date): boolean {
  return next !== null && next.getTime() === created.getTime();
}

/** The fields of its state besides the status. */
function toStored(subscription: Subscription): object {
  switch (subscription.status) {
    case 'incomplete':
      return { expiresAt: subscription.expiresAt };
    case 'past_due':
    case 'unpaid':
      return { dunning: subscription.dunning };
    case 'paused':
      return { pausedAt: subscription.pausedAt };
    case 'incomplete_expired':
    case 'canceled':
      return { endedAt: subscription.endedAt };
    case 'trialing':
    case 'active':
      return {};
  }
}

/** The table's CHECK ensures that each state has exactly its own fields. */
function toState({ status, state }: SubscriptionRow): SubscriptionState {
  return { status, ...withDates(state) } as SubscriptionState;
}

/** The period of a row. */
export function toPeriod(row: PeriodRow): BillingPeriod {
  return {
    subscriptionId: row.subscription_id,
    index: row.index,
    start: row.starts_at,
    end: row.ends_at,
    invoiceId: row.invoice_id,
    isBilled: row.is_billed,
  };
}
