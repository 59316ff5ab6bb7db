import { composeMail } from '../../changes/mails/compose-mail.ts';
import type { Mail } from '../../changes/mails/mail.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { OAuthRepositories } from '../oauth-storage.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Grant } from './grant.ts';

/** Tells the merchant and the platform that a grant was revoked because a token was used twice. */
export async function reuseMails(
  { accounts, platforms }: OAuthRepositories,
  { id, accountId, platformId, environment }: Grant,
  now: Date,
): Promise<readonly Mail[]> {
  const account = await accounts.find(accountId);
  const platform = await platforms.find(platformId);
  if (account === undefined || platform === undefined) return [];
  const facts = { accountId, created: now };
  const page = `${accountId}/${environment}/applications/${platformId}`;
  const toMail = (who: string, to: string, parts: readonly string[]): Mail => ({
    id: newId('mail'),
    dedupeKey: `grant_reuse:${id}:${who}`,
    to,
    ...facts,
    ...(who === 'merchant' && { page }),
    ...composeMail({
      subject: `The ${environment} access of ${platform.name} to ${account.name} was revoked`,
      parts: [reuseSentence(platform), ...parts, `Grant: ${id}`],
    }),
  });
  return [
    ...(account.email === null
      ? []
      : [
          toMail('merchant', account.email, [
            `So this approval of ${platform.name} for ${account.name} was revoked, and webhook endpoints that were registered with it are disabled. Other approvals of ${platform.name} still work. If you still use ${platform.name}, connect it again.`,
          ]),
        ]),
    toMail('platform', platform.contactEmail, [
      'The approval was revoked, and webhook endpoints that were registered with it are disabled. Check how you store tokens, and that only one process uses a refresh token. The merchant must connect again.',
    ]),
  ];
}

function reuseSentence({ name }: Platform): string {
  return `A code or refresh token of ${name} was used a second time, which may mean that somebody else has it.`;
}
