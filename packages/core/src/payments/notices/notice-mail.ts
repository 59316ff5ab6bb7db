import { composeMail } from '../../changes/mails/compose-mail.ts';
import type { Mail } from '../../changes/mails/mail.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { StoredNotice } from './stored-notice.ts';

/** The mail to the operators about a notice that a person must look at. */
export function noticeMail(to: string, stored: StoredNotice, created: Date): Mail {
  const { id, environment, processor, notice, accountId, foundId, tries } = stored;
  const reason = 'reason' in stored ? stored.reason : '';
  const { noticeId, kind, processorReference } = notice;
  const named = foundId ?? notice.operationId;
  return {
    id: newId('mail'),
    // A notice that is tried again may be quarantined again.
    dedupeKey: `notice:${id}:${tries}:${created.getTime()}`,
    ...(accountId === undefined ? {} : { accountId }),
    to,
    created,
    ...composeMail({
      subject: `A ${environment} notice of ${processor} waits for you: ${kind}`,
      parts: [
        reason,
        [
          `Notice: ${id}, ${noticeId} at the processor`,
          `Environment: ${environment}`,
          ...(accountId === undefined ? [] : [`Account: ${accountId}`]),
          ...(named === undefined ? [] : [`Operation: ${named}`]),
          ...(processorReference === undefined ? [] : [`Reference: ${processorReference}`]),
        ],
        'It changed nothing. Find out at the processor what happened, then retry or dismiss it.',
        `See it with: paymount notices show ${id}`,
      ],
    }),
  };
}
