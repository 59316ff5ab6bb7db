import { composeMail } from '../../changes/mails/compose-mail.ts';
import type { Mail } from '../../changes/mails/mail.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { OAuthRepositories } from '../oauth-storage.ts';
import type { Grant } from './grant.ts';

/** Who ended an approval, in a mail to its platform. */
const ENDED_BY: Readonly<Partial<Record<NonNullable<Grant['revokedReason']>, string>>> = {
  owner: 'The merchant',
  admin: 'The operator',
};

/**
 * Tells a platform that somebody else ended an approval. It knows of what it ended itself; leaks and
 * reused tokens have mails of their own.
 */
export async function endedMails(
  { accounts, platforms }: Pick<OAuthRepositories, 'accounts' | 'platforms'>,
  { id, accountId, platformId, environment, revokedReason }: Grant,
  now: Date,
): Promise<readonly Mail[]> {
  const who = revokedReason && ENDED_BY[revokedReason];
  if (who === undefined) return [];
  const account = await accounts.find(accountId);
  const platform = await platforms.find(platformId);
  if (account === undefined || platform === undefined) return [];
  return [
    {
      id: newId('mail'),
      dedupeKey: `grant_ended:${id}`,
      accountId,
      to: platform.contactEmail,
      created: now,
      ...composeMail({
        subject: `The ${environment} access of ${platform.name} to ${account.name} ended`,
        parts: [
          `${who} ended an approval of ${platform.name} for ${account.name}. Its tokens no longer work; delete them.`,
          `If this was the last approval for the account, webhook endpoints that ${platform.name} registered there get no more events.`,
          [`Account: ${accountId}`, `Environment: ${environment}`, `Grant: ${id}`],
        ],
      }),
    },
  ];
}
