import type { Parts } from './parts.ts';
import type { Task } from './task.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The days after today for which the log of attempts has partitions. */
const LOG_DAYS_AHEAD = 7;
/** The API and the docs promise that attempts are kept for 30 days. */
const ATTEMPTS_KEPT_MS = 30 * DAY;
/** Responses are replayed for at least this time. */
const ANSWERS_KEPT_MS = DAY + HOUR;
/** Sent e-mails are kept this long; unsent ones are dropped much earlier. */
const MAILS_KEPT_MS = 90 * DAY;
const PURGE_BATCH = 5_000;

/** Prepares the log for the next days, and deletes what has been kept long enough. */
export function upkeepTasks({ stores, clock }: Pick<Parts, 'stores' | 'clock'>): readonly Task[] {
  const { storage, deliveries, mails, usage } = stores;
  const ago = (ms: number): Date => new Date(clock.now().getTime() - ms);
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
      name: 'old_answers',
      everyMs: HOUR,
      run: async () =>
        (await storage.idempotency.purge(ago(ANSWERS_KEPT_MS), PURGE_BATCH)) === PURGE_BATCH,
    },
    {
      name: 'old_key_usage',
      everyMs: HOUR,
      run: async () => (await usage.purge(clock.now(), PURGE_BATCH)) >= PURGE_BATCH,
    },
    {
      name: 'old_mails',
      everyMs: HOUR,
      run: async () => (await mails.purge(ago(MAILS_KEPT_MS), PURGE_BATCH)) === PURGE_BATCH,
    },
  ];
}
