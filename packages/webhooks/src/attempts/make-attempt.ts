import type { ClaimedDelivery, DeliveryQueue } from '@paymount/core/events';
import { PaymountError, toError } from '@paymount/core/kernel';
import {
  type AttemptPorts,
  attempt,
  type EndedAttempt,
  type SignedDelivery,
  sign,
} from './attempt.ts';
import type { BackgroundWrites } from './background-writes.ts';
import { type LeasedRow, lastStartMs } from './lease.ts';

const POSTPONE_MS = 60_000;

export interface MakeAttemptPorts extends AttemptPorts {
  readonly deliveries: Pick<DeliveryQueue, 'postpone'>;
  readonly backgroundWrites: Pick<BackgroundWrites, 'release'>;
}

/**
 * Signs a claimed delivery and sends it once.
 * @param onHeadersSlow called if no headers arrived after 3 s
 * @returns undefined if it was not sent, and no attempt is used up: a fault of ours postponed it,
 *   or signing took so long that its lease could expire during the send
 * @throws if it could not be postponed; its lease will expire
 */
export async function makeAttempt(
  { delivery, claimedAtMs }: LeasedRow,
  ports: MakeAttemptPorts,
  onHeadersSlow: () => void,
): Promise<EndedAttempt | undefined> {
  const signed = await signOrPostpone(delivery, ports);
  if (signed === undefined) return undefined;
  if (ports.clock.monotonicMs() > lastStartMs(claimedAtMs)) {
    ports.backgroundWrites.release([delivery]);
    return undefined;
  }
  const ended = await attempt(delivery, { ...signed, onHeadersSlow }, ports);
  if (ended === undefined) await postpone(delivery, false, ports);
  return ended;
}

async function signOrPostpone(
  delivery: ClaimedDelivery,
  ports: MakeAttemptPorts,
): Promise<SignedDelivery | undefined> {
  try {
    return await sign(delivery, ports);
  } catch (error) {
    const facts = { delivery: delivery.id, endpoint: delivery.endpointId, err: toError(error) };
    ports.logger.error(facts, 'A delivery cannot be signed; Paymount tries again in a minute.');
    // Unreachable sealing keys become available again; a broken secret does not.
    const broken = !(PaymountError.is(error) && error.code === 'unavailable');
    await postpone(delivery, broken, ports);
    return undefined;
  }
}

/** @param broken after some tries, the delivery fails */
async function postpone(
  { id, leaseToken }: ClaimedDelivery,
  broken: boolean,
  { deliveries }: MakeAttemptPorts,
): Promise<void> {
  await deliveries.postpone(leaseToken, [id], { ms: POSTPONE_MS, broken });
}
