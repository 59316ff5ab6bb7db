import type { Book } from './book.ts';
import { lost, PREVENTED } from './dispute-rules.ts';
import {
  AUTHORIZATION_MS,
  type Charge,
  type Dispute,
  FUNDS_WAIT_MS,
  type Open,
  type Payout,
  type Refund,
  type Timeline,
} from './objects.ts';
import { deleteClocks, paid, payBySchedule, payoutFailed, send } from './payout-rules.ts';

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
      if (isApproved) answered(book, open);
  }
}

/** After a ruling, an answer changes nothing. */
function answered(book: Book, { kind, subject, isOfAlert }: Open): void {
  const dispute = subject as Dispute;
  const isChargeback = dispute.status === 'needs_response';
  if (kind === 'close') {
    if (isChargeback) lost(book, dispute, 'accepted');
    return;
  }
  if (!isChargeback && dispute.status !== 'warning_needs_response') return;
  dispute.submissions += 1;
  if (isChargeback && !isOfAlert) dispute.status = 'under_review';
}

function authorized(book: Book, charge: Charge, isApproved: boolean): void {
  if (!isApproved) failed(book, charge);
  else if (!charge.isManual) captured(book, charge, charge.amount);
  else {
    charge.status = 'authorized';
    charge.expiresAtMs = charge.timeline.nowMs + AUTHORIZATION_MS;
  }
}

function failed(book: Book, charge: Charge): void {
  charge.status = 'failed';
  book.events.push(`charge.failed ${charge.id}`);
}

function captured(book: Book, charge: Charge, amount: number): void {
  charge.status = 'succeeded';
  charge.captured = amount;
  charge.fundsAtMs = charge.timeline.nowMs + FUNDS_WAIT_MS;
  book.bookSale(charge);
  book.events.push(`charge.${charge.isManual ? 'captured' : 'succeeded'} ${charge.id}`);
}

function refundSettled(book: Book, refund: Refund, isApproved: boolean): void {
  const { charge } = refund;
  if (!isApproved) {
    refundUndone(book, refund, 'failed');
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

/** Rejected, returned by the bank, or canceled before it was sent. */
export function refundUndone(book: Book, refund: Refund, status: 'failed' | 'canceled'): void {
  refund.status = status;
  if (refund.fundsAtMs === undefined) return;
  refund.charge.refunded -= refund.amount;
  book.book(refund.amount, refund.charge, refund.fundsAtMs);
  refund.lines.moves.push(refund.amount);
}

/** A bank debit was submitted; the bank says later whether it clears. */
export function submitted(book: Book, open: Open): void {
  book.events.push(`charge.pending ${open.subject.id}`);
  open.knownAtMs = open.clearsAtMs ?? open.knownAtMs;
  delete open.clearsAtMs;
}

/**
 * Time has passed, on a clock or for all others, and the worker has done what was due.
 * @param canceled the payouts that are canceled then, by id
 */
export function passed(
  book: Book,
  nowMs: number,
  canceled: ReadonlySet<string>,
  timeline = book.real,
): void {
  timeline.nowMs = nowMs;
  const doubtful = send(book, timeline, canceled);
  if (timeline !== book.real) lookUp(book, timeline);
  else {
    lookUp(book);
    deleteClocks(book);
    payBySchedule(book);
  }
  for (const { id, bank } of doubtful) {
    if (!bank.isErrored) throw new Error(`Payout ${id} was canceled without a reason.`);
  }
  expire(book, timeline);
}

/** @param timeline of payouts; otherwise everything whose answer is awaited */
function lookUp(book: Book, timeline?: Timeline): void {
  const { nowMs } = book.real;
  for (const open of book.open.splice(0)) {
    const isMeant = timeline === undefined || (open.subject as Payout).timeline === timeline;
    if (open.unsent !== undefined || !isMeant || open.knownAtMs > nowMs) book.open.push(open);
    else if (open.clearsAtMs === undefined) settle(book, open);
    else {
      submitted(book, open);
      book.open.push(open);
    }
  }
}

function expire(book: Book, timeline: Timeline): void {
  const { nowMs } = timeline;
  for (const charge of book.charges) {
    if (charge.timeline !== timeline || charge.status !== 'authorized') continue;
    if (charge.expiresAtMs > nowMs || book.busy(charge)) continue;
    charge.hasExpired = true;
    failed(book, charge);
  }
  for (const dispute of book.disputes) {
    if (dispute.charge.timeline !== timeline) continue;
    if (dispute.dueAtMs > nowMs || book.openOf(dispute)) continue;
    if (dispute.status === 'needs_response') lost(book, dispute, 'expired');
    if (dispute.status === 'warning_needs_response') dispute.status = 'warning_closed';
  }
}
