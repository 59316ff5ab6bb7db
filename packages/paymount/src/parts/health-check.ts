import { remindsCustomers } from '@paymount/core/billing';
import { SchemaError, withTimeout } from '@paymount/core/kernel';
import type { NoticeReviewCount, ReviewCount } from '@paymount/core/payments';
import type { DueSubscriptions, StoredState } from '@paymount/core/store';
import type { CheckHealth, Health, Waiting, WaitingNotices } from '@paymount/management';
import type { Parts } from './parts.ts';
import { missingKeys } from './stored-secrets.ts';

/** A part that does not respond within this time counts as unreachable. */
const LIMIT_MS = 2_000;

type CheckedParts = Pick<
  Parts,
  'options' | 'stores' | 'ring' | 'sealer' | 'wakeUps' | 'workers' | 'clock' | 'invoiceSettings'
>;

/** Checks each part, in parallel. Calls at the same time, as of all gauges, share one check. */
export function healthCheck(parts: CheckedParts): CheckHealth {
  let running: Promise<Health> | undefined;
  return () => {
    running ??= check(parts).finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function check(parts: CheckedParts): Promise<Health> {
  const { stores, ring, sealer, workers, clock, invoiceSettings } = parts;
  const { sealed } = stores;
  const startedMs = clock.monotonicMs();
  const [
    latencyMs,
    schema,
    epoch,
    overdueMs,
    state,
    review,
    notices,
    waitingPayouts,
    due,
    hook,
    sealingKey,
    missing,
  ] = await Promise.all([
    inTime(stores.deliveries.databaseTime().then(() => clock.monotonicMs() - startedMs)),
    inTime(schemaState(parts)),
    inTime(stores.credentials.syncEpoch(undefined)),
    inTime(stores.deliveries.overdueMs(clock.shiftMs)),
    inTime(stores.state.read(clock.now())),
    inTime(stores.directory.operations.underReview()),
    inTime(stores.directory.notices.underReview()),
    inTime(stores.state.countWaitingPayouts()),
    inTime(stores.state.countDueSubscriptions(clock.now())),
    inTime(hookState(parts)),
    inTime(ring.current().then(({ kid }) => kid)),
    inTime(missingKeys({ sealed, sealer, ring })),
  ]);
  const worker = workers.status();
  return {
    database:
      latencyMs === undefined
        ? { reachable: false }
        : { reachable: true, latencyMs: Math.round(latencyMs * 10) / 10 },
    queue: queueState(parts),
    ...(schema && { schema }),
    ...(epoch && { epoch: { gen: epoch.current.gen, inRecovery: epoch.inRecovery } }),
    ...(worker && { worker }),
    ...(overdueMs === undefined ? {} : { overdueMs }),
    ...(state && toHealth(state, clock.now())),
    ...(review && {
      operations: {
        live: toWaiting(review.live, clock.now()),
        test: toWaiting(review.test, clock.now()),
      },
    }),
    ...(notices && {
      notices: {
        live: toWaitingNotices(notices.live, clock.now()),
        test: toWaitingNotices(notices.test, clock.now()),
      },
    }),
    ...(waitingPayouts && { waitingPayouts }),
    ...(due && { subscriptions: toSubscriptions(due, clock.now(), invoiceSettings) }),
    ...(hook && { hook }),
    ...(sealingKey === undefined ? {} : { sealingKey }),
    ...(missing === undefined ? {} : { missingSealingKeys: missing }),
  };
}

function queueState({ wakeUps }: Pick<CheckedParts, 'wakeUps'>): Health['queue'] {
  if (wakeUps === undefined) return 'absent';
  if (!wakeUps.healthy()) return 'unreachable';
  return wakeUps.evicts() ? 'evicting' : 'reachable';
}

async function schemaState({
  stores,
}: Pick<CheckedParts, 'stores'>): Promise<NonNullable<Health['schema']>> {
  try {
    await stores.assertSchema();
    return 'current';
  } catch (error) {
    if (error instanceof SchemaError) return 'unusable';
    throw error;
  }
}

async function hookState({
  options,
  stores,
}: Pick<CheckedParts, 'options' | 'stores'>): Promise<NonNullable<Health['hook']>> {
  if (options.hook !== undefined) return 'present';
  return (await stores.hookUse.since()) === undefined ? 'none' : 'missing';
}

function toHealth(
  { logDaysAhead, mails: { waiting, since, givenUp }, endpoints }: StoredState,
  now: Date,
): Pick<Health, 'logDaysAhead' | 'mails' | 'endpoints'> {
  const oldest = since && { oldestMs: Math.max(0, now.getTime() - since.getTime()) };
  return { logDaysAhead, mails: { waiting, ...oldest, givenUp }, endpoints };
}

function toSubscriptions(
  { due, since, pastDue, failing, reminders }: DueSubscriptions,
  now: Date,
  settings: CheckedParts['invoiceSettings'],
): NonNullable<Health['subscriptions']> {
  const ageOf = (from?: Date): number => (from ? Math.max(0, now.getTime() - from.getTime()) : 0);
  return {
    due,
    oldestMs: ageOf(since),
    pastDue,
    failing,
    // What was planned before the host turned its e-mails off is never sent.
    reminders: remindsCustomers(settings)
      ? { due: reminders.due, oldestMs: ageOf(reminders.since), failing: reminders.failing }
      : { due: 0, oldestMs: 0, failing: 0 },
  };
}

function toWaiting({ count, hookWaits, since }: ReviewCount, now: Date): Waiting {
  return {
    underReview: count,
    hookWaits,
    ...(since && { oldestMs: Math.max(0, now.getTime() - since.getTime()) }),
  };
}

function toWaitingNotices({ count, since }: NoticeReviewCount, now: Date): WaitingNotices {
  return {
    underReview: count,
    ...(since && { oldestMs: Math.max(0, now.getTime() - since.getTime()) }),
  };
}

/** @returns undefined if the check failed or took too long */
function inTime<Value>(work: Promise<Value>): Promise<Value | undefined> {
  return withTimeout(work, LIMIT_MS).catch(() => undefined);
}
