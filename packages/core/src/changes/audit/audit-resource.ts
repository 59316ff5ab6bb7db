import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { TimestampResource } from '../../kernel/basics/resource.ts';
import { AUDIT_ACTIONS, type AuditRecord, type UnchainedEntry } from './audit.ts';

const FactsResource = z.record(z.string(), z.unknown());

export const AuditResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('audit_entry'),
    account: z.string().nullable(),
    livemode: z.boolean().nullable(),
    seq: z.int().meta({
      description: 'The number of the entry in the chain of its account, from 1, without gaps.',
    }),
    created: TimestampResource,
    actor: z.strictObject({
      type: z.enum(['admin', 'key', 'platform', 'user', 'host', 'command', 'system']),
      id: z.string(),
    }),
    via: z.string().meta({ description: 'How the actor was authenticated.' }),
    action: z.enum(AUDIT_ACTIONS),
    target: z.string().meta({ description: 'The id of the changed object.' }),
    before: FactsResource.nullable(),
    after: FactsResource.nullable(),
    ip: z.string().nullable(),
    user_agent: z.string().nullable(),
    request_id: z.string().nullable(),
    prev_hash: z.string(),
    hash: z.string(),
  })
  .meta({ id: 'AuditEntry' });

export type AuditJson = z.output<typeof AuditResource>;

/** The JSON of an audit entry. */
export function toAuditResource(record: AuditRecord): AuditJson {
  const { id, ...fields } = auditFields(record);
  return {
    id,
    object: 'audit_entry',
    ...fields,
    seq: Number(record.seq),
    prev_hash: record.prevHash,
    hash: record.hash,
  };
}

/**
 * All fields of an entry except its position: the fields that are shown and that its hash covers.
 */
export function auditFields(
  record: UnchainedEntry,
): Omit<AuditJson, 'object' | 'seq' | 'prev_hash' | 'hash'> {
  return {
    id: record.id,
    account: record.accountId ?? null,
    livemode: record.environment === undefined ? null : livemode(record.environment),
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
  };
}
