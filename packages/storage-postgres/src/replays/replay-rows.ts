import type { EventType } from '@paymount/core/changes';
import type {
  CanceledDeliveries,
  Replay,
  ReplayRepository,
  ReplayTarget,
} from '@paymount/core/events';
import {
  type AccountId,
  type EndpointId,
  type EventId,
  environmentOf,
  livemode,
  type Maker,
  type Owner,
  type ReplayId,
} from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import { column, fixed, json } from '../shared/columns.ts';
import { type BoundsRow, toBounds } from '../shared/created-bounds.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';

export interface ReplayRow extends BoundsRow {
  readonly id: ReplayId;
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly status: Replay['status'];
  readonly endpoint_id: EndpointId | null;
  readonly to_endpoint_id: EndpointId | null;
  readonly types: readonly EventType[] | null;
  readonly states: Replay['states'] | null;
  readonly rate: number;
  readonly dry_run: boolean;
  readonly through_event_id: EventId | null;
  readonly matched: bigint;
  readonly counting: boolean;
  readonly created_count: bigint;
  readonly skipped: bigint;
  readonly is_open: boolean;
  readonly stepped_at: Date | null;
  readonly looked_at: Date | null;
  readonly created: Date;
  readonly created_by: Maker | null;
  readonly finished_at: Date | null;
  readonly failure: string | null;
}

const COLUMNS = [
  fixed<Replay>('id', 'text', ({ id }) => id),
  fixed<Replay>('account_id', 'text', ({ accountId }) => accountId),
  fixed<Replay>('livemode', 'boolean', ({ environment }) => livemode(environment)),
  fixed<Replay>('endpoint_id', 'text', ({ endpointId }) => endpointId ?? null),
  fixed<Replay>('to_endpoint_id', 'text', ({ toEndpointId }) => toEndpointId ?? null),
  fixed<Replay>('types', 'text[]', ({ types }) => types ?? null),
  fixed<Replay>('states', 'text[]', ({ states }) => states ?? null),
  fixed<Replay>('created_gt', 'timestamptz', ({ createdFilter }) => createdFilter?.gt ?? null),
  fixed<Replay>('created_gte', 'timestamptz', ({ createdFilter }) => createdFilter?.gte ?? null),
  fixed<Replay>('created_lt', 'timestamptz', ({ createdFilter }) => createdFilter?.lt ?? null),
  fixed<Replay>('created_lte', 'timestamptz', ({ createdFilter }) => createdFilter?.lte ?? null),
  fixed<Replay>('rate', 'integer', ({ rate }) => rate),
  fixed<Replay>('dry_run', 'boolean', ({ dryRun }) => dryRun),
  fixed<Replay>('through_event_id', 'text', ({ throughEventId }) => throughEventId ?? null),
  fixed<Replay>('created', 'timestamptz', ({ created }) => created),
  fixed<Replay>('created_by', 'jsonb', ({ createdBy }) => json(createdBy)),
  column<Replay>('status', 'text', ({ status }) => status),
  column<Replay>('matched', 'bigint', ({ matched }) => matched),
  column<Replay>('counting', 'boolean', ({ isCounting }) => isCounting),
  column<Replay>('created_count', 'bigint', ({ createdCount }) => createdCount),
  column<Replay>('skipped', 'bigint', ({ skipped }) => skipped),
  column<Replay>('is_open', 'boolean', ({ isOpen }) => isOpen),
  column<Replay>('stepped_at', 'timestamptz', ({ steppedAt }) => steppedAt ?? null),
  column<Replay>('looked_at', 'timestamptz', ({ lookedAt }) => lookedAt ?? null),
  column<Replay>('finished_at', 'timestamptz', ({ finishedAt }) => finishedAt ?? null),
  column<Replay>('failure', 'text', ({ failure }) => failure ?? null),
];
/** The columns of a `ReplayRow`. */
export const REPLAY_NAMES = COLUMNS.map(({ name }) => name);
/** For other statements on replays. */
export const REPLAY_LIST = REPLAY_NAMES.join(', ');
const CHANGING = COLUMNS.filter((each) => each.fixed !== true);

const findForUpdate = statement(
  'pm_replays_lock_v4',
  (s) => `SELECT ${REPLAY_LIST} FROM ${s}.replays
    WHERE account_id = $1 AND livemode = $2 AND id = $3 FOR UPDATE`,
);
const insert = statement(
  'pm_replays_insert_v4',
  (s) => `INSERT INTO ${s}.replays (${REPLAY_LIST})
    SELECT ${COLUMNS.map(({ type }, index) => `$${index + 1}::${type}`).join(', ')}`,
);
const insertTarget = statement(
  'pm_replays_insert_target_v1',
  (s) => `INSERT INTO ${s}.replay_targets
      (replay_id, account_id, livemode, endpoint_id, types, counted_to, sent_to)
    VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);
const update = statement(
  'pm_replays_update_v3',
  (s) => `UPDATE ${s}.replays
    SET ${CHANGING.map(({ name, type }, index) => `${name} = $${index + 2}::${type}`).join(', ')}
    WHERE id = $1`,
);
/** Other owners may by chance have the same lock, and would then wait for an insert. */
const lockOwner = statement(
  'pm_replays_lock_owner_v1',
  () => `SELECT pg_advisory_xact_lock(hashtextextended('paymount.replays.' || $1::text, 0))`,
);
const countOpen = statement(
  'pm_replays_count_open_v1',
  (s) => `SELECT count(*)::integer AS count FROM ${s}.replays
    WHERE account_id = $1 AND livemode = $2 AND is_open AND status <> 'canceled'`,
);
const newestEvent = statement(
  'pm_replays_newest_event_v1',
  (s) => `SELECT id FROM ${s}.events WHERE account_id = $1 AND livemode = $2
    ORDER BY id DESC LIMIT 1`,
);
/** By the targets of `$1`, because the index of unfinished targets begins with the endpoint. */
export const waitingSql = (s: string): string => `${s}.replay_targets r
    JOIN ${s}.deliveries d ON d.endpoint_id = r.endpoint_id AND d.origin = 'replay'
      AND d.state IN ('pending', 'parked') AND d.replay_id = r.replay_id
    WHERE r.replay_id = $1`;
const cancel = statement(
  'pm_replays_cancel_v1',
  (s) => `WITH waiting AS (
    SELECT d.id, COALESCE(d.lease_until >= t.now, false) AS leased
    FROM (SELECT now() + $2::double precision * interval '1 ms' AS now) t, ${waitingSql(s)}
    ORDER BY d.id FOR UPDATE OF d),
  canceled AS (
    UPDATE ${s}.deliveries d SET state = 'canceled', lease_token = NULL, leased_at = NULL,
      lease_until = NULL, finished_at = now() + $2::double precision * interval '1 ms'
    FROM waiting w WHERE d.id = w.id AND NOT w.leased)
  SELECT (count(*) FILTER (WHERE leased))::integer AS left,
    (count(*) FILTER (WHERE NOT leased))::integer AS canceled FROM waiting`,
);
/**
 * Replays within a transaction.
 * @param clock its offset is added to the database's time
 */
export function replayRepository(
  session: Session,
  clock: { readonly shiftMs: number },
): ReplayRepository {
  return {
    async countOpenForUpdate({ accountId, environment }) {
      await session.query(lockOwner, [`${environment}.${accountId}`]);
      const values = [accountId, livemode(environment)];
      return (await session.query<{ count: number }>(countOpen, values)).rows[0]?.count ?? 0;
    },
    async newestEvent({ accountId, environment }) {
      const values = [accountId, livemode(environment)];
      return (await session.query<{ id: EventId }>(newestEvent, values)).rows[0]?.id;
    },
    async insert(replay, targets) {
      await session.query(
        insert,
        COLUMNS.map(({ of }) => of(replay)),
      );
      for (const target of targets) await session.query(insertTarget, toValues(replay, target));
    },
    async findForUpdate({ accountId, environment }, id) {
      const values = [accountId, livemode(environment), id];
      const [row] = (await session.query<ReplayRow>(findForUpdate, values)).rows;
      return row && toReplay(row);
    },
    async save(replay) {
      await session.query(update, [replay.id, ...CHANGING.map(({ of }) => of(replay))]);
    },
    async cancelWaiting({ id }) {
      const { rows } = await session.query<CanceledDeliveries>(cancel, [id, clock.shiftMs]);
      return rows[0] ?? { canceled: 0, left: 0 };
    },
  };
}

function toValues(replay: Owner & { readonly id: ReplayId }, target: ReplayTarget): unknown[] {
  const { endpointId, types, countedTo, sentTo } = target;
  const owner = [replay.accountId, livemode(replay.environment)];
  return [replay.id, ...owner, endpointId, types ?? null, countedTo, sentTo];
}

/** The replay of a row. */
export function toReplay(row: ReplayRow): Replay {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    status: row.status,
    rate: row.rate,
    dryRun: row.dry_run,
    matched: Number(row.matched),
    isCounting: row.counting,
    createdCount: Number(row.created_count),
    skipped: Number(row.skipped),
    isOpen: row.is_open,
    created: row.created,
    ...present({
      endpointId: row.endpoint_id,
      toEndpointId: row.to_endpoint_id,
      types: row.types,
      states: row.states,
      createdFilter: toBounds(row),
      throughEventId: row.through_event_id,
      steppedAt: row.stepped_at,
      lookedAt: row.looked_at,
      finishedAt: row.finished_at,
      createdBy: row.created_by,
      failure: row.failure,
    }),
  };
}
