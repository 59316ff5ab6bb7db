import { type Environment, isAccountInAdminScope, livemode } from '@paymount/core/kernel';
import type { NoticeDirectory, NoticeFilter, NoticeReviewCount } from '@paymount/core/payments';
import type { Knex } from 'knex';
import type { Session } from '../session.ts';
import {
  readPage,
  whereCreated,
  whereEqual,
  whereFiltered,
  whereInAdminScope,
} from '../shared/list-page.ts';
import { statement } from '../shared/statement.ts';
import { NOTICE_COLUMNS, type NoticeRow, toStoredNotice } from './notice-rows.ts';

const find = statement(
  'pm_notices_find_v1',
  (s) => `SELECT ${NOTICE_COLUMNS.join(', ')} FROM ${s}.notices WHERE id = $1`,
);
const countReviews = statement(
  'pm_notices_review_v1',
  (s) => `SELECT livemode, count(*)::integer AS count, min(review_since) AS since
    FROM ${s}.notices WHERE state = 'quarantined' GROUP BY livemode`,
);

interface ReviewRow {
  readonly livemode: boolean;
  readonly count: number;
  readonly since: Date;
}

/** Lists of notices, for operators. */
export function noticeDirectory(session: Session): NoticeDirectory {
  return {
    async find(scope, id) {
      const [row] = (await session.query<NoticeRow>(find, [id])).rows;
      if (row === undefined || !scope.environments.includes(row.livemode ? 'live' : 'test')) {
        return undefined;
      }
      const isSeen =
        row.account_id === null
          ? scope.accounts === 'all'
          : isAccountInAdminScope(scope, row.account_id);
      return isSeen ? toStoredNotice(row) : undefined;
    },
    async list(scope, filter, page) {
      const listed = {
        table: 'notices',
        columns: NOTICE_COLUMNS,
        // Those without an account are in no list of accounts.
        within: (query: Knex.QueryBuilder) => whereInAdminScope(query, scope),
        narrow: (query: Knex.QueryBuilder) => {
          whereFiltered(query, filter);
          whereEqual(query, 'state', stateOf(filter));
          whereEqual(query, 'kind', filter.kind);
          whereEqual(query, 'processor', filter.processor);
          whereCreated(query, filter.created);
        },
      };
      const found = await readPage<NoticeRow>(session, listed, page);
      return { ...found, data: found.data.map(toStoredNotice) };
    },
    async underReview() {
      const { rows } = await session.query<ReviewRow>(countReviews, []);
      const countFor = (environment: Environment): NoticeReviewCount => {
        const row = rows.find((each) => each.livemode === livemode(environment));
        return row === undefined ? { count: 0 } : { count: row.count, since: row.since };
      };
      return { live: countFor('live'), test: countFor('test') };
    },
  };
}

function stateOf({ state = 'review' }: NoticeFilter): string | undefined {
  if (state === 'any') return undefined;
  return state === 'review' ? 'quarantined' : state;
}
