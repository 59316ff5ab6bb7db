import type { WrittenMail } from '../../changes/mails/mail.ts';
import { ownerMail } from '../../changes/mails/owner-mail.ts';
import type { IssuedInvoice } from './invoice.ts';

/**
 * The mail to the owner of an account about a payment that was approved after the end of its subscription: it was
 * given back, or a person must do so. One is written for each invoice.
 * @param created in the time that everybody shares
 */
export function returnedPaymentMail(invoice: IssuedInvoice, created: Date): WrittenMail {
  const { id, accountId, environment, currency, issue, chargeId, subscriptionId, refundFailure } =
    invoice;
  const isReturned = refundFailure === undefined;
  return ownerMail({
    accountId,
    environment,
    amount: issue.amountDue,
    currency,
    created,
    page: `charges/${chargeId}`,
    dedupeKey: `returned_payment:${id}`,
    subject: isReturned ? 'payment given back' : 'payment that must be given back',
    meaning: isReturned
      ? 'It was approved after its subscription had ended, so the customer gets the money back in full.'
      : 'It was approved after its subscription had ended, and could not be given back.',
    objects: [`Charge: ${chargeId}`, `Invoice: ${id}`, `Subscription: ${subscriptionId}`],
    reasons: isReturned ? [] : [`Reason: ${refundFailure}`],
    cure: isReturned
      ? 'You need not do anything.'
      : 'Look at the charge, and pay the customer in another way if the money is still yours.',
  });
}
