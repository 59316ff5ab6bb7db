import { disputedBy, isFullyRefunded } from '../charges/charge.ts';
import { alertDueBy } from '../disputes/dispute.ts';
import { disputeChange, type Moved } from '../disputes/dispute-change.ts';
import { prevented } from '../disputes/dispute-moves.ts';
import { timeOf } from '../test-clocks/object-clock.ts';
import { already, early, type NoticeDecision } from './notice-applier.ts';
import type { NoticeRepositories } from './notice-storage.ts';
import { newFacts, type Reported, repeated } from './reported-dispute.ts';

/** Opens an alert, which takes no money; beside a chargeback too, since it may be about another one. */
export async function applyAlert(
  { data, charge, named, all, at }: Reported,
  rows: Pick<NoticeRepositories, 'refunds'>,
): Promise<NoticeDecision> {
  if (named?.status === 'warning_needs_response') return repeated(named, data);
  if (named !== undefined) return already();
  const open = all.find(({ status }) => status === 'warning_needs_response');
  if (open !== undefined) return early(`Alert ${open.id} of the charge is still open.`);
  const facts = newFacts({ data, charge, at, dueBy: alertDueBy(timeOf(charge, at)) });
  const alert: Moved = {
    trigger: 'alert',
    dispute: { ...facts, status: 'warning_needs_response' },
  };
  const naming = disputedBy(charge, facts.id, false);
  // A refund that is not confirmed yet may still fail.
  const isPrevented =
    isFullyRefunded(charge) && !(await rows.refunds.hasPending(charge, charge.id));
  const moves = isPrevented ? ([alert, prevented(alert.dispute)] as const) : ([alert] as const);
  const from = { isNew: true, charge: naming, changesCharge: true };
  const change = disputeChange([...moves], from, { at, source: 'processor' });
  return { decision: 'applied', change };
}
