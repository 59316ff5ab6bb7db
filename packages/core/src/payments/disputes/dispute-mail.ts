import type { WrittenMail } from '../../changes/mails/mail.ts';
import { ownerMail } from '../../changes/mails/owner-mail.ts';
import { describeMoment } from '../../kernel/basics/moment.ts';
import type { Dispute } from './dispute.ts';

/** What happened to the charge, and what its owner can do. */
const TEXTS = {
  alert: {
    subject: 'charge is about to be disputed',
    cure: 'Refund the charge in full before the end, and no chargeback follows.',
  },
  chargeback: {
    subject: 'charge was disputed',
    cure:
      'Submit evidence before the end, or accept the dispute; if the API refuses that, answer at the ' +
      'processor. Without an answer it is lost.',
  },
  not_contestable: {
    subject: 'charge was disputed and is lost',
    cure: 'Nobody can contest this dispute.',
  },
} as const;
export type DisputeNews = keyof typeof TEXTS;

/**
 * The mail to the owner of an account about a dispute that was opened.
 * @param dispute in its new state
 */
export function disputeMail(dispute: Dispute, news: DisputeNews, created: Date): WrittenMail {
  const { id, accountId, environment, amount, currency, dueBy } = dispute;
  const { subject, cure } = TEXTS[news];
  return ownerMail({
    accountId,
    environment,
    amount,
    currency,
    subject,
    cure,
    created,
    page: `charges/${dispute.chargeId}`,
    // An alert may become a chargeback.
    dedupeKey: `dispute:${id}:${news}`,
    objects: [`Dispute: ${id}`, `Charge: ${dispute.chargeId}`],
    reasons: [
      `Reason: ${dispute.reason}`,
      ...(news === 'not_contestable' ? [] : [`End: ${describeMoment(dueBy)}`]),
    ],
  });
}
