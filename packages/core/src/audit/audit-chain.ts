import { createHash } from 'node:crypto';
import type { AuditId } from '../shared/id.ts';
import type { AuditEntry, AuditRecord } from './audit.ts';

/** What the first entry of a chain is chained to. */
export const CHAIN_START = '0'.repeat(64);

/** Puts an entry into its chain. */
export function chainEntry(
  entry: AuditEntry,
  place: { readonly id: AuditId; readonly seq: bigint; readonly prevHash: string },
): AuditRecord {
  const record = { ...entry, ...place };
  return { ...record, hash: auditHash(record) };
}

/**
 * SHA-256 of the hash before it and of everything that an entry says, as canonical JSON (keys in
 * order, as in RFC 8785), so that nothing of it can be changed alone.
 * @returns 64 lowercase hexadecimal characters
 */
export function auditHash(record: Omit<AuditRecord, 'hash'>): string {
  const said = canonical({
    id: record.id,
    seq: String(record.seq),
    account: record.accountId ?? null,
    livemode: record.environment === undefined ? null : record.environment === 'live',
    created: record.created.toISOString(),
    actor: record.actor,
    via: record.via,
    action: record.action,
    target: record.target,
    before: record.before ?? null,
    after: record.after ?? null,
    ip: record.ip ?? null,
    user_agent: record.userAgent ?? null,
    request_id: record.requestId ?? null,
  });
  return createHash('sha256').update(record.prevHash).update(said).digest('hex');
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
