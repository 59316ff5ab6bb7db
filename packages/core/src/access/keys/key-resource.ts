import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import { KEY_TYPES } from '../credentials/key-format.ts';
import { isExpired, type Key, REVOKED_REASONS } from './key.ts';
import { ScopeInput } from './key-input.ts';
import type { KeyUsage } from './key-usage.ts';

export const KeyResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('api_key'),
    account: z.string(),
    livemode: z.boolean(),
    type: z.enum(KEY_TYPES),
    name: z.string(),
    redacted: z.string().meta({ description: 'Prefix, tag and last four characters.' }),
    last4: z.string(),
    public_value: z
      .string()
      .nullable()
      .meta({ description: 'The whole key, if it is publishable.' }),
    scopes: z.array(ScopeInput).nullable().meta({ description: 'The scopes of a restricted key.' }),
    allowed_ips: z
      .array(z.string())
      .nullable()
      .meta({ description: 'CIDR ranges from which it may be used; null: any address.' }),
    status: z.enum(['active', 'expired', 'revoked']),
    revoked_at: TimestampResource.nullable(),
    revoked_reason: z.enum(REVOKED_REASONS).meta({ id: 'KeyRevokedReason' }).nullable(),
    expires_at: TimestampResource.nullable(),
    replaces: z
      .string()
      .nullable()
      .meta({ description: 'The key whose successor this is. Expandable.', expandsTo: 'Key' }),
    replaced_by: z.string().nullable().meta({ description: 'Expandable.', expandsTo: 'Key' }),
    last_used_at: TimestampResource.nullable().meta({ description: 'Up to 10 s behind.' }),
    last_used_ip: z.string().nullable(),
    last_used_user_agent: z.string().nullable(),
    requests_24h: z
      .int()
      .meta({ description: 'The number of requests in this hour and the 23 hours before it.' }),
    safe_to_revoke: z
      .boolean()
      .meta({ description: 'Whether it was not used for 24 hours, or for `safeAfterSeconds`.' }),
    created: TimestampResource,
    created_by: z.string(),
    secret: z
      .string()
      .optional()
      .meta({ description: 'The key itself. Shown once, when it is created.' }),
  })
  .meta({ id: 'Key' });

export type KeyJson = z.output<typeof KeyResource>;

/** The data of a key besides its row. */
export interface KeyView {
  /** Absent if it was never used. */
  readonly usage?: KeyUsage;
  readonly now: Date;
  /** How long a key must be unused until revoking it counts as safe. @defaultValue 24 hours */
  readonly safeAfterMs?: number;
}

const DAY_MS = 86_400_000;

/** A key as the answer that created it shows it. */
export type NewKeyJson = KeyJson & { readonly secret: string };

/** The JSON of a new key. @param secret the key itself, shown only once */
export function toNewKeyResource(key: Key, secret: string, now: Date): NewKeyJson {
  return { ...toKeyResource(key, { now }), secret };
}

/** The JSON of a key. */
export function toKeyResource(key: Key, view: KeyView): KeyJson {
  const { usage, now, safeAfterMs = DAY_MS } = view;
  const restingSince = usage?.lastUsedAt ?? key.created;
  return {
    id: key.id,
    object: 'api_key',
    account: key.accountId,
    livemode: livemode(key.environment),
    type: key.type,
    name: key.name,
    redacted: key.redacted,
    last4: key.redacted.slice(-4),
    public_value: key.publicValue ?? null,
    scopes: key.scopes === undefined ? null : [...key.scopes],
    allowed_ips: key.allowedIps === undefined ? null : [...key.allowedIps],
    status: keyStatus(key, now),
    revoked_at: timestamp(key.revokedAt),
    revoked_reason: key.revokedReason ?? null,
    expires_at: timestamp(key.expiresAt),
    replaces: key.replaces ?? null,
    replaced_by: key.replacedBy ?? null,
    last_used_at: timestamp(usage?.lastUsedAt),
    last_used_ip: usage?.lastIp ?? null,
    last_used_user_agent: usage?.lastUserAgent ?? null,
    requests_24h: usage?.requests24h ?? 0,
    safe_to_revoke: now.getTime() - restingSince.getTime() >= safeAfterMs,
    created: key.created.toISOString(),
    created_by: key.createdBy,
  };
}

function keyStatus(key: Key, now: Date): KeyJson['status'] {
  if (key.status === 'revoked') return 'revoked';
  return isExpired(key, now) ? 'expired' : 'active';
}
