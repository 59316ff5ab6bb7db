import type { EventType } from '@paymount/core/changes';
import {
  type OpenTarget,
  PAST_LAST,
  type Replay,
  type ReplayQueue,
  type ReplayStepRepository,
} from '@paymount/core/events';
import { type EndpointId, livemode, type ReplayId } from '@paymount/core/kernel';
import { whyRefused } from '../connection/sql-errors.ts';
import { statement } from '../connection/statement.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction } from '../transaction/transaction.ts';
import { purgeReplays } from './purge-replays.ts';
import { makeDeliveries } from './replay-deliveries.ts';
import { chooseEvents, countEvents, countExpunged } from './replay-events.ts';
import { REPLAY_LIST, type ReplayRow, replayRepository, toReplay } from './replay-rows.ts';

interface TargetRow {
  readonly endpoint_id: EndpointId;
  readonly types: readonly EventType[] | null;
  readonly counted_to: string;
  readonly sent_to: string;
  readonly status: OpenTarget['status'];
  readonly unfinished: number;
  readonly own: number;
  readonly sharers: number;
}

/** Replays of others wait meanwhile, and the step is tried again. */
const LOCK_LIMIT_MS = 200;

const open = statement(
  'pm_replays_open_v1',
  (s) => `SELECT r.id FROM ${s}.replays r WHERE r.is_open AND (r.status <> 'running' OR r.counting
      OR EXISTS (SELECT FROM ${s}.replay_targets t
        JOIN ${s}.webhook_endpoints e ON e.id = t.endpoint_id
        WHERE t.replay_id = r.id AND t.sent_to <> '${PAST_LAST}' AND e.status <> 'disabled'))
    ORDER BY r.looked_at NULLS FIRST, r.id LIMIT $1`,
);
const lock = statement(
  'pm_replays_step_v4',
  (s) => `SELECT ${REPLAY_LIST} FROM ${s}.replays WHERE id = $1 AND is_open
    FOR UPDATE SKIP LOCKED`,
);
/**
 * Every target, including finished ones, because their deliveries count for the replay. Replays
 * that share an endpoint are found among the few open replays of the owner.
 */
const targets = statement(
  'pm_replays_targets_v1',
  (s) => `SELECT t.endpoint_id, t.types, t.counted_to, t.sent_to, e.status, c.unfinished, c.own,
      (SELECT count(*)::integer FROM ${s}.replays r
         JOIN ${s}.replay_targets o ON o.replay_id = r.id AND o.endpoint_id = t.endpoint_id
         WHERE r.account_id = $2 AND r.livemode = $3 AND r.is_open AND r.status <> 'canceled'
           AND o.sent_to <> '${PAST_LAST}') AS sharers
    FROM ${s}.replay_targets t JOIN ${s}.webhook_endpoints e ON e.id = t.endpoint_id
    CROSS JOIN LATERAL (
      SELECT count(*)::integer AS unfinished,
        (count(*) FILTER (WHERE d.replay_id = t.replay_id))::integer AS own
      FROM ${s}.deliveries d WHERE d.endpoint_id = t.endpoint_id AND d.replay_id IS NOT NULL
        AND d.origin = 'replay' AND d.state IN ('pending', 'parked')) c
    WHERE t.replay_id = $1 ORDER BY t.sent_to, t.endpoint_id`,
);
const saveTarget = statement(
  'pm_replays_save_target_v1',
  (s) => `UPDATE ${s}.replay_targets SET counted_to = $3, sent_to = $4
    WHERE replay_id = $1 AND endpoint_id = $2`,
);
const fail = statement(
  'pm_replays_fail_v1',
  (s) => `UPDATE ${s}.replays SET is_open = false, counting = false, looked_at = $2,
      finished_at = COALESCE(finished_at, $2),
      status = CASE status WHEN 'canceled' THEN status ELSE 'failed' END,
      failure = CASE status WHEN 'canceled' THEN failure ELSE $3::text END
    WHERE id = $1 AND is_open`,
);
const postpone = statement(
  'pm_replays_postpone_v1',
  (s) => `UPDATE ${s}.replays SET looked_at = $2 WHERE id = (
    SELECT id FROM ${s}.replays WHERE id = $1 FOR UPDATE SKIP LOCKED)`,
);

/**
 * The replays that workers advance.
 * @param clock its offset is added to the database's time
 */
export function replayQueue(session: Session, clock: { readonly shiftMs: number }): ReplayQueue {
  return {
    async open(limit) {
      return (await session.query<{ id: ReplayId }>(open, [limit])).rows.map(({ id }) => id);
    },
    step: (id, work) =>
      inTransaction(session, async (inner) => {
        await inner.plain(`SET LOCAL lock_timeout = ${LOCK_LIMIT_MS}`);
        const [row] = (await inner.query<ReplayRow>(lock, [id])).rows;
        if (row === undefined) return undefined;
        const replay = toReplay(row);
        return work(replaySteps(inner, replay, clock), replay);
      }),
    whyNever: whyRefused,
    purge: (finishedBefore, limit) => purgeReplays(session, finishedBefore, limit),
    async fail(id, now, failure) {
      await session.query(fail, [id, now, failure]);
    },
    async postpone(id, now) {
      await session.query(postpone, [id, now]);
    },
  };
}

function replaySteps(
  session: Session,
  replay: Replay,
  clock: { readonly shiftMs: number },
): ReplayStepRepository {
  const { save, cancelWaiting } = replayRepository(session, clock);
  return {
    save,
    cancelWaiting: () => cancelWaiting(replay),
    async targets() {
      const values = [replay.id, replay.accountId, livemode(replay.environment)];
      const all = (await session.query<TargetRow>(targets, values)).rows.map(toTarget);
      return {
        open: all.filter(({ countedTo, sentTo }) => countedTo < PAST_LAST || sentTo < PAST_LAST),
        unfinished: all.reduce((sum, { own }) => sum + own, 0),
      };
    },
    count: (target, limit) =>
      countEvents(session, { replay, target, shiftMs: clock.shiftMs }, limit),
    choose: (target, bounds) =>
      chooseEvents(session, { replay, target, shiftMs: clock.shiftMs }, bounds),
    countExpunged: (target, range) =>
      countExpunged(session, { replay, target, shiftMs: clock.shiftMs }, range),
    make: (chosen) => makeDeliveries(session, replay, { chosen, shiftMs: clock.shiftMs }),
    async saveTarget({ endpointId, countedTo, sentTo }) {
      await session.query(saveTarget, [replay.id, endpointId, countedTo, sentTo]);
    },
  };
}

function toTarget(row: TargetRow): OpenTarget {
  return {
    endpointId: row.endpoint_id,
    countedTo: row.counted_to,
    sentTo: row.sent_to,
    status: row.status,
    unfinished: row.unfinished,
    own: row.own,
    sharers: row.sharers,
    ...present({ types: row.types }),
  };
}
