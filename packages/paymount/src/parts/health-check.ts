import { withTimeout } from '@paymount/core/kernel';
import type { ReviewCount } from '@paymount/core/payments';
import type { CheckHealth, Health, Waiting } from '@paymount/management';
import type { Parts } from './parts.ts';
import { missingKeys } from './stored-secrets.ts';

/** A part that does not respond within this time counts as unreachable. */
const LIMIT_MS = 2_000;

/** Checks the database, epoch, queue, hook and sealing keys, in parallel. */
export function healthCheck(
  parts: Pick<Parts, 'options' | 'stores' | 'ring' | 'sealer' | 'wakeUps' | 'clock'>,
): CheckHealth {
  const { stores, ring, sealer, wakeUps, clock } = parts;
  const { sealed } = stores;
  return async () => {
    const startedMs = clock.monotonicMs();
    const [latencyMs, epoch, overdueMs, review, hook, sealingKey, missing] = await Promise.all([
      inTime(stores.deliveries.databaseTime().then(() => clock.monotonicMs() - startedMs)),
      inTime(stores.credentials.syncEpoch(undefined)),
      inTime(stores.deliveries.overdueMs(clock.shiftMs)),
      inTime(stores.directory.operations.underReview()),
      inTime(hookState(parts)),
      inTime(ring.current().then(({ kid }) => kid)),
      inTime(missingKeys({ sealed, sealer, ring })),
    ]);
    return {
      database:
        latencyMs === undefined
          ? { reachable: false }
          : { reachable: true, latencyMs: Math.round(latencyMs * 10) / 10 },
      ...(epoch && { epoch: { gen: epoch.current.gen, inRecovery: epoch.inRecovery } }),
      queue: wakeUps === undefined ? 'absent' : wakeUps.healthy() ? 'reachable' : 'unreachable',
      ...(overdueMs === undefined ? {} : { overdueMs }),
      ...(review && {
        operations: {
          live: toWaiting(review.live, clock.now()),
          test: toWaiting(review.test, clock.now()),
        },
      }),
      ...(hook && { hook }),
      ...(sealingKey === undefined ? {} : { sealingKey }),
      ...(missing === undefined ? {} : { missingSealingKeys: missing }),
    };
  };
}

async function hookState({
  options,
  stores,
}: Pick<Parts, 'options' | 'stores'>): Promise<NonNullable<Health['hook']>> {
  if (options.hook !== undefined) return 'present';
  return (await stores.hookUse.since()) === undefined ? 'none' : 'missing';
}

function toWaiting({ count, hookWaits, since }: ReviewCount, now: Date): Waiting {
  return {
    underReview: count,
    hookWaits,
    ...(since && { oldestMs: Math.max(0, now.getTime() - since.getTime()) }),
  };
}

/** @returns undefined if the check failed or took too long */
function inTime<Value>(work: Promise<Value>): Promise<Value | undefined> {
  return withTimeout(work, LIMIT_MS).catch(() => undefined);
}
