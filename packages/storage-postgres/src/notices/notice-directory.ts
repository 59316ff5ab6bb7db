import { type Environment, isAccountInAdminScope, livemode } from '@paymount/core/kernel';
import {
  HOOK_WAIT_MS,
  type NoticeDirectory,
  type NoticeFilter,
  type NoticeReviewCount,
} from '@paymount/core/payments';
import type { Knex } from 'knex';
import { statement } from '../connection/statement.ts';
import {
  readPage,
  whereCreated,
  whereEqual,
  whereFiltered,
  whereInAdminScope,
} from '../shared/list-page.ts';
import type { Session } from '../transaction/session.ts';
import { NOTICE_COLUMNS, type NoticeRow, toStoredNotice } from './notice-rows.ts';

const find = statement(
  'pm_notices_find_v1',
  (s) => `SELECT ${NOTICE_COLUMNS.join(', ')} FROM ${s}.notices WHERE id = $1`,
);
/**
 * Quarantined, or refused by the hook for too long. The first condition is that of the index
 * `notices_review`. @param shift milliseconds, as SQL
 */
function underReview(shift: string): string {
  return `(review_since IS NOT NULL AND (state = 'quarantined'
    OR review_since < statement_timestamp() + (${shift} - ${HOOK_WAIT_MS}) * interval '1 ms'))`;
}

const countReviews = statement(
  'pm_notices_review_v2',
  (s) => `SELECT livemode, count(*)::integer AS count,
      (count(*) FILTER (WHERE state = 'waiting'))::integer AS hook_waits,
      min(review_since) AS since
    FROM ${s}.notices WHERE ${underReview('$1::double precision')} GROUP BY livemode`,
);

interface ReviewRow {
  readonly livemode: boolean;
  readonly count: number;
  readonly hook_waits: number;
  readonly since: Date;
}

/** Lists of notices, for operators. @param clock its offset is added to the database's time */
export function noticeDirectory(
  session: Session,
  clock: { readonly shiftMs: number },
): NoticeDirectory {
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
          whereState(query, filter, clock.shiftMs);
          whereEqual(query, 'kind', filter.kind);
          whereEqual(query, 'processor', filter.processor);
          whereCreated(query, filter.created);
        },
      };
      return readPage(session, listed, page, toStoredNotice);
    },
    async underReview() {
      const { rows } = await session.query<ReviewRow>(countReviews, [clock.shiftMs]);
      const countFor = (environment: Environment): NoticeReviewCount => {
        const row = rows.find((each) => each.livemode === livemode(environment));
        if (row === undefined) return { count: 0, hookWaits: 0 };
        return { count: row.count, hookWaits: row.hook_waits, since: row.since };
      };
      return { live: countFor('live'), test: countFor('test') };
    },
  };
}

function whereState(
  query: Knex.QueryBuilder,
  { state = 'review' }: NoticeFilter,
  shiftMs: number,
): void {
  if (state === 'review') query.whereRaw(underReview('?::double precision'), [shiftMs]);
  else if (state !== 'any') query.where({ state });
}
