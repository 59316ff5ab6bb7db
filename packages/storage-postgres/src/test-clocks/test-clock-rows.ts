import { livemode } from '@paymount/core/kernel';
import {
  HOOK_WAIT_MS,
  type TestClock,
  type TestClockDirectory,
  type TestClockFacts,
  type TestClockReader,
  type TestClockRepository,
  type TestClockState,
} from '@paymount/core/payments';
import type { Knex } from 'knex';
import { statement } from '../connection/statement.ts';
import { unansweredSince } from '../operations/operation-rows.ts';
import { filtersWithin, findForAdmin } from '../shared/admin-rows.ts';
import { column, columnNames, type Table } from '../shared/columns.ts';
import { facts, type StoredRow } from '../shared/facts-of-row.ts';
import {
  readPage,
  whereCreated,
  whereEqual,
  whereFiltered,
  whereInAdminScope,
  whereOwned,
} from '../shared/list-page.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';

const clockFacts = facts<TestClockFacts>({
  name: 'text',
  // Workers move it, and changes leave it alone.
  frozenTime: 'fixed timestamptz',
  created: 'fixed timestamptz',
  createdBy: 'optional fixed jsonb',
  deletedAt: 'optional timestamptz',
});

/** A change ends the wait of a clock that was given back. */
export const testClockTable: Table<TestClock> = {
  name: 'test_clocks',
  code: 'ic',
  columns: [
    ...clockFacts.columns,
    column('status', 'text', (clock) => clock.status),
    column('target_time', 'timestamptz', (clock) =>
      clock.status === 'advancing' ? clock.targetTime : null,
    ),
    column('failure', 'text', (clock) =>
      clock.status === 'internal_failure' ? clock.failure : null,
    ),
    column('failures', 'integer', () => 0),
    column('lease_until', 'timestamptz', () => null),
    column('review_since', 'timestamptz', (clock) =>
      clock.status === 'advancing' ? (clock.reviewSince ?? null) : null,
    ),
  ],
};

export interface TestClockRow extends StoredRow {
  readonly status: TestClock['status'];
  readonly target_time: Date | null;
  readonly failure: string | null;
  readonly review_since: Date | null;
  readonly unanswered_since: Date | null;
  readonly deleted_at: Date | null;
}

const COLUMNS = columnNames(testClockTable);

/**
 * What a clock is read from. Since when it waits for an answer is known from its operations.
 * @param s the schema's quoted name; `row`: the table's name or alias
 */
export const testClockColumns = (s: string, row = 'test_clocks'): readonly string[] => [
  ...COLUMNS,
  `CASE WHEN status = 'advancing' THEN ${unansweredSince(s, `${row}.id`)} END AS unanswered_since`,
];
const OWNED = 'account_id = $1 AND livemode = $2';

const find = statement(
  'pm_clocks_find_v4',
  (s) =>
    `SELECT ${testClockColumns(s).join(', ')} FROM ${s}.test_clocks WHERE ${OWNED} AND id = $3`,
);
const findForUpdate = statement(
  'pm_clocks_lock_v4',
  (s) => `SELECT ${testClockColumns(s).join(', ')} FROM ${s}.test_clocks
    WHERE ${OWNED} AND id = $3 FOR NO KEY UPDATE`,
);
const count = statement(
  'pm_clocks_count_v1',
  (s) => `SELECT count(*)::integer AS count FROM ${s}.test_clocks
    WHERE ${OWNED} AND deleted_at IS NULL`,
);
const countCustomers = statement(
  'pm_clocks_count_customers_v1',
  (s) => `SELECT count(*)::integer AS count FROM ${s}.customers
    WHERE ${OWNED} AND test_clock_id = $3 AND deleted_at IS NULL`,
);
const shows = statement(
  'pm_clocks_shows_v1',
  (s) => `SELECT id FROM ${s}.test_clocks
    WHERE ${OWNED} AND id = $3 AND frozen_time = $4 FOR SHARE`,
);

const forgetPlanned = statement(
  'pm_clocks_forget_planned_v1',
  (s) => `DELETE FROM ${s}.sandbox_notices WHERE test_clock_id = $1`,
);

/** Test clocks on PostgreSQL. */
export function testClockRows(session: Session): TestClockReader & TestClockRepository {
  const number = async (of: typeof count, values: unknown[]): Promise<number> =>
    (await session.query<{ count: number }>(of, values)).rows[0]?.count ?? 0;
  const first = async (of: typeof find, values: unknown[]): Promise<TestClock | undefined> => {
    const [row] = (await session.query<TestClockRow>(of, values)).rows;
    return row && toTestClock(row);
  };
  return {
    find: (owner, id) => first(find, [owner.accountId, livemode(owner.environment), id]),
    findForUpdate: (owner, id) =>
      first(findForUpdate, [owner.accountId, livemode(owner.environment), id]),
    count: (owner) => number(count, [owner.accountId, livemode(owner.environment)]),
    countCustomers: (owner, id) =>
      number(countCustomers, [owner.accountId, livemode(owner.environment), id]),
    async shows({ accountId, environment, id }, now) {
      const { rows } = await session.query(shows, [accountId, livemode(environment), id, now]);
      return rows.length > 0;
    },
    async forgetPlanned(id) {
      await session.query(forgetPlanned, [id]);
    },
    async list(owner, filter, page) {
      const listed = {
        table: 'test_clocks',
        columns: testClockColumns(session.statements.schema, 't'),
        order: 'created',
        // A clock that is deleted between two pages stays a cursor.
        within: (query: Knex.QueryBuilder) => whereOwned(query, owner),
        narrow: (query: Knex.QueryBuilder) =>
          whereCreated(query.whereNull('deleted_at'), filter.created),
      } as const;
      return readPage(session, listed, page, toTestClock);
    },
  };
}

const hookWaits = statement(
  'pm_clocks_hook_waits_v1',
  (s) => `SELECT count(*)::integer AS count FROM ${s}.test_clocks WHERE status = 'advancing'
    AND review_since < statement_timestamp()
      + ($1::double precision - ${HOOK_WAIT_MS}) * interval '1 ms'`,
);

/** Lists of test clocks, for operators. @param clock its offset is added to the database's time */
export function testClockDirectory(
  session: Session,
  clock: { readonly shiftMs: number },
): TestClockDirectory {
  const table = {
    name: 'test_clocks',
    columns: testClockColumns(session.statements.schema, 't'),
  } as const;
  return {
    async hookWaits() {
      const { rows } = await session.query<{ count: number }>(hookWaits, [clock.shiftMs]);
      return rows[0]?.count ?? 0;
    },
    async find(scope, id) {
      const within = filtersWithin(scope);
      const row = await findForAdmin<TestClockRow>(session, table, within, id);
      return row && row.deleted_at === null ? toTestClock(row) : undefined;
    },
    async list(scope, filter, page) {
      const { status, ...rest } = filter;
      const listed = {
        table: table.name,
        columns: table.columns,
        within: (query: Knex.QueryBuilder) => whereInAdminScope(query, scope),
        narrow: (query: Knex.QueryBuilder) => {
          query.whereNull('deleted_at');
          whereFiltered(query, rest);
          whereEqual(query, 'status', status);
        },
      };
      return readPage(session, listed, page, toTestClock);
    },
  };
}

/** The clock of a row. */
export function toTestClock(row: TestClockRow): TestClock {
  return clockFacts.read(row, toState(row));
}

/** The table's CHECK ensures that each state has exactly its own columns. */
function toState(row: TestClockRow): TestClockState {
  switch (row.status) {
    case 'ready':
      return { status: 'ready' };
    case 'advancing':
      return {
        status: 'advancing',
        targetTime: row.target_time as Date,
        ...present({ reviewSince: row.review_since, unansweredSince: row.unanswered_since }),
      };
    case 'internal_failure':
      return { status: 'internal_failure', failure: row.failure as string };
  }
}
