import { createHash } from 'node:crypto';
import {
  type AccessRows,
  type AuditContext,
  type AuditEntry,
  type Key,
  type Leak,
  type LeakNotice,
  leakMail,
  type Mail,
  newId,
} from '@paymount/core';
import { keyFacts } from '../keys/key-facts.ts';
import { revoked } from '../keys/key-service.ts';
import { redactCredentials } from './find-credentials.ts';
import type { Exposed, Sighting } from './sighting.ts';

/** What a host does about leaked keys. */
export type LeakPolicy = 'revoke' | 'notify';

/** What decides about every leak of a report. */
export interface Rules {
  readonly policy: LeakPolicy;
  /** Whom to write to when an account has no address. */
  readonly operator?: string;
  readonly by: AuditContext;
  readonly now: Date;
}

/** What one exposed credential comes to. */
export interface JudgedLeak {
  readonly action: Leak['action'] | 'none';
  /** Reported for the first time, from this source and place. */
  readonly leaks: readonly Leak[];
  readonly subjects: readonly string[];
  readonly audit: readonly AuditEntry[];
  readonly mails: readonly Mail[];
}

/** The address held it, in which case its finder is nobody but us. */
const FOUND_BY_US = 'url';
const MAX_URL = 2_048;
const NOTHING = { leaks: [], subjects: [], audit: [], mails: [] };

/**
 * Acts on one credential that was seen: revokes a key, records each place, writes to the owner.
 * What was reported before changes nothing.
 */
export async function judgeLeak(
  rows: AccessRows,
  exposed: Exposed,
  sightings: readonly Sighting[],
  rules: Rules,
): Promise<JudgedLeak> {
  if (exposed.kind === 'key' && exposed.key.type === 'publishable') {
    return { action: 'none', ...NOTHING };
  }
  const action = actionFor(exposed, sightings, rules);
  const revocation =
    exposed.kind === 'key' && action === 'revoked'
      ? await revoke(rows, exposed.key, rules)
      : NOTHING;
  const leaks = await rows.leaks.insert(leaksOf(exposed, sightings, { action, now: rules.now }));
  return {
    action,
    leaks,
    subjects: revocation.subjects,
    audit: [...leaks.map((leak) => reportEntry(leak, rules)), ...revocation.audit],
    mails: await mailsAbout(rows, exposed, leaks, rules),
  };
}

function actionFor(
  exposed: Exposed,
  sightings: readonly Sighting[],
  { policy }: Rules,
): Leak['action'] {
  if (exposed.kind === 'signing_secret') return 'notified';
  if (exposed.key.status === 'revoked') return 'already_revoked';
  const isPublic = sightings.some(({ source }) => source !== FOUND_BY_US);
  return policy === 'revoke' && isPublic ? 'revoked' : 'notified';
}

async function revoke(rows: AccessRows, before: Key, { by, now }: Rules) {
  const after = { ...revoked(before, 'leak', now), version: before.version + 1 };
  await rows.keys.update(after);
  const { id, accountId, environment } = before;
  const entry = { ...by, accountId, environment, target: id, created: now };
  const facts = { before: keyFacts(before), after: keyFacts(after) };
  return { subjects: [id], audit: [{ ...entry, action: 'key.revoke' as const, ...facts }] };
}

/** One for each source and place. */
function leaksOf(
  exposed: Exposed,
  sightings: readonly Sighting[],
  { action, now }: { readonly action: Leak['action']; readonly now: Date },
): readonly Leak[] {
  const { accountId, environment, redacted } = exposed;
  const credential: Leak['credential'] =
    exposed.kind === 'key'
      ? { kind: 'key', id: exposed.key.id }
      : { kind: 'signing_secret', id: exposed.secret.id, endpointId: exposed.secret.endpointId };
  return sightings.map(({ source, url = '' }) => ({
    id: newId('leak'),
    accountId,
    environment,
    version: 1,
    credential,
    redacted,
    source,
    // An address of a search, say, may hold the very credential that was found by it.
    ...(url === '' ? {} : { url: redactCredentials(url).slice(0, MAX_URL) }),
    action,
    status: 'open',
    created: now,
  }));
}

function reportEntry(leak: Leak, { by, now }: Rules): AuditEntry {
  const { id, accountId, environment, credential, redacted, source, action } = leak;
  return {
    ...by,
    accountId,
    environment,
    action: 'leak.report',
    target: id,
    after: {
      credential: credential.id,
      redacted,
      source,
      ...(leak.url === undefined ? {} : { url: leak.url }),
      action,
    },
    created: now,
  };
}

/** @param leaks the new ones, which alone are told */
async function mailsAbout(
  rows: AccessRows,
  exposed: Exposed,
  leaks: readonly Leak[],
  { operator, now }: Rules,
): Promise<readonly Mail[]> {
  const [leak] = leaks;
  if (leak === undefined) return [];
  const account = await rows.accounts.find(exposed.accountId);
  const to = account?.email ?? operator;
  if (account === undefined || to === undefined) return [];
  const notice: LeakNotice = {
    accountName: account.name,
    environment: exposed.environment,
    credential: await credentialOf(rows, exposed, now),
    redacted: exposed.redacted,
    action: leak.action,
    places: leaks,
    endpointsToRotate: await rows.endpointSecrets.endpointsOlderThan(exposed, now),
  };
  const written = { dedupeKey: dedupeKeyOf(leaks), accountId: account.id, to, created: now };
  return [{ id: newId('mail'), ...written, ...leakMail(notice) }];
}

async function credentialOf(
  rows: AccessRows,
  exposed: Exposed,
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

/** Once for each credential and place, whoever reports it; several new places share one mail. */
function dedupeKeyOf(leaks: readonly Leak[]): string {
  const places = [...new Set(leaks.map(({ url = '' }) => url))].sort();
  const digest = createHash('sha256').update(JSON.stringify(places)).digest('hex');
  return `leak:${leaks[0]?.credential.id}:${digest}`;
}
