import type { EndpointLane } from '@paymount/core/events';
import { toError } from '@paymount/core/kernel';
import type { Lanes, SendEnd, Slot } from '../lanes/lanes.ts';
import type { EndedAttempt } from './attempt.ts';
import type { BackgroundWrites } from './background-writes.ts';
import type { LeasedRow } from './lease.ts';
import { type MakeAttemptPorts, makeAttempt } from './make-attempt.ts';

/** Nearly all responses end within this time. */
const SET_ASIDE_EVERY_MS = 500;

export interface AttemptInSlotPorts extends MakeAttemptPorts {
  readonly lanes: Lanes;
  readonly backgroundWrites: Pick<BackgroundWrites, 'recordLane' | 'release'>;
}

/**
 * Makes an attempt and then releases its slot. What it shows about the speed of the endpoint decides
 * the lane of both. If it takes over 0.5 s (3 s in the slow lane) while the lane is busy, it continues
 * without its slot.
 * @param onFreed called if a slot of this lane becomes free before the end
 * @returns undefined if nothing was sent; never throws
 */
export async function attemptInSlot(
  row: LeasedRow,
  slot: Slot,
  ports: AttemptInSlotPorts,
  onFreed: (lane: EndpointLane) => void,
): Promise<EndedAttempt | undefined> {
  const { lanes, backgroundWrites, logger } = ports;
  const { delivery } = row;
  let ended: EndedAttempt | undefined;
  const timer = setInterval(() => {
    if (lanes.setAside(slot)) onFreed(slot.lane);
  }, SET_ASIDE_EVERY_MS);
  try {
    ended = await makeAttempt(row, ports, () => {
      const freesSlot = slot.lane === 'fast' && !slot.isAside;
      if (lanes.moveToSlow(slot)) backgroundWrites.recordLane(slot.endpointId, 'slow');
      if (freesSlot) onFreed('fast');
    });
  } catch (error) {
    const facts = { delivery: delivery.id, attempt: delivery.attempt, err: toError(error) };
    logger.error(facts, 'A delivery attempt was interrupted; its lease will expire.');
  } finally {
    clearInterval(timer);
  }
  if (lanes.leave(slot, endOf(ended))) backgroundWrites.recordLane(slot.endpointId, 'fast');
  return ended;
}

function endOf(ended: EndedAttempt | undefined): SendEnd {
  if (ended === undefined) return 'unsent';
  if (ended.verdict.next === 'succeeded') return 'accepted';
  return ended.record.responseStatus === undefined ? 'unanswered' : 'refused';
}
