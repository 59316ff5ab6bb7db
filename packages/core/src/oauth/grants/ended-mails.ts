import { composeMail } from '../../changes/mails/compose-mail.ts';
import type { Mail } from '../../changes/mails/mail.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { OAuthRepositories } from '../oauth-storage.ts';
import type { Grant } from './grant.ts';

/** How an approval ended, in a mail to its platform: what follows is the platform and the account. */
const ENDINGS: Readonly<
  Partial<Record<NonNullable<Grant['revokedReason']>, (approval: string) => string>>
> = {
  owner: (approval) => `The merchant ended an ${approval}.`,
  admin: (approval) => `The operator ended an ${approval}.`,
  expired: (approval) =>
    `An ${approval} has expired: its refresh token was not used for 90 days, or the approval is a year old.`,
};

/**
 * Tells a platform that an approval ended without it. It knows of what it ended itself; leaks and
 * reused tokens have mails of their own.
 */
export async function endedMails(
  { accounts, platforms }: Pick<OAuthRepositories, 'accounts' | 'platforms'>,
  { id, accountId, platformId, environment, revokedReason }: Grant,
  now: Date,
): Promise<readonly Mail[]> {
  const describeEnd = revokedReason && ENDINGS[revokedReason];
  if (describeEnd === undefined) return [];
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
          `${describeEnd(`approval of ${platform.name} for ${account.name}`)} Its tokens no longer work; delete them.`,
          `If this was the last approval for the account, webhook endpoints that ${platform.name} registered there get no more events.`,
          [`Account: ${accountId}`, `Environment: ${environment}`, `Grant: ${id}`],
        ],
      }),
    },
  ];
}
