import type { Outcome } from '@paymount/core/payments';
import { doneAt, type Executed, returnedAt } from './executed.ts';
import { payoutBehavior } from './test-bank-accounts.ts';
import { bankAccountOf, decideDebit } from './test-bank-debits.ts';
import { type Decline, findCardByName } from './test-cards.ts';

const RECOVERS_ON_ATTEMPT = 3;
const DAY_MS = 86_400_000;

/** Why a refund fails. */
export const REFUND_FAILED: Decline = {
  code: 'card_declined',
  declineCode: 'expired_or_canceled_card',
  message: 'The card no longer takes refunds.',
  retry: 'never',
};

/** Why a payout fails, where the name of its bank account is that of a card. */
const PAYOUT_REFUSED: Decline = {
  code: 'bank_account_declined',
  declineCode: 'bank_account_declined',
  message: 'The bank refused the transfer.',
  retry: 'never',
};

/**
 * The outcome of an executed operation, a pure function of its facts, so that every process
 * gives the same answer about it at any time.
 * @param reference the processor reference of the operation
 * @param at business time, of the test clock if there is one, because what was pending may have settled
 *   since; and whether bank debits take the days that banks take
 * @returns 'silence' for an operation about which no answer ever comes
 */
export function decide(
  executed: Executed,
  reference: string,
  { now, calendarTimes }: { readonly now: Date; readonly calendarTimes: boolean },
): Outcome | 'silence' {
  const { amount, currency } = executed;
  const approved = {
    outcome: 'approved',
    processorReference: reference,
    amount,
    currency,
  } as const;
  const bank = bankAccountOf(executed.card);
  const card = findCardByName(bank ?? executed.card);
  const behavior = card?.charge.does ?? 'approve';
  if (behavior === 'vanish') return 'silence';
  if (behavior === 'tamper') return { ...approved, amount: amount + 1 };
  if (bank !== undefined) {
    if (executed.kind !== 'authorize') return approved;
    return decideDebit(bank, executed, { reference, now, calendarTimes });
  }
  if (executed.kind === 'refund' && card?.refund !== undefined && card.refund !== 'approve') {
    const settlesAt = doneAt(executed, card.refund === 'return_later' ? 'refund_return' : 'refund');
    const isSettled = now.getTime() >= settlesAt.getTime();
    // Approved at first; whoever asks only after it was returned hears that it failed.
    if (card.refund === 'return_later') return isSettled ? declined(REFUND_FAILED) : approved;
    if (!isSettled) {
      const expectedBy = settlesAt.toISOString();
      return { outcome: 'pending', processorReference: reference, expectedBy };
    }
    return card.refund === 'settle_later' ? approved : declined(REFUND_FAILED);
  }
  const charge = card?.charge;
  if (executed.kind === 'payout') return decidePayout(executed, approved, now);
  if (charge?.does === 'decline_silently') return declined(charge.decline);
  if (executed.kind !== 'authorize') return approved;
  if (charge?.does === 'decline') return declined(charge.decline);
  if (charge?.does === 'block') return { ...declined(charge.decline), blocked: true };
  if (charge?.does === 'recover' && executed.attempt < RECOVERS_ON_ATTEMPT) {
    return declined(charge.decline);
  }
  const early = charge?.does === 'approve_early' ? { availableOn: executed.at.toISOString() } : {};
  return { ...approved, ...early, networkTransactionId: `net_${reference}` };
}

/** A payout is handed to the bank after a while. */
function decidePayout(
  executed: Executed,
  approved: Extract<Outcome, { outcome: 'approved' }>,
  now: Date,
): Outcome {
  const { card } = executed;
  const behavior = payoutBehavior(card);
  const { processorReference } = approved;
  const settlesAt = doneAt(executed, 'payout');
  if (now.getTime() < settlesAt.getTime()) {
    return { outcome: 'pending', processorReference, expectedBy: settlesAt.toISOString() };
  }
  switch (behavior.does) {
    case 'pay':
      return approved;
    case 'return':
      return now.getTime() < returnedAt(executed).getTime() ? approved : declined(behavior.decline);
    case 'fail':
      return declined(behavior.decline);
    case 'stay': {
      const expectedBy = new Date(now.getTime() + DAY_MS).toISOString();
      return { outcome: 'pending', processorReference, expectedBy };
    }
    case 'as_card': {
      const isDeclined = findCardByName(card)?.charge.does === 'decline_silently';
      return isDeclined ? declined(PAYOUT_REFUSED) : approved;
    }
  }
}

function declined(decline: Decline): Extract<Outcome, { outcome: 'declined' }> {
  return { outcome: 'declined', ...decline };
}
