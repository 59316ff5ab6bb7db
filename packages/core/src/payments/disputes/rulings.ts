import { type Charge, disputedBy } from '../charges/charge.ts';
import { timeOf } from '../test-clocks/object-clock.ts';
import type { Chargeback, Dispute, DisputeFacts } from './dispute.ts';
import { type Cause, disputeChange, disputeRowChange, type Moved } from './dispute-change.ts';
import { lost, type Ruled, reopened, ruledAgain, ruledLost, ruledWon } from './dispute-moves.ts';
import { roomFor } from './dispute-rules.ts';
import type { DisputeChange } from './dispute-storage.ts';

/** A chargeback with what decides whether it may take money again, under the lock of the charge. */
export interface ChargebackContext {
  readonly dispute: Chargeback;
  readonly charge: Charge;
  /** Every dispute of the charge. */
  readonly all: readonly Dispute[];
}

/** A ruling, of the round of the dispute or a later one. */
export interface Ruling extends Ruled {
  readonly outcome: 'won' | 'lost';
}

/**
 * The change of a ruling. One that reverses an earlier ruling books the money again, in the other
 * direction.
 * @returns undefined if other chargebacks have taken what it would take again
 */
export function rulingChange(
  context: ChargebackContext,
  { outcome, ...ruled }: Ruling,
  cause: Cause,
): DisputeChange | undefined {
  const { dispute, charge } = context;
  const now = timeOf(charge, cause.at);
  const from = { isNew: false, charge, changesCharge: false };
  if (outcome === 'won') {
    return dispute.status === 'won'
      ? disputeRowChange(ruledAgain(dispute, ruled), charge, cause.at)
      : disputeChange([ruledWon(dispute, ruled, now)], from, cause);
  }
  if (dispute.status === 'lost') {
    return disputeRowChange(ruledAgain(dispute, ruled), charge, cause.at);
  }
  if (!canTake(context)) return undefined;
  return disputeChange([ruledLost(dispute, ruled, now)], from, cause);
}

/**
 * The change of a later round, in which the dispute waits for an answer again.
 * @param opened.facts in that round, with the version of the new row
 * @returns undefined if other chargebacks have taken what it would take again
 */
export function reopeningChange(
  context: ChargebackContext,
  { facts, isContestable }: { readonly facts: DisputeFacts; readonly isContestable: boolean },
  cause: Cause,
): DisputeChange | undefined {
  if (!canTake(context)) return undefined;
  const { dispute, charge } = context;
  const opened = reopened(dispute, facts, timeOf(charge, cause.at));
  const moves: readonly [Moved, ...Moved[]] = isContestable
    ? [opened]
    : [opened, lost(opened.dispute, 'not_contestable')];
  const from = {
    isNew: false,
    charge: disputedBy(charge, dispute.id, true),
    changesCharge: true,
  };
  return disputeChange(moves, from, cause);
}

/** Only what was given back is taken again. */
function canTake({ dispute, charge, all }: ChargebackContext): boolean {
  if (dispute.status !== 'won') return true;
  const others = all.filter(({ id }) => id !== dispute.id);
  return dispute.amount <= roomFor(charge, others);
}
