import type { ClaimedDelivery } from '@paymount/core/events';

/** A claimed row that waits for a slot, or for the moment at which it is due. */
export interface Waiting {
  readonly delivery: ClaimedDelivery;
  readonly claimedAtMs: number;
  readonly notBeforeMs: number;
}

/** Replays come after fresh events; otherwise the order stays. */
export function freshFirst(waiting: readonly Waiting[]): readonly Waiting[] {
  return [
    ...waiting.filter(({ delivery }) => delivery.origin === 'event'),
    ...waiting.filter(({ delivery }) => delivery.origin === 'replay'),
  ];
}
