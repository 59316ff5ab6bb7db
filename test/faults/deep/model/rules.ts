import {
  ALERT_MS,
  ANSWER_MS,
  AUTHORIZATION_MS,
  type Book,
  type Charge,
  type Dispute,
  FUNDS_WAIT_MS,
  isOpenChargeback,
  type Open,
  type Payout,
  type Refund,
  taken,
} from './book.ts';

/** Until the first look-up after an answer that did not come. */
export const LOOK_UP_MS = 10_000;

/** The outcome of a request to the bank becomes known. */
export function settle(book: Book, open: Open): void {
  const isApproved = open.verdict === 'approved';
  switch (open.kind) {
    case 'authorize':
      authorized(book, open.subject as Charge, isApproved);
      break;
    case 'capture':
      if (isApproved) captured(book, open.subject as Charge, open.amount);
      break;
    case 'cancel':
      if ('charge' in open.subject) refundSettled(book, open.subject as Refund, isApproved);
      else if (isApproved) (open.subject as Charge).status = 'canceled';
      break;
    case 'refund':
      refundSettled(book, open.subject as Refund, isApproved);
      break;
    case 'payout':
      if (isApproved) paid(book, open.subject as Payout);
      else payoutFailed(book, open.subject as Payout);
      break;
    case 'evidence':
    case 'close':
      answered(book, open.subject as Dispute, open.kind, isApproved);
  }
}

/** After a ruling, an answer changes nothing. */
function answered(
  book: Book,
  dispute: Dispute,
  kind: 'evidence' | 'close',
  isApproved: boolean,
): void {
  if (!isApproved || dispute.status !== 'needs_response') return;
  if (kind === 'evidence') dispute.status = 'under_review';
  else lost(book, dispute, 'accepted');
}

function authorized(book: Book, charge: Charge, isApproved: boolean): void {
  if (!isApproved) failed(book, charge);
  else if (!charge.isManual) captured(book, charge, charge.amount);
  else {
    charge.status = 'authorized';
    charge.expiresAtMs = book.nowMs + AUTHORIZATION_MS;
  }
}

function failed(book: Book, charge: Charge): void {
  charge.status = 'failed';
  book.events.push(`charge.failed ${charge.id}`);
}

function captured(book: Book, charge: Charge, amount: number): void {
  charge.status = 'succeeded';
  charge.captured = amount;
  charge.fundsAtMs = book.nowMs + FUNDS_WAIT_MS;
  book.book(amount, charge.fundsAtMs);
  book.events.push(`charge.${charge.isManual ? 'captured' : 'succeeded'} ${charge.id}`);
}

function refundSettled(book: Book, refund: Refund, isApproved: boolean): void {
  const { charge } = refund;
  if (!isApproved) {
    refundFailed(book, refund);
    return;
  }
  refund.status = 'succeeded';
  if (refund.fundsAtMs === undefined) {
    charge.status = 'canceled';
    return;
  }
  book.events.push(`charge.refunded ${charge.id}`);
  const others = book.refunds.filter((each) => each.charge === charge && each.status === 'pending');
  const alert = book.disputesOf(charge).find(({ status }) => status === 'warning_needs_response');
  if (alert && others.length === 0 && charge.refunded === charge.captured) {
    Object.assign(alert, PREVENTED);
  }
}

/** Rejected, or returned by the bank. */
export function refundFailed(book: Book, refund: Refund): void {
  refund.status = 'failed';
  if (refund.fundsAtMs === undefined) return;
  refund.charge.refunded -= refund.amount;
  book.book(refund.amount, refund.fundsAtMs);
}

function paid(book: Book, payout: Payout): void {
  payout.status = 'paid';
  book.events.push(`payout.paid ${payout.id}`);
}

/** Rejected, or returned by the bank. */
export function payoutFailed(book: Book, payout: Payout): void {
  payout.status = 'failed';
  book.isBankErrored = true;
  book.book(payout.amount);
  book.events.push(`payout.failed ${payout.id}`);
}

function lost(book: Book, dispute: Dispute, closedReason: string): void {
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

/** An alert was reported. */
export function alerted(book: Book, { charge, reference, amount }: Case): void {
  const all = book.disputesOf(charge);
  if (all.some((dispute) => dispute.reference === reference)) return;
  if (amount > charge.captured - taken(all) || all.some(isUndecided)) return;
  const dueAtMs = book.nowMs + ALERT_MS;
  const state = { status: 'warning_needs_response', closedReason: null } as const;
  const isRefunded = charge.refunded === charge.captured;
  const dispute = { id: undefined, reference, charge, amount, dueAtMs };
  book.disputes.push({ ...dispute, ...(isRefunded ? PREVENTED : state) });
  book.events.push(`dispute.alert ${reference}`);
}

const PREVENTED = { status: 'prevented', closedReason: 'refunded' } as const;

function isUndecided(dispute: Dispute): boolean {
  return dispute.status === 'warning_needs_response' || isOpenChargeback(dispute);
}

/** A chargeback was reported: a new dispute, or the next step of one. */
export function chargedBack(book: Book, reported: Case): void {
  const { charge, reference, amount, isContestable } = reported;
  const all = book.disputesOf(charge);
  const known =
    all.find((dispute) => dispute.reference === reference) ??
    all.find(({ status }) => status === 'warning_needs_response');
  const others = all.filter((dispute) => dispute !== known);
  if (amount > charge.captured - taken(others)) return;
  if (known && !['warning_needs_response', 'warning_closed'].includes(known.status)) return;
  if (others.some(isUndecided)) return;
  const dispute: Dispute = known ?? {
    ...{ id: undefined, reference, charge, amount, closedReason: null, dueAtMs: 0 },
    status: 'needs_response',
  };
  if (known === undefined) book.disputes.push(dispute);
  renameEvents(book, dispute.reference, reference);
  Object.assign(dispute, { reference, amount, status: 'needs_response' });
  dispute.dueAtMs = book.nowMs + ANSWER_MS;
  charge.isDisputed = true;
  book.book(-amount);
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
  if (!isOpenChargeback(dispute)) return;
  if (outcome === 'lost') {
    lost(book, dispute, 'ruling');
    return;
  }
  Object.assign(dispute, { status: 'won', closedReason: 'ruling' });
  book.book(dispute.amount);
  book.events.push(`dispute.won ${dispute.reference}`);
}

/** Time has passed, and the worker has done what was due. */
export function passed(book: Book, nowMs: number): void {
  book.nowMs = nowMs;
  for (const open of book.open.splice(0)) {
    const { unsent } = open;
    if (unsent !== undefined) {
      delete open.unsent;
      open.knownAtMs = nowMs + (unsent.isSilent ? LOOK_UP_MS : unsent.afterMs);
      if (!unsent.isSilent && unsent.afterMs > 0) (open.subject as Payout).status = 'in_transit';
    }
    if (open.knownAtMs <= nowMs) settle(book, open);
    else book.open.push(open);
  }
  for (const charge of book.charges) {
    if (charge.status !== 'authorized' || charge.expiresAtMs > nowMs || book.busy(charge)) continue;
    charge.hasExpired = true;
    failed(book, charge);
  }
  for (const dispute of book.disputes) {
    if (dispute.dueAtMs > nowMs || book.openOf(dispute)) continue;
    if (dispute.status === 'needs_response') lost(book, dispute, 'expired');
    if (dispute.status === 'warning_needs_response') dispute.status = 'warning_closed';
  }
}
