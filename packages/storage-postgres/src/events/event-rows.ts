import type { ApiVersion, Event, EventReader, EventType } from '@paymount/core/changes';
import { EVENT_TYPES } from '@paymount/core/changes';
import type { AccountId, EventId, RequestId } from '@paymount/core/kernel';
import { environmentOf, livemode } from '@paymount/core/kernel';
import type { Knex } from 'knex';
import type { Session } from '../session.ts';
import {
  type Ranges,
  readPage,
  whereCreated,
  whereEqual,
  whereOwned,
} from '../shared/list-page.ts';
import { present } from '../shared/present-rows.ts';
import { statement } from '../shared/statement.ts';

export interface EventRow {
  readonly id: EventId;
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly type: EventType;
  readonly api_version: ApiVersion;
  readonly created: Date;
  readonly object_id: string;
  readonly object_version: bigint;
  readonly body: string;
  readonly source: Event['source'];
  readonly request_id: RequestId | null;
}

export const EVENT_COLUMNS = [
  'id',
  'account_id',
  'livemode',
  'type',
  'api_version',
  'created',
  'object_id',
  'object_version',
  'body',
  'source',
  'request_id',
];

const find = statement(
  'pm_events_find_v1',
  (s) => `SELECT ${EVENT_COLUMNS.join(', ')} FROM ${s}.events
    WHERE account_id = $1 AND livemode = $2 AND id = $3`,
);

/** Reads only the index of the primary key. */
const idsAfter = statement(
  'pm_events_ids_after_v1',
  (s) => `SELECT id FROM ${s}.events
    WHERE account_id = $1 AND livemode = $2 AND id > $3 ORDER BY id LIMIT $4`,
);

const findAll = statement(
  'pm_events_find_all_v1',
  (s) => `SELECT ${EVENT_COLUMNS.join(', ')} FROM ${s}.events
    WHERE account_id = $1 AND livemode = $2 AND id = ANY ($3::text[])
      AND ($4::text[] IS NULL OR type = ANY ($4)) ORDER BY id`,
);

/** Events on PostgreSQL. There is no writer: changes record them. */
export function eventRows(session: Session): EventReader {
  return {
    async find(owner, id) {
      const values = [owner.accountId, livemode(owner.environment), id];
      const [row] = (await session.query<EventRow>(find, values)).rows;
      return row && toEvent(row);
    },
    async list(owner, filter, page) {
      const listed = {
        table: 'events',
        columns: EVENT_COLUMNS,
        order: 'created',
        within: (query: Knex.QueryBuilder) => whereOwned(query, owner),
        narrow: (query: Knex.QueryBuilder) => {
          whereEqual(query, 'object_id', filter.objectId);
          whereCreated(query, filter.created);
          whereDelivered(query, session.statements.schema, filter.deliverySuccess);
        },
        ranges: toRanges(filter.types ?? EVENT_TYPES),
      } as const;
      const found = await readPage<EventRow>(session, listed, page);
      return { ...found, data: found.data.map(toEvent) };
    },
    async idsAfter({ accountId, environment }, after, limit) {
      const values = [accountId, livemode(environment), after, limit];
      const { rows } = await session.query<Pick<EventRow, 'id'>>(idsAfter, values);
      return rows.map(({ id }) => id);
    },
    async findAll({ accountId, environment }, ids, types) {
      const values = [accountId, livemode(environment), ids, types ?? null];
      return (await session.query<EventRow>(findAll, values)).rows.map(toEvent);
    },
  };
}

/** The catalogue of types is fixed and short. */
function toRanges(types: readonly EventType[]): Ranges {
  return {
    sql: 'SELECT type FROM unnest(?::text[]) AS y (type)',
    bindings: [[...types]],
    on: 't.type = p.type',
  };
}

/** An event without deliveries counts as delivered: no endpoint waits for it. */
function whereDelivered(query: Knex.QueryBuilder, schema: string, wanted?: boolean): void {
  if (wanted === undefined) return;
  query.whereRaw(`${wanted ? 'NOT ' : ''}EXISTS (SELECT FROM ${schema}.deliveries d
    WHERE d.event_id = t.id AND d.origin = 'event' AND d.state <> 'succeeded')`);
}

/** The event of a row. */
export function toEvent(row: EventRow): Event {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    type: row.type,
    apiVersion: row.api_version,
    created: row.created,
    objectId: row.object_id,
    objectVersion: Number(row.object_version),
    body: row.body,
    source: row.source,
    ...present({ requestId: row.request_id }),
  };
}
