import type { WrittenMail } from '../../changes/mails/mail.ts';
import { ownerMail } from '../../changes/mails/owner-mail.ts';
import type { LiveBankAccount } from '../bank-accounts/bank-account.ts';
import type { Payout } from './payout.ts';

/**
 * The mail to the owner of an account about a payout that failed.
 * @param payout in its new state
 * @param isStopped whether no payout goes to this bank account any more
 */
export function payoutFailedMail(
  payout: Extract<Payout, { status: 'failed' }>,
  destination: LiveBankAccount | undefined,
  isStopped: boolean,
  created: Date,
): WrittenMail {
  const { id, accountId, environment, amount, currency } = payout;
  const last4 = destination === undefined ? '' : ` ending in ${destination.last4}`;
  return ownerMail({
    accountId,
    environment,
    amount,
    currency,
    created,
    page: 'balance',
    dedupeKey: `payout:${id}:${payout.version}`,
    subject: 'payout failed',
    meaning: `A payout to the bank account${last4} failed, and its amount is on the balance again.`,
    objects: [`Payout: ${id}`, `Bank account: ${payout.destinationId}`],
    reasons: [`Reason: ${payout.failureMessage} (${payout.failureCode})`],
    cure: isStopped ? STOPPED : 'Try again later; the bank account was not refused.',
  });
}

const STOPPED =
  'No payouts go to this bank account any more, and the schedule of its currency has stopped. Add ' +
  'another bank account and make it the default, or ask the operator to restore this one.';
