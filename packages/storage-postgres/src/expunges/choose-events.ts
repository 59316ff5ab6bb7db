import { EVENT_TYPES, type EventType } from '@paymount/core/changes';
import type { ExpungeBatch, ExpungePosition, OpenExpungeRequest } from '@paymount/core/expunging';
import { type EventId, livemode } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

/** Events that one step reads. */
const MAX_LOOKED = 1_000;
/** Events that one step expunges. */
const MAX_EVENTS = 500;
/** Deliveries of the events of one step, if it has more than one event. */
const MAX_DELIVERIES = 250;

interface SeenRow {
  readonly id: EventId;
  readonly created: Date;
  readonly wanted: boolean;
}

interface WeightRow {
  readonly id: EventId;
  readonly deliveries: number;
}

const SEEN = 'v.id, v.created, v.object_id, v.recorded_at, v.expunged_at';
const OWNED = 'v.account_id = $1 AND v.livemode = $2';
/** `$3`-`$9`: the request, the bounds on `created`, the object, and the ids. */
const wantedSql = (s: string): string => `v.expunged_at IS NULL
    AND v.recorded_at <= (SELECT r.recorded_until FROM ${s}.expunge_requests r WHERE r.id = $3)
    AND ($4::timestamptz IS NULL OR v.created > $4)
    AND ($5::timestamptz IS NULL OR v.created >= $5)
    AND ($6::timestamptz IS NULL OR v.created < $6)
    AND ($7::timestamptz IS NULL OR v.created <= $7)
    AND ($8::text IS NULL OR v.object_id = $8)
    AND ($9::text[] IS NULL OR v.id = ANY ($9))`;
const chosenSql = (s: string, source: string): string => `SELECT v.id, v.created, true AS wanted
    FROM (${source} OFFSET 0) v WHERE ${wantedSql(s)} ORDER BY v.id LIMIT ${MAX_EVENTS}`;

/** Each kind of selection has its own index. */
const byId = statement('pm_expunges_by_id_v1', (s) =>
  chosenSql(
    s,
    `SELECT v.* FROM unnest($9::text[]) AS n (id) CROSS JOIN LATERAL (
      SELECT ${SEEN} FROM ${s}.events v WHERE ${OWNED} AND v.id = n.id LIMIT 1) v`,
  ),
);
const byObject = statement('pm_expunges_by_object_v1', (s) =>
  chosenSql(s, `SELECT ${SEEN} FROM ${s}.events v WHERE ${OWNED} AND v.object_id = $8`),
);
/** Events of one type, from the position on. */
const byCreated = statement(
  'pm_expunges_by_created_v1',
  (s) => `SELECT v.id, v.created, ${wantedSql(s)} AS wanted FROM (
    SELECT ${SEEN} FROM ${s}.events v
    WHERE ${OWNED} AND v.type = $10 AND (v.created, v.id) > ($11::timestamptz, $12::text)
      AND v.created <= $13::timestamptz
    ORDER BY v.created, v.id LIMIT ${MAX_LOOKED}) v
  ORDER BY v.created, v.id`,
);
/** Each origin has its own index. More than fit into one step are not counted. */
const countSql = (s: string, origin: 'event' | 'replay'): string => `(SELECT count(*) FROM (
      SELECT FROM ${s}.deliveries d WHERE d.event_id = n.id AND d.origin = '${origin}'
      ORDER BY d.endpoint_id LIMIT ${MAX_DELIVERIES + 1}) d)`;
const weigh = statement(
  'pm_expunges_weigh_v1',
  (s) => `SELECT n.id, (${countSql(s, 'event')} + ${countSql(s, 'replay')})::integer AS deliveries
    FROM unnest($1::text[]) WITH ORDINALITY AS n (id, place) ORDER BY n.place`,
);

/** Finds the events of the next step; see `ExpungeStepRepository.choose`. */
export async function chooseEvents(
  session: Session,
  request: OpenExpungeRequest,
): Promise<ExpungeBatch> {
  const { eventIds, objectId } = request.selection;
  if (eventIds === undefined && objectId === undefined) return chooseByCreated(session, request);
  const by = eventIds === undefined ? byObject : byId;
  const { rows } = await session.query<SeenRow>(by, selectionValues(request));
  const chosen = await fitting(session, rows);
  const isLast = rows.length < MAX_EVENTS && chosen.length === rows.length;
  return { eventIds: chosen.map(({ id }) => id), isLast };
}

/** An index has the events of one type in the order of `created`: the types follow each other. */
async function chooseByCreated(
  session: Session,
  request: OpenExpungeRequest,
): Promise<ExpungeBatch> {
  const begin = firstPosition(request);
  for (const type of EVENT_TYPES.slice(EVENT_TYPES.indexOf(begin.type))) {
    const from = type === begin.type ? begin : startOf(type, request);
    const seen = await look(session, request, from);
    const wanted = seen.filter((row) => row.wanted);
    const chosen = await fitting(session, wanted.slice(0, MAX_EVENTS));
    const isAll = chosen.length === wanted.length;
    const last = isAll ? seen.at(-1) : chosen.at(-1);
    const isEnd = isAll && seen.length < MAX_LOOKED;
    if (isEnd && chosen.length === 0) continue;
    const position = last ? { type, created: last.created, eventId: last.id } : from;
    return { eventIds: chosen.map(({ id }) => id), position, isLast: false };
  }
  return { eventIds: [], isLast: true };
}

async function look(
  session: Session,
  request: OpenExpungeRequest,
  { type, created, eventId }: ExpungePosition,
): Promise<readonly SeenRow[]> {
  const { lt, lte } = request.selection.createdFilter ?? {};
  const until = lt ?? lte ?? 'infinity';
  const values = [...selectionValues(request), type, created, eventId, until];
  return (await session.query<SeenRow>(byCreated, values)).rows;
}

function firstPosition(request: OpenExpungeRequest): ExpungePosition {
  const reached = request.status === 'running' ? request.position : undefined;
  return reached ?? startOf(EVENT_TYPES[0], request);
}

/** Before the first event that can be in the range. */
function startOf(type: EventType, { selection }: OpenExpungeRequest): ExpungePosition {
  const { gt, gte } = selection.createdFilter ?? {};
  return { type, created: gte ?? gt ?? new Date(0), eventId: '' };
}

function selectionValues({ id, accountId, environment, selection }: OpenExpungeRequest): unknown[] {
  const { gt, gte, lt, lte } = selection.createdFilter ?? {};
  const bounds = [gt, gte, lt, lte].map((each) => each ?? null);
  const named = [selection.objectId ?? null, selection.eventIds ?? null];
  return [accountId, livemode(environment), id, ...bounds, ...named];
}

/** The first events whose deliveries fit into one step; at least one. */
async function fitting(session: Session, events: readonly SeenRow[]): Promise<readonly SeenRow[]> {
  if (events.length === 0) return events;
  const ids = events.map(({ id }) => id);
  const { rows } = await session.query<WeightRow>(weigh, [ids]);
  let sum = 0;
  const end = rows.findIndex(({ deliveries }, index) => {
    sum += deliveries;
    return index > 0 && sum > MAX_DELIVERIES;
  });
  return end < 0 ? events : events.slice(0, end);
}
