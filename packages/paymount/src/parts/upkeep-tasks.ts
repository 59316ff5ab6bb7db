import { COUNT_INTERVALS, COUNTS_KEPT_MS, DELIVERIES_KEPT_DAYS } from '@paymount/core/events';
import type { Parts } from './parts.ts';
import type { Task } from './task.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The days after today for which the log of attempts has partitions. */
const LOG_DAYS_AHEAD = 7;
/** The API and the docs promise that attempts are kept for 30 days. */
const ATTEMPTS_KEPT_MS = 30 * DAY;
/** An hour more than promised: a replay of a state begins with events of that age. */
const DELIVERIES_KEPT_MS = DELIVERIES_KEPT_DAYS * DAY + HOUR;
/** Responses are replayed for at least this time. */
const ANSWERS_KEPT_MS = DAY + HOUR;
/** Sent e-mails are kept this long; unsent ones are dropped much earlier. */
const MAILS_KEPT_MS = 90 * DAY;
const PURGE_BATCH = 2_000;
/** Between two batches, so that a large purge leaves the database to others. */
const PAUSE_MS = 50;

/** What one batch of a purge did. */
interface Purged {
  readonly deleted: number;
  readonly hasMore: boolean;
}

export type UpkeepParts = Pick<Parts, 'stores' | 'clock' | 'telemetry'>;

/** Prepares the log for the next days, and deletes what has been kept long enough. */
export function upkeepTasks(parts: UpkeepParts): readonly Task[] {
  const { storage, deliveries, replays, mails, usage } = parts.stores;
  const { clock, telemetry } = parts;
  const ago = (ms: number): Date => new Date(clock.now().getTime() - ms);
  const purging = (name: string, table: string, purge: () => Promise<Purged>): Task => ({
    name,
    everyMs: HOUR,
    run: async () => {
      const { deleted, hasMore } = await purge();
      if (deleted > 0) telemetry.count('paymount_purged_rows_total', { table }, deleted);
      return hasMore && { pauseMs: PAUSE_MS };
    },
  });
  /** @param purge deletes at most one batch, and says how many rows */
  const purgingOldest = (name: string, table: string, purge: () => Promise<number>): Task =>
    purging(name, table, async () => {
      const deleted = await purge();
      return { deleted, hasMore: deleted >= PURGE_BATCH };
    });
  return [
    {
      name: 'log_partitions',
      everyMs: HOUR,
      preparesWorker: true,
      run: async () => {
        await deliveries.createPartitions(clock.now(), LOG_DAYS_AHEAD);
        return false;
      },
    },
    {
      name: 'old_attempts',
      everyMs: HOUR,
      run: async () => {
        await deliveries.dropPartitions(ago(ATTEMPTS_KEPT_MS));
        return false;
      },
    },
    {
      name: 'counted_attempts',
      everyMs: MINUTE,
      run: () => deliveries.countAttempts(clock.now()),
    },
    purging(
      'old_deliveries',
      'deliveries',
      walkDeliveries(deliveries, () => ago(DELIVERIES_KEPT_MS)),
    ),
    purgingOldest('old_replays', 'replays', () =>
      replays.purge(ago(DELIVERIES_KEPT_MS), PURGE_BATCH),
    ),
    purgingOldest('old_answers', 'idempotency_keys', () =>
      storage.idempotency.purge(ago(ANSWERS_KEPT_MS), PURGE_BATCH),
    ),
    purgingOldest('old_key_usage', 'key_usage', () => usage.purge(clock.now(), PURGE_BATCH)),
    purgingOldest('old_mails', 'mails', () => mails.purge(ago(MAILS_KEPT_MS), PURGE_BATCH)),
    ...COUNT_INTERVALS.map((interval) =>
      purgingOldest(`old_counts_by_${interval}`, 'delivery_counts', () =>
        deliveries.purgeCounts(interval, ago(COUNTS_KEPT_MS[interval] + DAY), PURGE_BATCH),
      ),
    ),
  ];
}

/** Each batch begins where the previous one ended; after the last delivery the first follows. */
function walkDeliveries(
  deliveries: UpkeepParts['stores']['deliveries'],
  finishedBefore: () => Date,
): () => Promise<Purged> {
  let after = '';
  return async () => {
    const walk = { after, finishedBefore: finishedBefore(), limit: PURGE_BATCH };
    const { deleted, next } = await deliveries.purge(walk);
    after = next ?? '';
    return { deleted, hasMore: next !== undefined };
  };
}
