import type { WrittenMail } from '../../changes/mails/mail.ts';
import { ownerMail } from '../../changes/mails/owner-mail.ts';
import type { Refund } from './refund.ts';

/**
 * The mail to the owner of an account about a refund that failed, so that the customer gets the money
 * in another way.
 * @param refund in its new state
 */
export function refundFailedMail(refund: Refund, created: Date): WrittenMail {
  const { id, accountId, environment, amount, currency, chargeId } = refund;
  const reason = refund.status === 'failed' ? refund.failureReason : '';
  return ownerMail({
    accountId,
    environment,
    amount,
    currency,
    created,
    page: `refunds/${id}`,
    dedupeKey: `refund:${id}:${refund.version}`,
    subject: 'refund failed',
    meaning: 'The customer did not get the money. It is on the balance, and can be refunded again.',
    objects: [`Refund: ${id}`, `Charge: ${chargeId}`],
    reasons: [`Reason: ${reason}`],
    cure: 'Refund the charge again, or pay the customer in another way.',
  });
}
