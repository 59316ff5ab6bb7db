import { type Book, isOpenChargeback, taken } from './book.ts';
import { ALERT_MS, ANSWER_MS, type Charge, type Dispute } from './objects.ts';

export function lost(book: Book, dispute: Dispute, closedReason: string): void {
  Object.assign(dispute, { status: 'lost', closedReason });
  book.events.push(`dispute.lost ${dispute.reference}`);
}

/** What the bank says of a dispute. */
export interface Case {
  readonly charge: Charge;
  readonly reference: string;
  readonly amount: number;
  readonly isContestable: boolean;
}

const unanswered = { evidence: null, submissions: 0 } as const;

/** An alert was reported. */
export function alerted(book: Book, { charge, reference, amount }: Case): void {
  if (book.disputesOf(charge).some((dispute) => dispute.reference === reference)) return;
  const dueAtMs = charge.timeline.nowMs + ALERT_MS;
  const state = { status: 'warning_needs_response', closedReason: null } as const;
  // A refund that is pending may still fail.
  const isPending = book.refunds.some(
    (each) => each.charge === charge && each.status === 'pending',
  );
  const isRefunded = charge.refunded === charge.captured && !isPending;
  const dispute = { ...unanswered, id: undefined, reference, charge, amount, dueAtMs };
  book.disputes.push({ ...dispute, ...(isRefunded ? PREVENTED : state) });
  book.events.push(`dispute.alert ${reference}`);
}

export const PREVENTED = { status: 'prevented', closedReason: 'refunded' } as const;

/**
 * A second alert of a charge waits until the first has ended, and one of more than was captured waits for a
 * person. No step here does either.
 */
export function canAlert(book: Book, { charge, amount }: Case): boolean {
  const isOpen = book.disputesOf(charge).some(({ status }) => status === 'warning_needs_response');
  return !isOpen && amount <= charge.captured;
}

/** A chargeback that others leave no room for waits for a ruling, which no step here does. */
export function canChargeBack(book: Book, { charge, reference, amount }: Case): boolean {
  const { known, others } = disputesBeside(book, charge, reference);
  if (known && !BECOME_CHARGEBACKS.includes(known.status)) return true;
  return amount <= charge.captured - taken(others);
}

function disputesBeside(book: Book, charge: Charge, reference: string) {
  const all = book.disputesOf(charge);
  const known =
    all.find((dispute) => dispute.reference === reference) ??
    all.find(({ status }) => status === 'warning_needs_response');
  return { known, others: all.filter((dispute) => dispute !== known) };
}

const BECOME_CHARGEBACKS: readonly Dispute['status'][] = [
  ...(['warning_needs_response', 'warning_closed', 'prevented'] as const),
];

/** A chargeback was reported: a new dispute, or the next step of one. */
export function chargedBack(book: Book, reported: Case): void {
  const { charge, reference, amount, isContestable } = reported;
  const { known } = disputesBeside(book, charge, reference);
  if (known && !BECOME_CHARGEBACKS.includes(known.status)) return;
  const dispute: Dispute = known ?? {
    ...unanswered,
    id: undefined,
    reference,
    charge,
    amount,
    closedReason: null,
    dueAtMs: 0,
    status: 'needs_response',
  };
  if (known === undefined) book.disputes.push(dispute);
  renameEvents(book, dispute.reference, reference);
  Object.assign(dispute, { reference, amount, status: 'needs_response', closedReason: null });
  dispute.dueAtMs = charge.timeline.nowMs + ANSWER_MS;
  charge.isDisputed = true;
  book.book(-amount, charge);
  charge.lines.moves.push(-amount);
  book.events.push(`dispute.created ${reference}`);
  if (!isContestable) lost(book, dispute, 'not_contestable');
}

/** Events name disputes by their reference, which may change. */
function renameEvents(book: Book, before: string, after: string): void {
  for (const [index, event] of book.events.entries()) {
    const [type, subject] = event.split(' ');
    if (subject === before) book.events[index] = `${type} ${after}`;
  }
}

/** A ruling about an alert waits for its chargeback, which no step here does. */
export function isRuledAbout(dispute: Dispute, outcome: string): boolean {
  return outcome === 'warning_closed' || !BECOME_CHARGEBACKS.includes(dispute.status);
}

/** A ruling was reported. */
export function ruled(
  book: Book,
  dispute: Dispute,
  outcome: 'won' | 'lost' | 'warning_closed',
): void {
  if (outcome === 'warning_closed') {
    if (dispute.status === 'warning_needs_response') dispute.status = 'warning_closed';
    return;
  }
  const { closedReason } = dispute;
  const isUnruled =
    dispute.status === 'lost' && ['expired', 'accepted'].includes(closedReason ?? '');
  if (!isOpenChargeback(dispute) && !isUnruled) return;
  if (isUnruled && outcome === 'lost') {
    // It is lost already, and now the issuer has said so.
    dispute.closedReason = 'ruling';
    return;
  }
  // It may have been answered at the processor all the same.
  if (outcome === 'lost') {
    lost(book, dispute, 'ruling');
    return;
  }
  Object.assign(dispute, { status: 'won', closedReason: 'ruling' });
  book.book(dispute.amount, dispute.charge);
  dispute.charge.lines.moves.push(dispute.amount);
  book.events.push(`dispute.won ${dispute.reference}`);
}
