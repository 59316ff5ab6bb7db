import { z } from 'zod';
import { ScopeInput } from '../../access/keys/key-input.ts';
import type { KeyUsage } from '../../access/keys/key-usage.ts';
import { livemode } from '../../kernel/basics/environment.ts';
import { TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import { GRANT_REVOKED_REASONS, GRANT_STATUSES, type Grant } from './grant.ts';

export const GrantResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('grant'),
    account: z.string(),
    livemode: z.boolean(),
    platform: z.string(),
    scopes: z.array(ScopeInput).meta({ description: 'The approved scopes.' }),
    status: z.enum(GRANT_STATUSES).meta({
      description: '`pending`: approved, but the platform has not exchanged its code yet.',
    }),
    approved_by: z.string().meta({ description: 'The user of the host who approved it.' }),
    revoked_at: TimestampResource.nullable(),
    revoked_reason: z.enum(GRANT_REVOKED_REASONS).meta({ id: 'GrantRevokedReason' }).nullable(),
    last_used_at: TimestampResource.nullable().meta({ description: 'Up to 10 s behind.' }),
    created: TimestampResource,
  })
  .meta({ id: 'Grant' });

export type GrantJson = z.output<typeof GrantResource>;

/** The JSON of a grant. @param usage of its tokens; absent if they were never used */
export function toGrantResource(grant: Grant, usage?: KeyUsage): GrantJson {
  return {
    id: grant.id,
    object: 'grant',
    account: grant.accountId,
    livemode: livemode(grant.environment),
    platform: grant.platformId,
    scopes: [...grant.scopes],
    status: grant.status,
    approved_by: grant.approvedBy,
    revoked_at: timestamp(grant.revokedAt),
    revoked_reason: grant.revokedReason ?? null,
    last_used_at: timestamp(usage?.lastUsedAt),
    created: grant.created.toISOString(),
  };
}
