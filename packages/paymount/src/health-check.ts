import { within } from '@paymount/core';
import type { CheckHealth } from '@paymount/management';
import type { Parts } from './parts.ts';

/** What does not answer by then counts as out of reach. */
const LIMIT_MS = 2_000;

/** Looks at database, epoch, queue and sealing keys, side by side. */
export function healthCheck(
  parts: Pick<Parts, 'postgres' | 'ring' | 'wakeUps' | 'clock'>,
): CheckHealth {
  const { postgres, ring, wakeUps, clock } = parts;
  return async () => {
    const startedMs = clock.monotonicMs();
    const [latencyMs, epoch, overdueMs, sealingKey] = await Promise.all([
      inTime(postgres.deliveries.databaseTime().then(() => clock.monotonicMs() - startedMs)),
      inTime(postgres.credentials.syncEpoch(undefined)),
      inTime(postgres.deliveries.overdueMs(clock.shiftMs)),
      inTime(ring.current().then(({ kid }) => kid)),
    ]);
    return {
      database:
        latencyMs === undefined
          ? { reachable: false }
          : { reachable: true, latencyMs: Math.round(latencyMs * 10) / 10 },
      ...(epoch && { epoch: { gen: epoch.current.gen, inRecovery: epoch.inRecovery } }),
      queue: wakeUps === undefined ? 'absent' : wakeUps.healthy() ? 'reachable' : 'unreachable',
      ...(overdueMs === undefined ? {} : { overdueMs }),
      ...(sealingKey === undefined ? {} : { sealingKey }),
    };
  };
}

/** @returns undefined for what failed or took too long */
function inTime<Value>(work: Promise<Value>): Promise<Value | undefined> {
  return within(work, LIMIT_MS).catch(() => undefined);
}
