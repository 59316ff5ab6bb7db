import { createHash } from 'node:crypto';
import type { AuditId } from '../../kernel/basics/id.ts';
import { redactCardNumbers } from '../../kernel/secrets/card-number-text.ts';
import { redactCredentialText } from '../../kernel/secrets/credential-text.ts';
import type { AuditEntry, AuditFacts, AuditRecord, UnchainedEntry } from './audit.ts';
import { auditFields } from './audit-resource.ts';

/** The previous hash of the first entry of a chain. */
export const CHAIN_START = '0'.repeat(64);

/** NUL and unpaired surrogates: the database cannot store them unchanged. */
const UNSTORABLE = /[\0\p{Cs}]/gu;

/**
 * Puts an entry into its chain. Characters that the database cannot store unchanged are first
 * replaced by U+FFFD, because names and user agents come from outside. Credentials and card numbers
 * in a user agent are removed: a client may send its key as its name.
 */
export function chainEntry(
  entry: AuditEntry,
  place: { readonly id: AuditId; readonly seq: bigint; readonly prevHash: string },
): AuditRecord {
  const record = { ...storable(entry), ...place };
  return { ...record, hash: auditHash(record) };
}

function storable(entry: AuditEntry): AuditEntry {
  const { actor, via, target, ip, userAgent, before, after, ...rest } = entry;
  return {
    ...rest,
    actor: { ...actor, id: storableText(actor.id) },
    via: storableText(via),
    target: storableText(target),
    ...(ip === undefined ? {} : { ip: storableText(ip) }),
    ...(userAgent === undefined ? {} : { userAgent: agentText(userAgent) }),
    ...(before && { before: storableFacts(before) }),
    ...(after && { after: storableFacts(after) }),
  };
}

function agentText(userAgent: string): string {
  return redactCardNumbers(redactCredentialText(storableText(userAgent)));
}

function storableText(text: string): string {
  return text.replace(UNSTORABLE, '\ufffd');
}

function storableFacts(facts: AuditFacts): AuditFacts {
  const fields = Object.entries(facts);
  return Object.fromEntries(
    fields.map(([name, each]) => [storableText(name), storableValue(each)]),
  );
}

function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storableValue);
  return isPlain(value) ? storableFacts(value) : value;
}

function isPlain(value: unknown): value is AuditFacts {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

/**
 * SHA-256 of the previous hash and all fields of an entry as canonical JSON (keys in order, as in
 * RFC 8785), so that no field can be changed unnoticed.
 * @returns 64 lowercase hexadecimal characters
 */
export function auditHash(record: Omit<AuditRecord, 'hash'>): string {
  const [before, after] = hashedTexts(record);
  const said = `${before}${record.seq}${after}`;
  return createHash('sha256').update(record.prevHash).update(said).digest('hex');
}

/** What is hashed of an entry, before and after its number, which it gets in its chain. */
export type HashedTexts = readonly [before: string, after: string];

/**
 * An entry that enters its chain later, at the commit of a transaction that is not ours. Its texts are
 * made as by `chainEntry`.
 */
export function pendingEntry(
  entry: AuditEntry,
  id: AuditId,
): { readonly entry: UnchainedEntry; readonly texts: HashedTexts } {
  const unchained = { ...storable(entry), id };
  return { entry: unchained, texts: hashedTexts(unchained) };
}

function hashedTexts(entry: UnchainedEntry): HashedTexts {
  const fields = Object.entries(auditFields(entry));
  const those = (which: (name: string) => boolean): string =>
    canonical(Object.fromEntries(fields.filter(([name]) => which(name))));
  const before = those((name) => name < 'seq').slice(0, -1);
  const after = those((name) => name > 'seq').slice(1);
  return [`${before},"seq":"`, `",${after}`];
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`);
  return `{${fields.join(',')}}`;
}
