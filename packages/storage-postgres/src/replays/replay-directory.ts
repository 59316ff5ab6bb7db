import {
  MAX_LOOKED_THROUGH,
  type ReplayDirectory,
  type ReplayProgress,
} from '@paymount/core/events';
import type { Knex } from 'knex';
import type { Session } from '../session.ts';
import { readPage, whereFiltered, whereInAdminScope } from '../shared/list-page.ts';
import { statement } from '../shared/statement.ts';
import { REPLAY_LIST, REPLAY_NAMES, type ReplayRow, toReplay, waitingSql } from './replay-rows.ts';

const find = statement(
  'pm_replays_find_v1',
  (s) => `SELECT ${REPLAY_LIST} FROM ${s}.replays WHERE id = $1`,
);
const progress = statement(
  'pm_replays_progress_v1',
  (s) => `SELECT (SELECT count(*)::integer FROM ${waitingSql(s)}) AS pending,
      count(*)::integer AS newest,
      count(*) FILTER (WHERE state = 'succeeded')::integer AS succeeded,
      count(*) FILTER (WHERE state = 'failed')::integer AS failed,
      count(*) FILTER (WHERE state = 'canceled')::integer AS canceled
    FROM (SELECT state FROM ${s}.deliveries WHERE replay_id = $1
      ORDER BY id DESC LIMIT ${MAX_LOOKED_THROUGH}) d`,
);

/** Lists of replays, for admins. */
export function replayDirectory(session: Session): ReplayDirectory {
  return {
    async find(id) {
      const [row] = (await session.query<ReplayRow>(find, [id])).rows;
      return row && toReplay(row);
    },
    async list(scope, filter, page) {
      const listed = {
        table: 'replays',
        columns: REPLAY_NAMES,
        within: (query: Knex.QueryBuilder) => whereInAdminScope(query, scope),
        narrow: (query: Knex.QueryBuilder) => whereFiltered(query, filter),
      };
      const found = await readPage<ReplayRow>(session, listed, page);
      return { ...found, data: found.data.map(toReplay) };
    },
    async progress(id) {
      const [row] = (await session.query<ReplayProgress>(progress, [id])).rows;
      return row ?? { pending: 0, newest: 0, succeeded: 0, failed: 0, canceled: 0 };
    },
  };
}
