import type { BillingPosition } from '@paymount/core/billing';
import type { EventPosition } from '@paymount/core/changes';
import { COUNT_INTERVALS, COUNTS_KEPT_MS, DELIVERIES_KEPT_DAYS } from '@paymount/core/events';
import { UNUSED_METHOD_DAYS } from '@paymount/core/payments';
import type { ExportedTable } from '@paymount/core/store';
import { exportRows } from './export-rows.ts';
import type { Parts } from './parts.ts';
import type { Task } from './task.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The days after today for which the log of attempts has partitions. */
export const LOG_DAYS_AHEAD = 7;
/** The API and the docs promise that attempts are kept for 30 days. */
const ATTEMPTS_KEPT_MS = 30 * DAY;
/** An hour more than promised: replays of a state, and event streams, begin with events of that age. */
const keptMs = (days: number): number => days * DAY + HOUR;
const DELIVERIES_KEPT_MS = keptMs(DELIVERIES_KEPT_DAYS);
/** Responses are replayed for at least this time. */
const ANSWERS_KEPT_MS = DAY + HOUR;
/** Sent e-mails are kept this long; unsent ones are dropped much earlier. */
const MAILS_KEPT_MS = 90 * DAY;
/** A process whose clock is behind may still use a token that has just expired. */
const TOKENS_KEPT_MS = HOUR;
const PURGE_BATCH = 2_000;
/** Rows are in the memory of the worker while the host stores them. */
const EXPORT_BATCH = 500;
/** Between two batches, so that a large purge leaves the database to others. */
const PAUSE_MS = 50;

/** What one batch of a purge did. */
interface Purged {
  readonly deleted: number;
  readonly hasMore: boolean;
}

export type UpkeepParts = Pick<Parts, 'options' | 'stores' | 'wakeUps' | 'clock' | 'telemetry'>;

/** Prepares the log for the next days, and deletes what has been kept long enough. */
export function upkeepTasks(parts: UpkeepParts): readonly Task[] {
  return [
    ...logTasks(parts),
    ...historyTasks(parts),
    ...billingTasks(parts),
    ...wakeUpTasks(parts),
    ...otherTasks(parts),
  ];
}

/** Wake-ups in Redis of deliveries that were canceled, parked or sent by hand meanwhile. */
function wakeUpTasks({ wakeUps, stores: { deliveries } }: UpkeepParts): readonly Task[] {
  if (wakeUps === undefined) return [];
  let from = 0;
  const run: Task['run'] = async () => {
    const { next } = await wakeUps.prune(from, deliveries.findWaiting);
    from = next ?? 0;
    return next !== undefined && { pauseMs: PAUSE_MS };
  };
  return [{ name: 'old_wake_ups', everyMs: HOUR, run }];
}

function logTasks({ stores: { deliveries }, clock }: UpkeepParts): readonly Task[] {
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
      name: 'counted_attempts',
      everyMs: MINUTE,
      run: () => deliveries.countAttempts(clock.now()),
    },
  ];
}

/** Events, and their deliveries, attempts and replays. */
function historyTasks(parts: UpkeepParts): readonly Task[] {
  const { clock, stores, options } = parts;
  const { deliveries, events, replays } = stores;
  const { eventsDays, export: hook } = options.retention ?? {};
  const limit = PURGE_BATCH;
  const old = (table: ExportedTable, keptMs: number, purge: () => Promise<Purged>): Task =>
    purging(
      parts,
      { name: table === 'delivery_attempts' ? 'old_attempts' : `old_${table}`, table },
      hook === undefined
        ? purge
        : exporting(parts, { table, keptMs, give: exportRows(hook, table) }),
    );
  const tasks = [
    old('delivery_attempts', ATTEMPTS_KEPT_MS, async () => {
      await deliveries.dropPartitions(ago(clock, ATTEMPTS_KEPT_MS));
      return { deleted: 0, hasMore: false };
    }),
    old(
      'deliveries',
      DELIVERIES_KEPT_MS,
      walking((after: string = '') =>
        deliveries.purge({ after, finishedBefore: ago(clock, DELIVERIES_KEPT_MS), limit }),
      ),
    ),
    old('replays', DELIVERIES_KEPT_MS, async () => {
      const deleted = await replays.purge(ago(clock, DELIVERIES_KEPT_MS), limit);
      return { deleted, hasMore: deleted >= limit };
    }),
  ];
  if (eventsDays === undefined || eventsDays === null) return tasks;
  const eventsKeptMs = keptMs(eventsDays);
  const purgeEvents = walking((after?: EventPosition) =>
    events.purge({ ...(after && { after }), createdBefore: ago(clock, eventsKeptMs), limit }),
  );
  return [...tasks, old('events', eventsKeptMs, purgeEvents)];
}

/** Personal data and texts in what was billed; the amounts are kept. */
function billingTasks({ clock, stores, options }: UpkeepParts): readonly Task[] {
  const { invoices, subscriptions } = stores.billing;
  const forgetting: Task = {
    name: 'comments_of_deleted_customers',
    everyMs: HOUR,
    run: async () => {
      const forgotten = await subscriptions.forgetComments(PURGE_BATCH);
      return forgotten >= PURGE_BATCH && { pauseMs: PAUSE_MS };
    },
  };
  const { invoicesDays } = options.retention ?? {};
  if (invoicesDays === undefined || invoicesDays === null) return [forgetting];
  const walk = (after?: BillingPosition) => ({
    ...(after && { after }),
    endedBefore: ago(clock, invoicesDays * DAY),
    limit: PURGE_BATCH,
  });
  return [
    forgetting,
    expunging('old_invoices', (after) => invoices.expunge({ ...walk(after), at: clock.now() })),
    expunging('old_subscriptions', (after) => subscriptions.expunge(walk(after))),
  ];
}

/** @param step returns where the next step begins; after the last row the first follows */
function expunging(
  name: string,
  step: (after?: BillingPosition) => Promise<BillingPosition | undefined>,
): Task {
  let after: BillingPosition | undefined;
  return {
    name,
    everyMs: HOUR,
    run: async () => {
      after = await step(after);
      return after !== undefined && { pauseMs: PAUSE_MS };
    },
  };
}

/** Each batch is given to the host first; after the last row the first follows. */
function exporting(
  { stores: { exports }, clock }: UpkeepParts,
  { table, keptMs, give }: ExportOf,
): () => Promise<Purged> {
  let after: string | undefined;
  return async () => {
    const before = ago(clock, keptMs);
    const walk = { table, before, ...(after !== undefined && { after }), limit: EXPORT_BATCH };
    const { deleted, next, hasMore } = await exports.step(walk, give);
    after = next;
    return { deleted, hasMore };
  };
}

interface ExportOf {
  readonly table: ExportedTable;
  readonly keptMs: number;
  readonly give: ReturnType<typeof exportRows>;
}

function otherTasks(parts: UpkeepParts): readonly Task[] {
  const { clock, stores } = parts;
  const { storage, deliveries, mails, oauthTokens, paymentMethods, tokens, usage } = stores;
  return [
    {
      name: 'expired_bank_tokens',
      everyMs: HOUR,
      run: async () => {
        const erased = await tokens.eraseExpired(ago(clock, TOKENS_KEPT_MS), PURGE_BATCH);
        return erased >= PURGE_BATCH && { pauseMs: PAUSE_MS };
      },
    },
    {
      name: 'unused_bank_accounts',
      everyMs: HOUR,
      run: async () => {
        const createdBefore = ago(clock, UNUSED_METHOD_DAYS * DAY);
        const limit = PURGE_BATCH;
        const erased = await paymentMethods.eraseUnused({ createdBefore, at: clock.now(), limit });
        return erased >= PURGE_BATCH && { pauseMs: PAUSE_MS };
      },
    },
    purgingOldest(parts, { name: 'old_answers', table: 'idempotency_keys' }, () =>
      storage.idempotency.purge(ago(clock, ANSWERS_KEPT_MS), PURGE_BATCH),
    ),
    purgingOldest(parts, { name: 'old_key_usage', table: 'key_usage' }, () =>
      usage.purge(clock.now(), PURGE_BATCH),
    ),
    purgingOldest(parts, { name: 'old_tokens', table: 'access_tokens' }, () =>
      oauthTokens.purge(clock.now(), PURGE_BATCH),
    ),
    purgingOldest(parts, { name: 'old_mails', table: 'mails' }, () =>
      mails.purge(ago(clock, MAILS_KEPT_MS), PURGE_BATCH),
    ),
    ...COUNT_INTERVALS.map((interval) =>
      purgingOldest(parts, { name: `old_counts_by_${interval}`, table: 'delivery_counts' }, () =>
        deliveries.purgeCounts(interval, ago(clock, COUNTS_KEPT_MS[interval] + DAY), PURGE_BATCH),
      ),
    ),
  ];
}

interface PurgeName {
  readonly name: string;
  readonly table: string;
}

/** @param purge does one batch */
function purging(
  { telemetry }: UpkeepParts,
  { name, table }: PurgeName,
  purge: () => Promise<Purged>,
): Task {
  return {
    name,
    everyMs: HOUR,
    run: async () => {
      const { deleted, hasMore } = await purge();
      if (deleted > 0) telemetry.count('paymount_purged_rows_total', { table }, deleted);
      return hasMore && { pauseMs: PAUSE_MS };
    },
  };
}

/** @param purge deletes at most one batch, and says how many rows */
function purgingOldest(parts: UpkeepParts, names: PurgeName, purge: () => Promise<number>): Task {
  return purging(parts, names, async () => {
    const deleted = await purge();
    return { deleted, hasMore: deleted >= PURGE_BATCH };
  });
}

function ago(clock: UpkeepParts['clock'], ms: number): Date {
  return new Date(clock.now().getTime() - ms);
}

/** Each batch begins where the previous one ended; after the last row the first follows. */
function walking<Position>(
  purge: (after?: Position) => Promise<{ readonly deleted: number; readonly next?: Position }>,
): () => Promise<Purged> {
  let after: Position | undefined;
  return async () => {
    const { deleted, next } = await purge(after);
    after = next;
    return { deleted, hasMore: next !== undefined };
  };
}
