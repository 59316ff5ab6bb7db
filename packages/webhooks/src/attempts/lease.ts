import type { ClaimedDelivery } from '@paymount/core/events';

/** 20 s for the send and 5 s to record it. */
export const LEASE_MS = 25_000;
/** A send starts only with this much of its lease left; otherwise the row is released. */
const MIN_LEASE_LEFT_MS = 22_000;

/** A row that this process has leased. */
export interface LeasedRow {
  readonly delivery: ClaimedDelivery;
  /** Monotonic, before the statement that leased it. */
  readonly claimedAtMs: number;
}

/** From this monotonic time on, the lease of a row is too old to start its send. */
export function lastStartMs(claimedAtMs: number): number {
  return claimedAtMs + LEASE_MS - MIN_LEASE_LEFT_MS;
}
