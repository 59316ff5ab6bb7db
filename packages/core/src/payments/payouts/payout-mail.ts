import { composeMail } from '../../changes/mails/compose-mail.ts';
import type { Mail } from '../../changes/mails/mail.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { LiveBankAccount } from '../bank-accounts/bank-account.ts';
import type { Payout } from './payout.ts';
import type { PayoutAccount } from './payout-account.ts';

/**
 * The mail to the owner of an account about a payout that failed.
 * @param payout in its new state
 * @returns nothing if the account has no address
 */
export function payoutFailedMails(
  payout: Extract<Payout, { status: 'failed' }>,
  {
    account,
    destination,
    isStopped,
  }: {
    readonly account: PayoutAccount | undefined;
    readonly destination: LiveBankAccount | undefined;
    /** Whether no payout goes to this bank account any more. */
    readonly isStopped: boolean;
  },
  at: Date,
): readonly Mail[] {
  if (account === undefined || account.email === null) return [];
  const { id, version, environment, amount, currency, destinationId } = payout;
  const last4 = destination === undefined ? '' : ` ending in ${destination.last4}`;
  const mail = composeMail({
    subject: `A ${environment} payout of ${account.name} failed`,
    parts: [
      `A payout to the bank account${last4} failed, and its amount is on the balance again.`,
      [
        `Payout: ${id}`,
        `Bank account: ${destinationId}`,
        `Amount: ${amount} ${currency}, in minor units`,
        `Reason: ${payout.failureMessage} (${payout.failureCode})`,
      ],
      isStopped ? STOPPED : 'Try again later; the bank account was not refused.',
    ],
  });
  const dedupeKey = `payout:${id}:${version}`;
  const { email: to, id: accountId } = account;
  return [{ id: newId('mail'), dedupeKey, accountId, to, created: at, ...mail }];
}

const STOPPED =
  'No payouts go to this bank account any more, and the schedule of its currency has stopped. Add ' +
  'another bank account and make it the default, or ask the operator to restore this one.';
