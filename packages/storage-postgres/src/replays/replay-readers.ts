import {
  MAX_LOOKED_THROUGH,
  type Replay,
  type ReplayDirectory,
  type ReplayProgress,
  type ReplayReader,
} from '@paymount/core/events';
import { livemode, type ReplayId } from '@paymount/core/kernel';
import type { Knex } from 'knex';
import { statement } from '../connection/statement.ts';
import {
  readPage,
  whereCreated,
  whereEqual,
  whereFiltered,
  whereInAdminScope,
  whereOwned,
} from '../shared/list-page.ts';
import type { Session } from '../transaction/session.ts';
import { REPLAY_LIST, REPLAY_NAMES, type ReplayRow, toReplay, waitingSql } from './replay-rows.ts';

const find = statement(
  'pm_replays_find_v4',
  (s) => `SELECT ${REPLAY_LIST} FROM ${s}.replays WHERE id = $1`,
);
/** The server compares the owner, so that a foreign id takes no longer than one that does not exist. */
const findOwned = statement(
  'pm_replays_find_owned_v2',
  (s) => `SELECT ${REPLAY_LIST} FROM ${s}.replays
    WHERE id = $1 AND account_id = $2 AND livemode = $3`,
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

/** The replays of one account and environment. */
export function replayReader(session: Session): ReplayReader {
  return {
    async find({ accountId, environment }, id) {
      const values = [id, accountId, livemode(environment)];
      const [row] = (await session.query<ReplayRow>(findOwned, values)).rows;
      return row && toReplay(row);
    },
    async list(owner, { status, created, createdBy }, page) {
      const listed = {
        table: 'replays',
        columns: REPLAY_NAMES,
        order: 'created',
        within: (query: Knex.QueryBuilder) => whereOwned(query, owner),
        narrow: (query: Knex.QueryBuilder) => {
          whereEqual(query, 'status', status);
          whereCreated(query, created);
          if (createdBy !== undefined) query.whereRaw(`created_by ->> 'id' = ?`, [createdBy]);
        },
      } as const;
      return readPage(session, listed, page, toReplay);
    },
    progress: (id) => readProgress(session, id),
  };
}

/** Lists of replays, for admins. */
export function replayDirectory(session: Session): ReplayDirectory {
  return {
    find: (id) => findReplay(session, id),
    async list(scope, filter, page) {
      const listed = {
        table: 'replays',
        columns: REPLAY_NAMES,
        within: (query: Knex.QueryBuilder) => whereInAdminScope(query, scope),
        narrow: (query: Knex.QueryBuilder) => {
          whereFiltered(query, filter);
          whereCreated(query, filter.created);
        },
      };
      return readPage(session, listed, page, toReplay);
    },
    progress: (id) => readProgress(session, id),
  };
}

async function findReplay(session: Session, id: ReplayId): Promise<Replay | undefined> {
  const [row] = (await session.query<ReplayRow>(find, [id])).rows;
  return row && toReplay(row);
}

async function readProgress(session: Session, id: ReplayId): Promise<ReplayProgress> {
  const [row] = (await session.query<ReplayProgress>(progress, [id])).rows;
  return row ?? { pending: 0, newest: 0, succeeded: 0, failed: 0, canceled: 0 };
}
