import { composeMail } from '../../changes/mails/compose-mail.ts';
import type { WrittenMail } from '../../changes/mails/mail.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { Refund } from './refund.ts';

/**
 * The mail to the owner of an account about a refund that failed, so that the customer gets the money
 * in another way.
 * @param refund in its new state
 */
export function refundFailedMail(refund: Refund, created: Date): WrittenMail {
  const { id, accountId, version, environment, amount, currency, chargeId } = refund;
  const reason = refund.status === 'failed' ? refund.failureReason : '';
  return {
    ...{ id: newId('mail'), dedupeKey: `refund:${id}:${version}`, accountId, created },
    ...composeMail({
      subject: `A ${environment} refund failed: ${amount} ${currency}`,
      parts: [
        'The customer did not get the money. It is on the balance again, and can be refunded again.',
        [
          `Refund: ${id}`,
          `Charge: ${chargeId}`,
          `Account: ${accountId}`,
          `Amount: ${amount} ${currency}, in minor units`,
          `Reason: ${reason}`,
        ],
        'Refund the charge again, or pay the customer in another way.',
      ],
    }),
  };
}
