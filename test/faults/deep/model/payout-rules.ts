import type { Book } from './book.ts';
import { LOOK_UP_MS, type Payout, type Timeline } from './objects.ts';
import { dueMoment } from './payout-plan.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export function paid(book: Book, payout: Payout): void {
  payout.status = 'paid';
  book.events.push(`payout.paid ${payout.id}`);
}

/** Rejected, or returned by the bank. */
export function payoutFailed(book: Book, payout: Payout): void {
  payout.status = 'failed';
  payout.bank.isErrored = true;
  book.bookPayout(payout.amount, payout);
  book.events.push(`payout.failed ${payout.id}`);
}

/** Not sent: by request, or because the account or the bank account was stopped. */
export function payoutCanceled(book: Book, payout: Payout): void {
  payout.status = 'canceled';
  book.bookPayout(payout.amount, payout);
}

/**
 * The worker sends what is not sent yet. On a clock, the bank answers at once.
 * @param canceled see `passed`
 * @returns payouts that were canceled because another one failed just before; a worker may also have
 *   sent them just before that
 */
export function send(
  book: Book,
  timeline: Timeline,
  canceled: ReadonlySet<string>,
): readonly Payout[] {
  const doubtful: Payout[] = [];
  for (const open of book.open.splice(0)) {
    const payout = open.kind === 'payout' ? (open.subject as Payout) : undefined;
    const { unsent } = open;
    // A refund is sent in real time, whatever clock its charge is on.
    if (unsent === undefined || (payout?.timeline ?? book.real) !== timeline) {
      book.open.push(open);
      continue;
    }
    const isStopped = payout && (payout.bank.isErrored || !book.plan.isEnabled);
    if (payout && (isStopped || canceled.has(payout.id ?? ''))) {
      payoutCanceled(book, payout);
      if (!isStopped) doubtful.push(payout);
      continue;
    }
    delete open.unsent;
    open.knownAtMs = book.real.nowMs + (unsent.isSilent ? LOOK_UP_MS : unsent.afterMs);
    if (payout && !unsent.isSilent && unsent.afterMs > 0) payout.status = 'in_transit';
    book.open.push(open);
  }
  return doubtful;
}

/** Clocks that are older than 30 days go, and what was not paid out on them is on the balance again. */
export function deleteClocks(book: Book): void {
  const isOld = ({ clock }: Timeline) => clock !== undefined && clock.endsAtMs < book.real.nowMs;
  for (const open of book.open.splice(0)) {
    const payout = open.kind === 'payout' ? (open.subject as Payout) : undefined;
    if (payout && open.unsent && isOld(payout.timeline)) payoutCanceled(book, payout);
    else book.open.push(open);
  }
  book.clocks = book.clocks.filter((timeline) => !isOld(timeline));
}

/** The payout of the schedule, if one is due: all that is available and in no payout yet. */
export function payBySchedule(book: Book): void {
  const { plan, real: timeline } = book;
  const { nowMs } = timeline;
  const due = dueMoment(plan, nowMs);
  if (!plan.hasSold || due === undefined || plan.waitsUntilMs > nowMs) return;
  const bank = book.defaultBank;
  if (!plan.isEnabled || bank === undefined || bank.isErrored) {
    plan.waitsUntilMs = nowMs + HOUR_MS;
    return;
  }
  const soldBefore = due - plan.schedule.delayDays * DAY_MS;
  for (const funds of book.funds) {
    const { amount, currency, atMs, soldAtMs = 0, isInPayout } = funds;
    const isMeant = currency === 'eur' && funds.timeline === timeline && atMs <= nowMs;
    if (!isMeant || isInPayout || soldAtMs > soldBefore) continue;
    funds.isInPayout = true;
    plan.collected += amount;
  }
  const amount = plan.collected;
  if (amount > 0 && amount > book.available('eur')) {
    // Funds that it contains were spent otherwise.
    plan.waitsUntilMs = nowMs + MINUTE_MS;
    return;
  }
  plan.doneMs = due;
  if (amount <= 0) return;
  plan.collected = 0;
  const { verdict, isSilent } = plan.answer;
  const kind = { bank, isAutomatic: true } as const;
  const made: Payout = { id: undefined, amount, timeline, ...kind, status: 'pending' };
  book.payouts.push(made);
  const debit = { amount: -amount, currency: 'eur', timeline, atMs: nowMs } as const;
  book.funds.push({ ...debit, isInPayout: true });
  const unsent = { isSilent, afterMs: 0 };
  book.open.push({ kind: 'payout', verdict, amount, subject: made, knownAtMs: 0, unsent });
}
