import type { Environment, Sample } from '@paymount/core/kernel';
import { PAYOUT_OBSTACLES } from '@paymount/core/payments';
import type { Health, Waiting } from '@paymount/management';
import type { Parts } from './parts.ts';

type OneGauge = 'paymount_database_reachable';
type OfEnvironment = Sample<'paymount_operations_under_review'>;

/** Registers who tells each gauge: the health of the installation, and the worker of this process. */
export function watchGauges({
  telemetry,
  checkHealth,
  wakeUps,
  workers,
}: Pick<Parts, 'telemetry' | 'checkHealth' | 'wakeUps' | 'workers'>): void {
  const fromHealth = async <Value>(read: (health: Health) => Value): Promise<Value> =>
    read(await checkHealth());
  telemetry.watch('paymount_database_reachable', () =>
    fromHealth(({ database }) => one(Number(database.reachable))),
  );
  telemetry.watch('paymount_queue_up', () => wakeUps && one(Number(wakeUps.healthy())));
  telemetry.watch('paymount_clock_offset_seconds', () => seconds(workers.status()?.clockOffsetMs));
  telemetry.watch('paymount_worker_poll_age_seconds', () => seconds(workers.status()?.pollAgeMs));
  telemetry.watch('paymount_worker_sending_held', () => {
    const status = workers.status();
    return status && one(Number(status.sendingHeld));
  });
  telemetry.watch('paymount_worker_endpoints_locked', () => {
    const status = workers.status();
    return status && one(status.lockedEndpoints.length);
  });
  telemetry.watch('paymount_deliveries_in_flight', () =>
    Object.entries(workers.status()?.inFlight ?? {}).map(([lane, value]) => ({
      value,
      labels: { lane },
    })),
  );
  telemetry.watch('paymount_deliveries_overdue_seconds', () =>
    fromHealth(
      ({ overdueMs }) =>
        overdueMs &&
        Object.entries(overdueMs).map(([lane, ms]) => ({ value: toSeconds(ms), labels: { lane } })),
    ),
  );
  telemetry.watch('paymount_endpoints', () =>
    fromHealth(
      ({ endpoints }) =>
        endpoints &&
        (['enabled', 'disabled'] as const).flatMap((status) =>
          Object.entries(endpoints[status]).map(([lane, value]) => ({
            value,
            labels: { status, lane },
          })),
        ),
    ),
  );
  telemetry.watch('paymount_endpoints_failing', () =>
    fromHealth(({ endpoints }) => endpoints && one(endpoints.failing)),
  );
  telemetry.watch('paymount_log_partitions_ahead', () =>
    fromHealth(({ logDaysAhead }) => (logDaysAhead === undefined ? undefined : one(logDaysAhead))),
  );
  telemetry.watch('paymount_mails_waiting', () =>
    fromHealth(({ mails }) => mails && one(mails.waiting)),
  );
  telemetry.watch('paymount_operations_under_review', () =>
    fromHealth(byEnvironment(({ underReview }) => underReview)),
  );
  telemetry.watch('paymount_notices_under_review', () => fromHealth(noticesUnderReview));
  telemetry.watch('paymount_payouts_waiting', () => fromHealth(payoutsWaiting));
  watchSubscriptions(telemetry, fromHealth);
  telemetry.watch('paymount_operations_hook_waits', () =>
    fromHealth(byEnvironment(({ hookWaits }) => hookWaits)),
  );
  telemetry.watch('paymount_operations_under_review_oldest_seconds', () =>
    fromHealth(byEnvironment(({ oldestMs = 0 }) => toSeconds(oldestMs))),
  );
}

function watchSubscriptions(
  telemetry: Parts['telemetry'],
  fromHealth: <Value>(read: (health: Health) => Value) => Promise<Value>,
): void {
  telemetry.watch('paymount_subscriptions_due', () =>
    fromHealth(({ subscriptions }) => subscriptions && one(subscriptions.due)),
  );
  telemetry.watch('paymount_subscriptions_due_oldest_seconds', () =>
    fromHealth(({ subscriptions }) => seconds(subscriptions?.oldestMs)),
  );
  telemetry.watch('paymount_subscriptions_past_due', () => fromHealth(pastDue));
  telemetry.watch('paymount_billing_failing', () =>
    fromHealth(({ subscriptions }) => subscriptions && one(subscriptions.failing)),
  );
  telemetry.watch('paymount_reminders_due', () =>
    fromHealth(({ subscriptions }) => subscriptions && one(subscriptions.reminders.due)),
  );
  telemetry.watch('paymount_reminders_due_oldest_seconds', () =>
    fromHealth(({ subscriptions }) => seconds(subscriptions?.reminders.oldestMs)),
  );
  telemetry.watch('paymount_reminders_failing', () =>
    fromHealth(({ subscriptions }) => subscriptions && one(subscriptions.reminders.failing)),
  );
}

function noticesUnderReview({ notices }: Health): readonly OfEnvironment[] | undefined {
  if (notices === undefined) return undefined;
  return (['live', 'test'] as const).map((environment) => ({
    value: notices[environment].underReview,
    labels: { environment },
  }));
}

/** All reasons, so that a series does not end where nothing waits any more. */
function payoutsWaiting({
  waitingPayouts,
}: Health): readonly Sample<'paymount_payouts_waiting'>[] | undefined {
  if (waitingPayouts === undefined) return undefined;
  return (['live', 'test'] as const).flatMap((environment) =>
    PAYOUT_OBSTACLES.map((obstacle) => ({
      value: waitingPayouts[environment][obstacle] ?? 0,
      labels: { environment, waits_for: obstacle },
    })),
  );
}

/** All classes, so that a series does not end where none is past due any more. */
function pastDue({
  subscriptions,
}: Health): readonly Sample<'paymount_subscriptions_past_due'>[] | undefined {
  return (
    subscriptions &&
    Object.entries(subscriptions.pastDue).map(([name, value]) => ({
      value,
      labels: { class: name },
    }))
  );
}

function one(value: number): readonly Sample<OneGauge>[] {
  return [{ value, labels: {} }];
}

function seconds(ms: number | undefined): readonly Sample<OneGauge>[] | undefined {
  return ms === undefined ? undefined : one(toSeconds(ms));
}

function toSeconds(ms: number): number {
  return Math.round(ms) / 1_000;
}

function byEnvironment(
  read: (waiting: Waiting) => number,
): (health: Health) => readonly OfEnvironment[] | undefined {
  const sample = (operations: NonNullable<Health['operations']>, environment: Environment) => ({
    value: read(operations[environment]),
    labels: { environment },
  });
  return ({ operations }) => operations && [sample(operations, 'live'), sample(operations, 'test')];
}
