import {
  type ChosenEvents,
  type CreatedDelivery,
  MAX_UNFINISHED_PER_ENDPOINT,
  type Replay,
} from '@paymount/core/events';
import { type DeliveryId, type EndpointId, livemode, newId } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

interface RoomRow {
  readonly endpoint_id: EndpointId;
  readonly room: number;
}

/**
 * Only steps of replays take this lock, until the end of the transaction; changes of the endpoint
 * and results of attempts do not wait for it.
 */
const lock = statement(
  'pm_replays_lock_endpoints_v2',
  () => `SELECT n.endpoint_id FROM unnest($1::text[]) AS n (endpoint_id)
    WHERE pg_try_advisory_xact_lock(hashtextextended('paymount.replays.' || n.endpoint_id, 0))`,
);
/** A separate statement, so that it sees what the last holder of the lock wrote. */
const rooms = statement(
  'pm_replays_rooms_v1',
  (s) => `SELECT e.id AS endpoint_id, ${MAX_UNFINISHED_PER_ENDPOINT} - (
      SELECT count(*)::integer FROM ${s}.deliveries d
      WHERE d.endpoint_id = e.id AND d.replay_id IS NOT NULL AND d.origin = 'replay'
        AND d.state IN ('pending', 'parked')) AS room
    FROM ${s}.webhook_endpoints e WHERE e.id = ANY ($1::text[]) AND e.status = 'enabled'`,
);
/**
 * The events are locked, so that each was either expunged before, or is expunged after this row
 * exists, which is canceled then.
 */
const insert = statement(
  'pm_replays_deliver_v4',
  (s) => `WITH sendable AS MATERIALIZED (
      SELECT v.id FROM ${s}.events v
      WHERE v.account_id = $1 AND v.livemode = $2 AND v.id = ANY ($7::text[])
        AND v.expunged_at IS NULL
      ORDER BY v.id FOR SHARE)
    INSERT INTO ${s}.deliveries (account_id, livemode, replay_id, endpoint_id, id, event_id,
      event_type, origin, state, attempt, due_at, created)
    SELECT $1, $2, $3, n.endpoint_id, n.id, n.event_id, n.event_type, 'replay', 'pending', 1,
      t.now, date_trunc('milliseconds', t.now)
    FROM (SELECT now() + $4::double precision * interval '1 ms' AS now) t,
      unnest($5::text[], $6::text[], $7::text[], $8::text[])
        AS n (endpoint_id, id, event_id, event_type)
    WHERE n.event_id IN (SELECT id FROM sendable)
    RETURNING id`,
);

/**
 * Makes deliveries where there is room; see `ReplayStepRepository.make`. An endpoint that is disabled or
 * deleted at this very moment has them parked or canceled by the next sweep.
 */
export async function makeDeliveries(
  session: Session,
  replay: Replay,
  { chosen, shiftMs }: { readonly chosen: readonly ChosenEvents[]; readonly shiftMs: number },
): Promise<readonly CreatedDelivery[]> {
  if (chosen.length === 0) return [];
  const wanted = chosen.map(({ endpointId }) => endpointId);
  const locked = (await session.query<Pick<RoomRow, 'endpoint_id'>>(lock, [wanted])).rows;
  if (locked.length === 0) return [];
  const ids = locked.map(({ endpoint_id }) => endpoint_id);
  const free = (await session.query<RoomRow>(rooms, [ids])).rows;
  const roomOf = new Map(free.map((row) => [row.endpoint_id, Math.max(0, row.room)]));
  const made = chosen.flatMap(({ endpointId, events }) =>
    events
      .slice(0, roomOf.get(endpointId) ?? 0)
      .map((event) => ({ id: newId('dlv'), eventId: event.id, endpointId, type: event.type })),
  );
  if (made.length === 0) return [];
  const inserted = await session.query<{ id: DeliveryId }>(insert, [
    replay.accountId,
    livemode(replay.environment),
    replay.id,
    shiftMs,
    made.map(({ endpointId }) => endpointId),
    made.map(({ id }) => id),
    made.map(({ eventId }) => eventId),
    made.map(({ type }) => type),
  ]);
  const written = new Set(inserted.rows.map(({ id }) => id));
  return made.filter(({ id }) => written.has(id));
}
