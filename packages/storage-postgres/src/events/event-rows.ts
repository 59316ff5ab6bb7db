import type {
  ApiVersion,
  Event,
  EventFilter,
  EventReader,
  EventType,
  StoredEvent,
} from '@paymount/core/changes';
import { EVENT_TYPES } from '@paymount/core/changes';
import type { AccountId, EventId, Owner, RequestId } from '@paymount/core/kernel';
import { environmentOf, livemode } from '@paymount/core/kernel';
import type { Knex } from 'knex';
import { statement } from '../connection/statement.ts';
import { whereOnClock } from '../shared/clocked-list.ts';
import {
  type Listed,
  readPage,
  whereCreated,
  whereEqual,
  whereOwned,
} from '../shared/list-page.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';

export interface EventRow {
  readonly id: EventId;
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly type: EventType;
  readonly api_version: ApiVersion;
  readonly created: Date;
  readonly object_id: string;
  readonly object_version: bigint;
  readonly body: string | null;
  readonly source: Event['source'];
  readonly request_id: RequestId | null;
  readonly expunged_at: Date | null;
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
  'expunged_at',
];

const find = statement(
  'pm_events_find_v2',
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
  'pm_events_find_all_v2',
  (s) => `SELECT ${EVENT_COLUMNS.join(', ')} FROM ${s}.events
    WHERE account_id = $1 AND livemode = $2 AND id = ANY ($3::text[])
      AND expunged_at IS NULL AND ($4::text[] IS NULL OR type = ANY ($4)) ORDER BY id`,
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
        within: (query: Knex.QueryBuilder) => {
          whereOwned(query, owner);
          whereOnClock(query, filter.clock, { isOfOne: filter.objectId !== undefined });
        },
        ...(filter.deliverySuccess === false &&
        filter.objectId === undefined &&
        filter.clock === undefined
          ? undeliveredEvents(session.statements.schema, owner, filter)
          : filteredEvents(session.statements.schema, filter)),
      } as const;
      return readPage(session, listed, page, toEvent);
    },
    async idsAfter({ accountId, environment }, after, limit) {
      const values = [accountId, livemode(environment), after, limit];
      const { rows } = await session.query<Pick<EventRow, 'id'>>(idsAfter, values);
      return rows.map(({ id }) => id);
    },
    async findAll({ accountId, environment }, ids, types) {
      const values = [accountId, livemode(environment), ids, types ?? null];
      const events = (await session.query<EventRow>(findAll, values)).rows.map(toEvent);
      return events.filter((event) => 'body' in event);
    },
  };
}

/** The catalogue of types is fixed and short: each has a range of the index. */
function filteredEvents(
  schema: string,
  { objectId, created, deliverySuccess, types = EVENT_TYPES, clock }: EventFilter,
): Pick<Listed, 'narrow' | 'ranges'> {
  return {
    narrow(query) {
      whereEqual(query, 'object_id', objectId);
      if (clock !== undefined) query.whereIn('type', [...types]);
      whereCreated(query, created);
      if (deliverySuccess !== undefined) {
        query.whereRaw(`${deliverySuccess ? 'NOT ' : ''}EXISTS (
          SELECT FROM ${schema}.deliveries d WHERE d.event_id = t.id AND ${undelivered(schema, 'd')})`);
      }
    },
    // What is on a clock is one range of an index of its own.
    ...(clock === undefined && {
      ranges: {
        sql: 'SELECT type FROM unnest(?::text[]) AS y (type)',
        bindings: [[...types]],
        on: 't.type = p.type',
      },
    }),
  };
}

/**
 * Events that an endpoint has not received, by the index of such deliveries, which are few. A
 * delivery is created with its event. Of several deliveries of an event, the first stands for it.
 */
function undeliveredEvents(
  schema: string,
  { accountId, environment }: Owner,
  { created, types = EVENT_TYPES }: EventFilter,
): Pick<Listed, 'narrow' | 'ranges'> {
  return {
    narrow: (query) => whereCreated(query, created),
    ranges: {
      sql: `SELECT ?::text AS account_id, ?::boolean AS livemode, y.type
        FROM unnest(?::text[]) AS y (type)`,
      bindings: [accountId, livemode(environment), [...types]],
      keys: `SELECT d.event_id AS id, d.created FROM ${schema}.deliveries d
        WHERE d.account_id = p.account_id AND d.livemode = p.livemode AND d.event_type = p.type
          AND ${undelivered(schema, 'd')} AND NOT EXISTS (SELECT FROM ${schema}.deliveries o
            WHERE o.event_id = d.event_id AND o.id < d.id AND ${undelivered(schema, 'o')} OFFSET 0)
          AND NOT EXISTS (SELECT FROM ${schema}.events c WHERE (c.account_id, c.livemode, c.id)
            = (d.account_id, d.livemode, d.event_id) AND c.test_clock_id IS NOT NULL OFFSET 0)`,
      on: 'true',
    },
  };
}

/**
 * A delivery of an event to an endpoint that has not received it: neither this delivery nor a
 * replay there succeeded. `OFFSET 0` keeps PostgreSQL from reading all replays to answer it.
 */
function undelivered(schema: string, alias: string): string {
  return `${alias}.origin = 'event' AND ${alias}.state <> 'succeeded' AND ${alias}.event_id > ''
    AND NOT EXISTS (
    SELECT FROM ${schema}.deliveries r WHERE r.event_id = ${alias}.event_id
      AND r.endpoint_id = ${alias}.endpoint_id AND r.origin = 'replay' AND r.state = 'succeeded'
    OFFSET 0)`;
}

/** The event of a row. */
export function toEvent(row: EventRow): StoredEvent {
  const facts = {
    id: row.id,
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    type: row.type,
    apiVersion: row.api_version,
    created: row.created,
    objectId: row.object_id,
    objectVersion: Number(row.object_version),
    source: row.source,
    ...present({ requestId: row.request_id }),
  };
  if (row.body !== null) return { ...facts, body: row.body };
  if (row.expunged_at !== null) return { ...facts, expungedAt: row.expunged_at };
  throw new Error(`Event ${row.id} has no body, and is not expunged.`);
}
