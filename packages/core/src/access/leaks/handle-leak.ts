import { createHash } from 'node:crypto';
import type { AuditEntry } from '../../changes/audit/audit.ts';
import type { Mail } from '../../changes/mails/mail.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import { EmailInput } from '../../kernel/input/input.ts';
import type { AccessRepositories } from '../access-storage.ts';
import type { Key } from '../keys/key.ts';
import { keyFacts } from '../keys/key-facts.ts';
import { revoked } from '../keys/key-service.ts';
import type { ExposedCredential, Exposure } from './exposure.ts';
import type { Leak } from './leak.ts';
import { type LeakNotice, leakMail } from './leak-mail.ts';
import { type Place, recordLeaks, toPlace, urlOf } from './record-leaks.ts';

/** The host's policy for leaked keys. */
export type LeakPolicy = (typeof LEAK_POLICIES)[number];

export const LEAK_POLICIES = ['revoke', 'notify'] as const;

/** The settings for every leak of a report. */
export interface Rules {
  readonly policy: LeakPolicy;
  /** Only we are known to have read the credential. */
  readonly seenByUsAlone: boolean;
  /** The recipient of mails if an account has no address. */
  readonly operator?: string;
  readonly by: AuditContext;
  readonly now: Date;
}

/** The results for one exposed credential. */
export interface LeakOutcome {
  readonly action: Leak['action'] | 'none';
  /** Reported for the first time, from this source and location. */
  readonly leaks: readonly Leak[];
  readonly subjects: readonly string[];
  readonly audit: readonly AuditEntry[];
  readonly mails: readonly Mail[];
  /** Accounts whose address cannot receive mail. */
  readonly unmailable?: Pick<ExposedCredential, 'accountId' | 'redacted'>;
}

const NOTHING = { leaks: [], subjects: [], audit: [], mails: [] };

/**
 * Handles one leaked credential: revokes a key, records each location, and writes to the owner
 * about a revocation and new locations. A repeated report changes nothing.
 */
export async function handleLeak(
  rows: AccessRepositories,
  exposed: ExposedCredential,
  exposures: readonly Exposure[],
  rules: Rules,
): Promise<LeakOutcome> {
  if (exposed.kind === 'key' && exposed.key.type === 'publishable') {
    return { action: 'none', ...NOTHING };
  }
  const action = actionFor(exposed, rules);
  const places = exposures.map(toPlace);
  const seen = await rows.leaks.placesSeen(exposedId(exposed), places.map(urlOf));
  const revocation =
    exposed.kind === 'key' && action === 'revoked'
      ? await revoke(rows, exposed.key, rules)
      : NOTHING;
  const leaked = { ...ownerOf(exposed), credential: credentialOf(exposed) };
  const { leaks, audit } = await recordLeaks(rows.leaks, leaked, places, { action, ...rules });
  const told = action === 'revoked' ? places : leaks.filter((leak) => !seen.includes(urlOf(leak)));
  return {
    action,
    leaks,
    subjects: revocation.subjects,
    audit: [...audit, ...revocation.audit],
    ...(await mailsAbout(rows, exposed, { action, places: distinct(told) }, rules)),
  };
}

function actionFor(exposed: ExposedCredential, { policy, seenByUsAlone }: Rules): Leak['action'] {
  if (exposed.kind === 'signing_secret') return 'notified';
  if (exposed.key.status === 'revoked') return 'already_revoked';
  return policy === 'notify' || seenByUsAlone ? 'notified' : 'revoked';
}

function distinct(places: readonly Place[]): readonly Place[] {
  return [...new Map(places.map((place) => [`${place.source}\n${urlOf(place)}`, place])).values()];
}

function ownerOf({ accountId, environment, redacted }: ExposedCredential) {
  return { accountId, environment, redacted };
}

function credentialOf(exposed: ExposedCredential): Leak['credential'] {
  return exposed.kind === 'key'
    ? { kind: 'key', id: exposed.key.id }
    : { kind: 'signing_secret', id: exposed.secret.id, endpointId: exposed.secret.endpointId };
}

function exposedId(exposed: ExposedCredential): Leak['credential']['id'] {
  return exposed.kind === 'key' ? exposed.key.id : exposed.secret.id;
}

async function revoke(rows: AccessRepositories, before: Key, { by, now }: Rules) {
  const after = { ...revoked(before, 'leak', now), version: before.version + 1 };
  await rows.keys.update(after);
  await rows.leaks.markRevoked(before.id);
  const { id, accountId, environment } = before;
  const entry = { ...by, accountId, environment, target: id, created: now };
  const facts = { before: keyFacts(before), after: keyFacts(after) };
  return { subjects: [id], audit: [{ ...entry, action: 'key.revoke' as const, ...facts }] };
}

/**
 * A mail that cannot be sent does not prevent a revocation.
 * @param told what the mail names; without locations, no mail is sent
 */
async function mailsAbout(
  rows: AccessRepositories,
  exposed: ExposedCredential,
  told: Pick<LeakNotice, 'action' | 'places'>,
  { operator, now }: Rules,
): Promise<Pick<LeakOutcome, 'mails' | 'unmailable'>> {
  const account = await rows.accounts.find(exposed.accountId);
  if (account === undefined || told.places.length === 0) return { mails: [] };
  const addresses = [account.email ?? [], operator ?? []].flat();
  const to = addresses.find((address) => EmailInput.safeParse(address).success);
  if (to === undefined) {
    const { accountId, redacted } = exposed;
    return { mails: [], ...(addresses.length > 0 && { unmailable: { accountId, redacted } }) };
  }
  const notice: LeakNotice = {
    ...told,
    accountName: account.name,
    environment: exposed.environment,
    credential: await findNoticeCredential(rows, exposed, now),
    redacted: exposed.redacted,
    endpointsSet:
      told.action === 'revoked'
        ? []
        : await rows.endpointSecrets.endpointsSetBy(exposed, exposedId(exposed)),
    endpointsToRotate: await rows.endpointSecrets.endpointsOlderThan(
      exposed,
      now,
      told.action === 'revoked' ? exposedId(exposed) : undefined,
    ),
  };
  const about = told.action === 'revoked' ? 'revoked' : hashPlaces(told.places);
  const dedupeKey = `leak:${exposedId(exposed)}:${about}`;
  const page = `${account.id}/${exposed.environment}/${pageOf(notice.credential)}`;
  const written = { dedupeKey, accountId: account.id, to, page, created: now };
  return { mails: [{ id: newId('mail'), ...written, ...leakMail(notice) }] };
}

async function findNoticeCredential(
  rows: AccessRepositories,
  exposed: ExposedCredential,
  now: Date,
): Promise<LeakNotice['credential']> {
  if (exposed.kind === 'signing_secret') {
    return { kind: 'signing_secret', endpointId: exposed.secret.endpointId };
  }
  const { id, type, name } = exposed.key;
  const used = (await rows.usage.findMany([id], now)).get(id);
  return {
    kind: 'key',
    id,
    type: type === 'restricted' ? 'restricted' : 'secret',
    name,
    ...(used?.lastUsedAt && {
      lastUsed: { at: used.lastUsedAt, ...(used.lastIp && { ip: used.lastIp }) },
    }),
  };
}

/** The same for the same locations from any reporter: two concurrent reports write one mail. */
function hashPlaces(places: readonly Place[]): string {
  const urls = [...new Set(places.map(urlOf))].sort();
  return createHash('sha256').update(JSON.stringify(urls)).digest('hex');
}

function pageOf(credential: LeakNotice['credential']): string {
  return credential.kind === 'key' ? `keys/${credential.id}` : `endpoints/${credential.endpointId}`;
}
