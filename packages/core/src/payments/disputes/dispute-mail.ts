import { composeMail } from '../../changes/mails/compose-mail.ts';
import type { WrittenMail } from '../../changes/mails/mail.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { Dispute } from './dispute.ts';

/** What happened to the charge, and what its owner can do. */
const TEXTS = {
  alert: {
    subject: 'is about to be disputed',
    cure: 'Refund the charge in full before the end, and no chargeback follows.',
  },
  chargeback: {
    subject: 'was disputed',
    cure:
      'Submit evidence before the end, or accept the dispute; if the API refuses that, answer at the ' +
      'processor. Without an answer it is lost.',
  },
  not_contestable: {
    subject: 'was disputed and is lost',
    cure: 'Nobody can contest this dispute.',
  },
} as const;
export type DisputeNews = keyof typeof TEXTS;

/**
 * The mail to the owner of an account about a dispute that was opened.
 * @param dispute in its new state
 */
export function disputeMail(dispute: Dispute, news: DisputeNews, created: Date): WrittenMail {
  const { id, accountId, environment, amount, currency, chargeId, reason, dueBy } = dispute;
  const { subject, cure } = TEXTS[news];
  return {
    // An alert may become a chargeback.
    ...{ id: newId('mail'), dedupeKey: `dispute:${id}:${news}`, accountId, created },
    ...composeMail({
      subject: `A ${environment} charge ${subject}: ${amount} ${currency}`,
      parts: [
        [
          `Dispute: ${id}`,
          `Charge: ${chargeId}`,
          `Account: ${accountId}`,
          `Amount: ${amount} ${currency}, in minor units`,
          `Reason: ${reason}`,
          ...(news === 'not_contestable' ? [] : [`End: ${dueBy.toISOString()}`]),
        ],
        cure,
      ],
    }),
  };
}
