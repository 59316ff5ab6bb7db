import { z } from 'zod';
import { ScopeInput } from '../../access/keys/key-input.ts';
import { livemode } from '../../kernel/basics/environment.ts';
import { TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import { type ClientSecret, PLATFORM_STATUSES, PLATFORM_TYPES, type Platform } from './platform.ts';

const ClientSecretResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('client_secret'),
    redacted: z.string().meta({ description: 'Prefix, tag and last four characters.' }),
    last4: z.string(),
    created: TimestampResource,
    created_by: z.string(),
  })
  .meta({ id: 'ClientSecret' });

export const PlatformResource = z
  .strictObject({
    id: z.string().meta({ description: 'The `client_id` of OAuth.' }),
    object: z.literal('platform'),
    livemode: z.boolean(),
    type: z.enum(PLATFORM_TYPES),
    name: z.string(),
    redirect_uris: z.array(z.string()),
    callback_origins: z.array(z.string()),
    scopes: z.array(ScopeInput),
    require_pkce: z.boolean(),
    contact_email: z.string(),
    status: z.enum(PLATFORM_STATUSES),
    disabled_at: TimestampResource.nullable(),
    client_secrets: z
      .array(ClientSecretResource)
      .meta({ description: 'The secrets that work, newest first: at most two.' }),
    created: TimestampResource,
    created_by: z.string(),
    client_secret: z
      .string()
      .optional()
      .meta({ description: 'The newest secret itself. Shown once, when it is created.' }),
  })
  .meta({ id: 'Platform' });

export type PlatformJson = z.output<typeof PlatformResource>;

/** The JSON of a platform. @param secret the new client secret, shown only once */
export function toPlatformResource(platform: Platform, secret?: string): PlatformJson {
  return {
    id: platform.id,
    object: 'platform',
    livemode: livemode(platform.environment),
    type: platform.type,
    name: platform.name,
    redirect_uris: [...platform.redirectUris],
    callback_origins: [...platform.callbackOrigins],
    scopes: [...platform.scopes],
    require_pkce: platform.requirePkce,
    contact_email: platform.contactEmail,
    status: platform.status,
    disabled_at: timestamp(platform.disabledAt),
    client_secrets: platform.secrets.map(toClientSecretResource),
    created: platform.created.toISOString(),
    created_by: platform.createdBy,
    ...(secret === undefined ? {} : { client_secret: secret }),
  };
}

function toClientSecretResource(secret: ClientSecret): z.output<typeof ClientSecretResource> {
  return {
    id: secret.id,
    object: 'client_secret',
    redacted: secret.redacted,
    last4: secret.redacted.slice(-4),
    created: secret.created.toISOString(),
    created_by: secret.createdBy,
  };
}
