import { z } from 'zod';
import { ScopeInput } from '../../access/keys/key-input.ts';
import type { KeyUsageReader } from '../../access/keys/key-repository.ts';
import { livemode } from '../../kernel/basics/environment.ts';
import { TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import type { Platform } from '../platforms/platform.ts';
import type { Grant } from './grant.ts';

/** A platform and what an account approved for it. */
export interface ConnectedApplication {
  readonly platform: Pick<Platform, 'id' | 'name' | 'scopes' | 'environment'>;
  /** The active ones, newest first; none after they were revoked. */
  readonly grants: readonly Grant[];
}

export const ConnectedApplicationResource = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the platform.' }),
    object: z.literal('connected_application'),
    livemode: z.boolean(),
    name: z.string(),
    scopes: z.array(ScopeInput).meta({ description: 'What its tokens may do, by all approvals.' }),
    approved_by: z.string().meta({ description: 'Who gave the newest approval.' }),
    last_used_at: TimestampResource.nullable().meta({ description: 'Up to 10 s behind.' }),
    created: TimestampResource.meta({ description: 'The time of the newest approval.' }),
  })
  .meta({ id: 'ConnectedApplication' });

export type ConnectedApplicationJson = z.output<typeof ConnectedApplicationResource>;

/** The usage of grants, by their ids. */
export type GrantUsage = Awaited<ReturnType<KeyUsageReader['findMany']>>;

/** The JSON of a connected application with at least one grant. */
export function toConnectedApplicationResource(
  { platform, grants }: ConnectedApplication,
  newest: Grant,
  usage: GrantUsage,
): ConnectedApplicationJson {
  const uses = grants.map(({ id }) => usage.get(id)?.lastUsedAt?.getTime() ?? 0);
  const lastUse = Math.max(0, ...uses);
  return {
    id: platform.id,
    object: 'connected_application',
    livemode: livemode(platform.environment),
    name: platform.name,
    scopes: platform.scopes.filter((scope) => grants.some(({ scopes }) => scopes.includes(scope))),
    approved_by: newest.approvedBy,
    last_used_at: timestamp(lastUse === 0 ? undefined : new Date(lastUse)),
    created: newest.created.toISOString(),
  };
}
