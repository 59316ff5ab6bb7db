import type {
  EndpointId,
  EventType,
  Replay,
  ReplayId,
  ReplayQueue,
  ReplaySteps,
  ReplayTarget,
  SendingTarget,
} from '@paymount/core';
import type { Session } from '../session.ts';
import { present } from '../shared/present-rows.ts';
import { statement } from '../shared/statement.ts';
import { inTransaction } from '../transaction.ts';
import { countEvents, sendEvents } from './replay-events.ts';
import { REPLAY_LIST, type ReplayRow, replayRepository, toReplay } from './replay-rows.ts';

interface TargetRow {
  readonly endpoint_id: EndpointId;
  readonly types: readonly EventType[] | null;
  readonly phase: ReplayTarget['phase'];
  readonly cursor: string;
  readonly status: SendingTarget['status'];
}

interface UnfinishedRow {
  readonly endpoint_id: EndpointId;
  readonly of_endpoint: number;
  readonly of_replay: number;
}

const open = statement(
  'pm_replays_open_v1',
  (s) => `SELECT r.id FROM ${s}.replays r WHERE r.is_open AND (r.status <> 'running' OR EXISTS (
      SELECT FROM ${s}.replay_targets t JOIN ${s}.webhook_endpoints e ON e.id = t.endpoint_id
      WHERE t.replay_id = r.id AND t.phase = 'sending' AND e.status <> 'disabled'))
    ORDER BY r.stepped_at NULLS FIRST, r.id LIMIT $1`,
);
const lock = statement(
  'pm_replays_step_v1',
  (s) => `SELECT ${REPLAY_LIST} FROM ${s}.replays WHERE id = $1 AND is_open
    FOR UPDATE SKIP LOCKED`,
);
const targets = statement(
  'pm_replays_targets_v1',
  (s) => `SELECT endpoint_id, types, phase, cursor FROM ${s}.replay_targets
    WHERE replay_id = $1 AND phase = $2 ORDER BY endpoint_id`,
);
/** Locked, an endpoint has as many unfinished deliveries of replays as the next statement counts. */
const lockEndpoints = statement(
  'pm_replays_lock_endpoints_v1',
  (s) => `SELECT t.endpoint_id, t.types, t.phase, t.cursor, e.status
    FROM ${s}.replay_targets t JOIN ${s}.webhook_endpoints e ON e.id = t.endpoint_id
    WHERE t.replay_id = $1 AND t.phase = 'sending'
    ORDER BY t.cursor, t.endpoint_id FOR NO KEY UPDATE OF e SKIP LOCKED`,
);
/** Of every target, also of those that are done: their deliveries count for the replay. */
const unfinished = statement(
  'pm_replays_unfinished_v1',
  (s) => `SELECT t.endpoint_id, c.of_endpoint, c.of_replay
    FROM ${s}.replay_targets t CROSS JOIN LATERAL (
      SELECT count(*)::integer AS of_endpoint,
        (count(*) FILTER (WHERE d.replay_id = t.replay_id))::integer AS of_replay
      FROM ${s}.deliveries d WHERE d.endpoint_id = t.endpoint_id
        AND d.origin = 'replay' AND d.state IN ('pending', 'parked')) c
    WHERE t.replay_id = $1`,
);
const saveTarget = statement(
  'pm_replays_save_target_v1',
  (s) => `UPDATE ${s}.replay_targets SET phase = $3, cursor = $4
    WHERE replay_id = $1 AND endpoint_id = $2`,
);
const left = statement(
  'pm_replays_left_v1',
  (s) => `SELECT count(*)::integer AS count FROM ${s}.replay_targets
    WHERE replay_id = $1 AND phase <> 'done'`,
);

/**
 * The replays that workers advance.
 * @param clock its shift is added to the database's time
 */
export function replayQueue(session: Session, clock: { readonly shiftMs: number }): ReplayQueue {
  return {
    async open(limit) {
      return (await session.query<{ id: ReplayId }>(open, [limit])).rows.map(({ id }) => id);
    },
    step: (id, work) =>
      inTransaction(session, async (inner) => {
        const [row] = (await inner.query<ReplayRow>(lock, [id])).rows;
        if (row === undefined) return undefined;
        const replay = toReplay(row);
        return work(replaySteps(inner, replay, clock), replay);
      }),
  };
}

function replaySteps(
  session: Session,
  replay: Replay,
  clock: { readonly shiftMs: number },
): ReplaySteps {
  const { save, cancelWaiting } = replayRepository(session, clock);
  return {
    save,
    cancelWaiting: () => cancelWaiting(replay),
    async targets(phase) {
      const { rows } = await session.query<TargetRow>(targets, [replay.id, phase]);
      return rows.map(toTarget);
    },
    sending: () => sending(session, replay),
    count: (target, limit) => countEvents(session, { replay, target }, limit),
    send: (target, bounds) => sendEvents(session, { replay, target, clock }, bounds),
    async saveTarget({ endpointId, phase, cursor }) {
      await session.query(saveTarget, [replay.id, endpointId, phase, cursor]);
    },
    async left() {
      return (await session.query<{ count: number }>(left, [replay.id])).rows[0]?.count ?? 0;
    },
  };
}

async function sending(session: Session, { id }: Replay): ReturnType<ReplaySteps['sending']> {
  const locked = (await session.query<TargetRow>(lockEndpoints, [id])).rows;
  const counted = (await session.query<UnfinishedRow>(unfinished, [id])).rows;
  const ofEndpoint = new Map(counted.map((row) => [row.endpoint_id, row.of_endpoint]));
  return {
    targets: locked.map((row) => ({
      ...toTarget(row),
      status: row.status,
      unfinished: ofEndpoint.get(row.endpoint_id) ?? 0,
    })),
    unfinished: counted.reduce((sum, row) => sum + row.of_replay, 0),
  };
}

function toTarget(row: Omit<TargetRow, 'status'>): ReplayTarget {
  return {
    endpointId: row.endpoint_id,
    phase: row.phase,
    cursor: row.cursor,
    ...present({ types: row.types }),
  };
}
