import { DispatchHub, ReplayService, toReplayResource } from '@paymount/core/events';
import { newId, type Owner } from '@paymount/core/kernel';
import { createPostgresStorage } from '@paymount/storage-postgres';

/** A few batches a second, so that a worker comes by each place more than once. */
const RATE = 50;

/**
 * Starts a replay of all that is recorded, to every endpoint.
 * @param shiftMs how far the clock of the hosts is ahead
 */
export async function replayAll(databaseUrl: string, owner: Owner, shiftMs: number): Promise<void> {
  const postgres = createPostgresStorage({ connection: databaseUrl, dispatch: new DispatchHub() });
  const clock = {
    now: () => new Date(Date.now() + shiftMs),
    monotonicMs: () => performance.now(),
    shiftMs,
  };
  try {
    const replays = new ReplayService({ storage: postgres.storage, clock });
    const principal = { ...owner, kind: 'host', scopes: 'all' } as const;
    const call = { principal, requestId: newId('req') };
    await replays.create(call, { rate: RATE, dry_run: false }, toReplayResource);
  } finally {
    await postgres.close();
  }
}
