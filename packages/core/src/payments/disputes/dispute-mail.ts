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
  alert_after_chargeback: {
    subject: 'charge got an alert after a chargeback',
    cure:
      'Do not refund the charge because of this alert: it may be about the chargeback that was opened before. ' +
      'Ask the processor whether another chargeback will follow.',
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
  reopened: {
    subject: 'dispute was opened again',
    cure:
      'What had ended it does not count any more. Submit evidence before the end, or accept the dispute; if the ' +
      'API refuses that, answer at the processor. Without an answer it is lost.',
  },
  win_reversed: {
    subject: 'dispute that was won is lost after all',
    cure: 'The issuer has reversed its ruling, and the money is gone. Ask the processor for the reason.',
  },
  refunded_after_chargeback: {
    subject: 'alert was answered by a refund, after a chargeback',
    cure:
      'The full refund has answered this alert, not the chargeback that was opened before. If that one is still ' +
      'open, answer it, with the refund as evidence: if it is lost, the money is gone twice.',
  },
  refunded: {
    subject: 'chargeback was prevented by a refund',
    cure: 'You need not do anything: the full refund has answered the alert.',
  },
} as const;
export type DisputeNews = keyof typeof TEXTS;

/** Those after which nothing ends. */
const ENDED: readonly DisputeNews[] = [
  'not_contestable',
  'win_reversed',
  'refunded',
  'refunded_after_chargeback',
];

/**
 * What the owner of the account gets an e-mail about, if anything: money is gone, or a time to answer
 * begins or is over.
 * @param hadChargeback whether a chargeback of the charge came before: then a refund for an alert may give
 *   the money away twice
 */
export function newsOf(trigger: string, hadChargeback: boolean): DisputeNews | undefined {
  if (hadChargeback && trigger === 'alert') return 'alert_after_chargeback';
  if (hadChargeback && trigger === 'refunded') return 'refunded_after_chargeback';
  return isNews(trigger) ? trigger : undefined;
}

function isNews(trigger: string): trigger is DisputeNews {
  return Object.hasOwn(TEXTS, trigger);
}

/**
 * The mail to the owner of an account about a dispute.
 * @param dispute in its new state
 */
export function disputeMail(dispute: Dispute, news: DisputeNews, created: Date): WrittenMail {
  const { id, accountId, environment, amount, currency, dueBy, round, version } = dispute;
  const { subject, cure } = TEXTS[news];
  // An alert may become a chargeback, which may be opened again, more than once in a round.
  const inRound = round === 1 ? '' : `:${round}`;
  const again = news === 'reopened' ? `:${version}` : inRound;
  return ownerMail({
    accountId,
    environment,
    amount,
    currency,
    subject,
    cure,
    created,
    page: `charges/${dispute.chargeId}`,
    dedupeKey: `dispute:${id}:${news}${again}`,
    objects: [`Dispute: ${id}`, `Charge: ${dispute.chargeId}`],
    reasons: [
      `Reason: ${dispute.reason}`,
      ...(ENDED.includes(news) ? [] : [`End: ${describeMoment(dueBy)}`]),
    ],
  });
}
