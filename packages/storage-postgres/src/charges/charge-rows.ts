import { livemode } from '@paymount/core/kernel';
import type { Charge, ChargeRepository } from '@paymount/core/payments';
import type { Knex } from 'knex';
import { type Statement, statement } from '../connection/statement.ts';
import { whereOnClock } from '../shared/clocked-list.ts';
import { column, columnNames, derived, fixed, json, type Table } from '../shared/columns.ts';
import { readPage, whereCreated, whereEqual, whereOwned } from '../shared/list-page.ts';
import { clockColumns, withHeldClock } from '../test-clocks/object-clock.ts';
import type { Session } from '../transaction/session.ts';
import { type ChargeRow, chargeFacts, toCharge } from './charge-row.ts';
import { whereStatus } from './charge-status.ts';

const asGiven = (value: string): string => value;

export const chargeTable: Table<Charge> = {
  name: 'charges',
  code: 'c',
  columns: [
    ...chargeFacts.columns,
    column('status', 'text', (charge) => charge.status),
    column('amount_captured', 'bigint', (charge) =>
      charge.status === 'succeeded' ? charge.amountCaptured : 0,
    ),
    column('capture_before', 'timestamptz', (charge) =>
      charge.status === 'authorized' ? charge.captureBefore : null,
    ),
    column('captured_at', 'timestamptz', (charge) =>
      charge.status === 'succeeded' ? charge.capturedAt : null,
    ),
    column('canceled_at', 'timestamptz', (charge) =>
      charge.status === 'canceled' ? charge.canceledAt : null,
    ),
    column('balance_transaction_id', 'text', (charge) =>
      charge.status === 'succeeded' ? charge.balanceTransactionId : null,
    ),
    column('failure', 'jsonb', (charge) =>
      charge.status === 'failed' ? json(charge.failure) : null,
    ),
    fixed('card', 'jsonb', ({ method }) => (method.type === 'card' ? json(method.card) : null)),
    fixed('us_bank_account', 'jsonb', ({ method }) =>
      method.type === 'us_bank_account' ? json(method.usBankAccount) : null,
    ),
    fixed('test_clock_id', 'text', (charge) => charge.clock?.id ?? null),
    // No charge begins with a dispute, so inserts leave them out.
    derived('dispute_id', { type: 'text', of: (charge) => charge.dispute?.id ?? null }, asGiven),
    derived(
      'disputed',
      { type: 'boolean', of: (charge) => charge.dispute?.isChargeback ?? false },
      asGiven,
    ),
  ],
};

export const CHARGE_COLUMNS: readonly string[] = columnNames(chargeTable);
const select = (s: string): string =>
  `SELECT ${CHARGE_COLUMNS.join(', ')}, ${clockColumns(s, 'c')} FROM ${s}.charges c`;
const BY_ID = 'WHERE account_id = $1 AND livemode = $2 AND id = $3';

const find = statement('pm_charges_find_v7', (s) => `${select(s)} ${BY_ID}`);
const findMany = statement(
  'pm_charges_find_many_v7',
  (s) => `${select(s)} WHERE account_id = $1 AND livemode = $2 AND id = ANY ($3::text[])`,
);
const findForUpdate = statement(
  'pm_charges_lock_v7',
  // Foreign keys of new refunds and operations take a weaker lock on the row, and do not wait for
  // this one.
  (s) => `${select(s)} ${BY_ID} FOR NO KEY UPDATE OF c`,
);
const findExpired = expiredStatement('pm_charges_expired_v8', 'test_clock_id IS NULL');
const findExpiredOn = expiredStatement('pm_charges_expired_on_v4', 'test_clock_id = $5');

/** @param clocked the condition on their test clock */
function expiredStatement(name: `pm_${string}`, clocked: string): Statement {
  return statement(
    name,
    (s) => `${select(s)} WHERE capture_before <= $1 AND ${clocked}
      AND (capture_before, id) > ($3::timestamptz, $4::text) AND NOT EXISTS (
      SELECT FROM ${s}.operations o
        WHERE (o.account_id, o.livemode, o.charge_id) = (c.account_id, c.livemode, c.id)
        AND o.state IN ('created', 'sent', 'unknown', 'quarantined'))
    ORDER BY capture_before, id LIMIT $2`,
  );
}

/** Charges on PostgreSQL. */
export function chargeRows(session: Session): ChargeRepository {
  return {
    async find(owner, id) {
      const values = [owner.accountId, livemode(owner.environment), id];
      return first((await session.query<ChargeRow>(find, values)).rows);
    },
    async findMany(owner, ids) {
      const values = [owner.accountId, livemode(owner.environment), ids];
      return (await session.query<ChargeRow>(findMany, values)).rows.map(toCharge);
    },
    async findForUpdate(owner, id) {
      const values = [owner.accountId, livemode(owner.environment), id];
      const found = first((await session.query<ChargeRow>(findForUpdate, values)).rows);
      return withHeldClock(session, found);
    },
    async findExpiredAuthorizations(now, limit, after, clock) {
      const values = [now, limit, after?.captureBefore ?? '-infinity', after?.id ?? ''];
      const { rows } = await (clock === undefined
        ? session.query<ChargeRow>(findExpired, values)
        : session.query<ChargeRow>(findExpiredOn, [...values, clock]));
      return rows.map(toCharge).filter((charge) => charge.status === 'authorized');
    },
    async list(owner, filter, page) {
      const listed = {
        table: 'charges',
        columns: CHARGE_COLUMNS,
        order: 'created',
        within: (query: Knex.QueryBuilder) => {
          whereOwned(query, owner);
          whereOnClock(query, filter.clock, { isOfOne: filter.customerId !== undefined });
        },
        narrow: (query: Knex.QueryBuilder) => {
          whereStatus(query, session.statements.schema, owner, filter.status);
          whereEqual(query, 'customer_id', filter.customerId);
          whereCreated(query, filter.created);
        },
      } as const;
      return readPage(session, listed, page, toCharge);
    },
  };
}

function first(rows: readonly ChargeRow[]): Charge | undefined {
  return rows[0] && toCharge(rows[0]);
}
