import type { EventType } from '@paymount/core/changes';
import type {
  ExpungeDirectory,
  ExpungePosition,
  ExpungeRepository,
  ExpungeRequest,
  ExpungeRequestId,
} from '@paymount/core/expunging';
import { type AccountId, type EventId, environmentOf, livemode } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import {
  adminPage,
  compared,
  createdWithin,
  filtersWithin,
  findForAdmin,
} from '../shared/admin-rows.ts';
import { column, fixed } from '../shared/columns.ts';
import { type BoundsRow, toBounds } from '../shared/created-bounds.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';

export interface ExpungeRow extends BoundsRow {
  readonly id: ExpungeRequestId;
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly status: ExpungeRequest['status'];
  readonly event_ids: readonly EventId[] | null;
  readonly object_id: string | null;
  readonly reason: string;
  readonly position_type: EventType | null;
  readonly position_created: Date | null;
  readonly position_event_id: EventId | null;
  readonly expunged_events: bigint;
  readonly canceled_deliveries: bigint;
  readonly expunged_attempts: bigint;
  readonly created: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly failure: string | null;
}

const bound = (name: 'gt' | 'gte' | 'lt' | 'lte') =>
  fixed<ExpungeRequest>(
    `created_${name}`,
    'timestamptz',
    ({ selection }) => selection.createdFilter?.[name] ?? null,
  );
const COLUMNS = [
  fixed<ExpungeRequest>('id', 'text', ({ id }) => id),
  fixed<ExpungeRequest>('account_id', 'text', ({ accountId }) => accountId),
  fixed<ExpungeRequest>('livemode', 'boolean', ({ environment }) => livemode(environment)),
  fixed<ExpungeRequest>('event_ids', 'text[]', ({ selection }) => selection.eventIds ?? null),
  fixed<ExpungeRequest>('object_id', 'text', ({ selection }) => selection.objectId ?? null),
  ...(['gt', 'gte', 'lt', 'lte'] as const).map(bound),
  fixed<ExpungeRequest>('reason', 'text', ({ reason }) => reason),
  fixed<ExpungeRequest>('created', 'timestamptz', ({ created }) => created),
  column<ExpungeRequest>('status', 'text', ({ status }) => status),
  column<ExpungeRequest>('position_type', 'text', (all) => positionOf(all)?.type ?? null),
  column<ExpungeRequest>(
    'position_created',
    'timestamptz',
    (all) => positionOf(all)?.created ?? null,
  ),
  column<ExpungeRequest>('position_event_id', 'text', (all) => positionOf(all)?.eventId ?? null),
  column<ExpungeRequest>('expunged_events', 'bigint', ({ counts }) => counts.events),
  column<ExpungeRequest>(
    'canceled_deliveries',
    'bigint',
    ({ counts }) => counts.canceledDeliveries,
  ),
  column<ExpungeRequest>('expunged_attempts', 'bigint', ({ counts }) => counts.attempts),
  column<ExpungeRequest>('started_at', 'timestamptz', (all) =>
    'startedAt' in all ? (all.startedAt ?? null) : null,
  ),
  column<ExpungeRequest>('finished_at', 'timestamptz', (all) =>
    'finishedAt' in all ? all.finishedAt : null,
  ),
  column<ExpungeRequest>('failure', 'text', (all) => ('failure' in all ? all.failure : null)),
];
const NAMES = COLUMNS.map(({ name }) => name);
/** For other statements on requests. */
export const EXPUNGE_LIST = NAMES.join(', ');
const CHANGING = COLUMNS.filter((each) => each.fixed !== true);
const TABLE = { name: 'expunge_requests', columns: NAMES } as const;

const insert = statement(
  'pm_expunges_insert_v1',
  (s) => `INSERT INTO ${s}.expunge_requests (${EXPUNGE_LIST})
    SELECT ${COLUMNS.map(({ type }, index) => `$${index + 1}::${type}`).join(', ')}`,
);
const update = statement(
  'pm_expunges_update_v1',
  (s) => `UPDATE ${s}.expunge_requests SET looked_at = $2,
      ${CHANGING.map(({ name, type }, index) => `${name} = $${index + 3}::${type}`).join(', ')}
    WHERE id = $1`,
);
const missingEvent = statement(
  'pm_expunges_missing_event_v1',
  (s) => `SELECT n.id FROM unnest($3::text[]) WITH ORDINALITY AS n (id, place)
    WHERE NOT EXISTS (SELECT FROM ${s}.events v
      WHERE v.account_id = $1 AND v.livemode = $2 AND v.id = n.id OFFSET 0)
    ORDER BY n.place LIMIT 1`,
);
const eventsOf = statement(
  'pm_expunges_events_of_v1',
  (s) => `SELECT v.id FROM ${s}.events v
    WHERE v.account_id = $1 AND v.livemode = $2 AND v.object_id = $3 LIMIT 1`,
);

/** Requests within a transaction. */
export function expungeRepository(session: Session): ExpungeRepository {
  return {
    async missingEvent({ accountId, environment }, ids) {
      if (ids.length === 0) return undefined;
      const values = [accountId, livemode(environment), ids];
      return (await session.query<{ id: EventId }>(missingEvent, values)).rows[0]?.id;
    },
    async hasEventsOf({ accountId, environment }, objectId) {
      const values = [accountId, livemode(environment), objectId];
      return (await session.query(eventsOf, values)).rows.length > 0;
    },
    async insert(request) {
      await session.query(
        insert,
        COLUMNS.map(({ of }) => of(request)),
      );
    },
  };
}

/** Writes status, progress and times; the caller holds the lock. */
export async function saveExpunge(session: Session, request: ExpungeRequest, at: Date) {
  await session.query(update, [request.id, at, ...CHANGING.map(({ of }) => of(request))]);
}

/** Lists of requests, for admins. */
export function expungeDirectory(session: Session): ExpungeDirectory {
  return {
    async find(scope, id) {
      const row = await findForAdmin<ExpungeRow>(session, TABLE, filtersWithin(scope), id);
      return row && toExpunge(row);
    },
    async list(scope, filter, page) {
      const conditions = [
        ...compared('status', '=', filter.status, 'text'),
        ...createdWithin(filter.created),
      ];
      const asked = filtersWithin(scope, filter);
      const found = await adminPage<ExpungeRow>(session, TABLE, asked, { conditions, page });
      return { ...found, data: found.data.map(toExpunge) };
    },
  };
}

/** The request of a row. */
export function toExpunge(row: ExpungeRow): ExpungeRequest {
  const { status, started_at: startedAt, finished_at: finishedAt, failure } = row;
  const facts = {
    id: row.id,
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    selection: present({
      eventIds: row.event_ids,
      objectId: row.object_id,
      createdFilter: toBounds(row),
    }),
    reason: row.reason,
    counts: {
      events: Number(row.expunged_events),
      canceledDeliveries: Number(row.canceled_deliveries),
      attempts: Number(row.expunged_attempts),
    },
    created: row.created,
  };
  if (status === 'pending') return { ...facts, status };
  if (status === 'running' && startedAt !== null) {
    return { ...facts, status, startedAt, ...present({ position: toPosition(row) }) };
  }
  if (status === 'succeeded' && startedAt !== null && finishedAt !== null) {
    return { ...facts, status, startedAt, finishedAt };
  }
  if (status === 'failed' && finishedAt !== null && failure !== null) {
    return { ...facts, status, finishedAt, failure, ...present({ startedAt }) };
  }
  throw new Error(`Expunge request ${row.id} is ${status} and lacks a time.`);
}

function toPosition(row: ExpungeRow): ExpungePosition | null {
  const { position_type: type, position_created: created, position_event_id: eventId } = row;
  return type === null || created === null || eventId === null ? null : { type, created, eventId };
}

function positionOf(request: ExpungeRequest): ExpungePosition | undefined {
  return request.status === 'running' ? request.position : undefined;
}
