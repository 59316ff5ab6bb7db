import { composeMail, type MailContent } from '../../changes/mails/compose-mail.ts';
import type { Mail } from '../../changes/mails/mail.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import type { EndpointId, KeyId } from '../../kernel/basics/id.ts';
import { describeMoment } from '../../kernel/basics/moment.ts';
import type { Leak } from './leak.ts';

interface LeakedKey {
  readonly kind: 'key';
  readonly id: KeyId;
  readonly type: 'secret' | 'restricted';
  readonly name: string;
  readonly lastUsed?: { readonly at: Date; readonly ip?: string };
}

/** The content of the mail to the owner of a leaked credential. */
export interface LeakNotice {
  readonly accountName: string;
  readonly environment: Environment;
  readonly credential:
    | LeakedKey
    | { readonly kind: 'signing_secret'; readonly endpointId: EndpointId };
  readonly redacted: string;
  readonly action: Leak['action'];
  /** The locations, and who reported them. */
  readonly places: readonly Pick<Leak, 'source' | 'url'>[];
  /** Enabled endpoints whose URL the credential set, unless they end with it now. */
  readonly endpointsSet: readonly EndpointId[];
  /** Endpoints with signing secrets older than the leak. */
  readonly endpointsToRotate: readonly EndpointId[];
}

/** If there are more, the list ends with their number. */
const MAX_LISTED = 20;

/** The mail about one credential that leaked; never the credential. */
export function leakMail(notice: LeakNotice): Pick<Mail, 'subject' | 'text' | 'html'> {
  const { credential } = notice;
  return composeMail(credential.kind === 'key' ? keyMail(notice, credential) : secretMail(notice));
}

function keyMail(notice: LeakNotice, key: LeakedKey): MailContent {
  const { action, environment, accountName } = notice;
  return {
    subject: KEY_SUBJECTS[action](`${environment} ${key.type} key of ${accountName}`),
    parts: [
      `A ${key.type} key of ${accountName} was found where it must not be.`,
      [...toFacts(notice), lastUse(key)],
      'It was found here:',
      listed(notice.places.map(describePlace)),
      KEY_ADVICE[action],
      ...set(notice),
      ...rotation(notice),
    ],
  };
}

const KEY_SUBJECTS: Readonly<Record<Leak['action'], (key: string) => string>> = {
  revoked: (key) => `A ${key} leaked and was revoked`,
  notified: (key) => `A ${key} leaked and still works`,
  already_revoked: (key) => `A revoked ${key} leaked`,
};

const KEY_ADVICE: Readonly<Record<Leak['action'], string>> = {
  revoked:
    'It was revoked at once and no longer works. Give your servers a new key, and check what the ' +
    'old key was used for.',
  notified:
    'It was not revoked, and anyone who found it can use it. Give your servers a new key and revoke ' +
    'this one now.',
  already_revoked: 'It was already revoked, so nobody can use it.',
};

function secretMail(notice: LeakNotice): MailContent {
  const { environment, accountName } = notice;
  return {
    subject: `A ${environment} signing secret of ${accountName} leaked`,
    parts: [
      `The signing secret of a webhook endpoint of ${accountName} was found where it must not be.`,
      toFacts(notice),
      'It was found here:',
      listed(notice.places.map(describePlace)),
      'Anyone who has it can forge events to your server. Rotate it: for a while, events are signed ' +
        'with both secrets, so that your server can change to the new one without an interruption.',
      ...rotation(notice),
    ],
  };
}

function toFacts({ redacted, environment, credential }: LeakNotice): string[] {
  const of =
    credential.kind === 'key'
      ? `Key: ${redacted} (${credential.id}, "${credential.name}")`
      : `Signing secret: ${redacted} of ${credential.endpointId}`;
  return [of, `Environment: ${environment}`];
}

function lastUse({ lastUsed }: LeakedKey): string {
  if (lastUsed === undefined) return 'Last used: never, as far as is known';
  const from = lastUsed.ip === undefined ? '' : ` from ${lastUsed.ip}`;
  return `Last used: ${describeMoment(lastUsed.at)}${from}`;
}

function set({ endpointsSet, action }: LeakNotice): (string | string[])[] {
  if (endpointsSet.length === 0) return [];
  const later = action === 'notified' ? ' They are disabled when the key is revoked.' : '';
  return [
    `The key set the URL of these webhook endpoints, which still get events.${later} If you do not ` +
      'know one of them, disable it: in the dashboard, or with POST /v1/webhook_endpoints/ID and ' +
      'disabled=true.',
    listed(endpointsSet),
  ];
}

function rotation({ endpointsToRotate }: LeakNotice): (string | string[])[] {
  if (endpointsToRotate.length === 0) return [];
  return [
    'Other secrets may have leaked together with it. The signing secrets of these endpoints are older ' +
      'than the leak; rotate them too:',
    listed(endpointsToRotate),
  ];
}

function describePlace({ source, url }: Pick<Leak, 'source' | 'url'>): string {
  if (source === 'url') return `the address of a request to this API (${url ?? 'unknown'})`;
  return url === undefined ? `an unknown place, reported by ${source}` : `${url} (${source})`;
}

function listed(lines: readonly string[]): string[] {
  const more = lines.length - MAX_LISTED;
  return more > 0 ? [...lines.slice(0, MAX_LISTED), `and ${more} more`] : [...lines];
}
