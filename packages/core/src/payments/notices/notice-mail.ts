import { composeMail } from '../../changes/mails/compose-mail.ts';
import type { Mail } from '../../changes/mails/mail.ts';
import { newId } from '../../kernel/basics/id.ts';
import { nameOf } from './notice-resource.ts';
import type { StoredNotice } from './stored-notice.ts';

const HOUR_MS = 3_600_000;
const DECIDE =
  'It changed nothing. Find out at the processor what happened, then retry or dismiss it.';
const UNREADABLE_PARTS = [
  'It changed nothing, and only what names it was stored. Fix the adapter or ask the processor, and ' +
    'let the notice be sent again: once it can be read, it is applied, and this one is ignored. ' +
    'Otherwise find out what happened, and dismiss it.',
  'There is one such e-mail in an hour. See all with: paymount notices list --kind unreadable',
];

/** The mail to the operators about a notice that a person must look at. */
export function noticeMail(to: string, stored: StoredNotice, created: Date): Mail {
  const { id, environment, processor, notice, accountId, foundId, tries } = stored;
  const reason = 'reason' in stored ? stored.reason : '';
  const { kind, processorReference } = notice;
  const named = foundId ?? notice.operationId;
  const isUnreadable = kind === 'unreadable';
  // A file may have very many that an adapter cannot read.
  const hour = Math.floor(created.getTime() / HOUR_MS);
  return {
    id: newId('mail'),
    // A notice that is tried again may be quarantined again.
    dedupeKey: isUnreadable
      ? `unreadable:${environment}:${processor}:${hour}`
      : `notice:${id}:${tries}:${created.getTime()}`,
    ...(accountId === undefined ? {} : { accountId }),
    to,
    created,
    ...composeMail({
      subject: `A ${environment} notice of ${processor} waits for you: ${kind}`,
      parts: [
        reason,
        [
          `Notice: ${id}, ${nameOf(notice)} at the processor`,
          `Environment: ${environment}`,
          ...(accountId === undefined ? [] : [`Account: ${accountId}`]),
          ...(named === undefined ? [] : [`Operation: ${named}`]),
          ...(processorReference === undefined ? [] : [`Reference: ${processorReference}`]),
        ],
        ...(isUnreadable ? UNREADABLE_PARTS : [DECIDE]),
        `See it with: paymount notices show ${id}`,
      ],
    }),
  };
}
