import { redactCredentials } from '../../access/credentials/find-credentials.ts';
import type { Exposure } from '../../access/leaks/exposure.ts';
import { composeMail } from '../../changes/mails/compose-mail.ts';
import type { Mail } from '../../changes/mails/mail.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { Grant } from '../grants/grant.ts';
import type { OAuthRepositories } from '../oauth-storage.ts';
import type { Platform } from '../platforms/platform.ts';

/** If there are more, the list ends with their number. */
const MAX_LISTED = 20;

/** A credential of OAuth that was found where it must not be. */
export interface LeakFacts {
  readonly redacted: string;
  readonly exposures: readonly Exposure[];
  /** Whether it was revoked; otherwise it still works. */
  readonly isRevoked: boolean;
  readonly now: Date;
}

/** Tells the merchant and the platform that a code or token of a grant leaked; once for each grant. */
export async function tokenLeakMails(
  { accounts, platforms }: OAuthRepositories,
  { id, accountId, platformId, environment }: Grant,
  { redacted, exposures, isRevoked, now }: LeakFacts,
): Promise<readonly Mail[]> {
  const account = await accounts.find(accountId);
  const platform = await platforms.find(platformId);
  if (account === undefined || platform === undefined) return [];
  const outcome = isRevoked ? 'was revoked' : 'leaked and still works';
  const content = composeMail({
    subject: `The ${environment} access of ${platform.name} to ${account.name} ${outcome}`,
    parts: [
      `A token of ${platform.name} was found where it must not be: ${redacted}`,
      placesOf(exposures),
      isRevoked
        ? `So this approval of ${platform.name} for ${account.name} was revoked, and webhook endpoints that were registered with it are disabled. Other approvals still work. The merchant can connect ${platform.name} again.`
        : 'It was not revoked, and anyone who found it can use it. Revoke the approval now.',
      `Grant: ${id}`,
    ],
  });
  const facts = { accountId, created: now, ...content };
  const toMail = (who: string, to: string): Mail => {
    const dedupeKey = `grant_leak:${id}:${isRevoked ? 'revoked' : 'notified'}:${who}`;
    const page = `${accountId}/${environment}/applications/${platformId}`;
    return { id: newId('mail'), dedupeKey, to, ...facts, ...(who === 'merchant' && { page }) };
  };
  return [
    ...(account.email === null ? [] : [toMail('merchant', account.email)]),
    toMail('platform', platform.contactEmail),
  ];
}

/** Tells the platform that one of its client secrets leaked; once for each secret. */
export function secretLeakMail(
  { environment, name, contactEmail }: Platform,
  secretId: string,
  { redacted, exposures, isRevoked, now }: LeakFacts,
): Mail {
  const outcome = isRevoked ? 'was revoked' : 'still works';
  return {
    id: newId('mail'),
    to: contactEmail,
    created: now,
    dedupeKey: `client_secret_leak:${secretId}:${isRevoked ? 'revoked' : 'notified'}`,
    ...composeMail({
      subject: `A ${environment} client secret of ${name} leaked and ${outcome}`,
      parts: [
        `A client secret of ${name} was found where it must not be: ${redacted}`,
        placesOf(exposures),
        isRevoked
          ? 'It was revoked at once. Tokens that exist still work until they end; to get new ones, your servers need another client secret.'
          : 'It was not revoked, and anyone who found it can act as your app. Ask for a second secret and have this one revoked.',
        `Client secret: ${secretId}`,
      ],
    }),
  };
}

function placesOf(exposures: readonly Exposure[]): string[] {
  const places = exposures.map(({ source, url }) =>
    redactCredentials(url === undefined ? `Reported by ${source}` : `${url} (${source})`),
  );
  const shown = [...new Set(places)];
  const more = shown.length - MAX_LISTED;
  return more > 0 ? [...shown.slice(0, MAX_LISTED), `and ${more} more`] : shown;
}
