import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { MetadataResource, TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import { MakerResource, toMakerResource } from '../../kernel/callers/maker.ts';
import { toOneLine } from '../../kernel/input/one-line.ts';
import type { Endpoint, EndpointBacklog } from './endpoint.ts';

export const EndpointResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('webhook_endpoint'),
    url: z.string(),
    enabled_events: z.array(z.string()),
    description: z.string().nullable(),
    status: z.enum(['enabled', 'disabled']),
    disabled_reason: z.enum(['manual', 'failing', 'gone', 'access_ended']).nullable().meta({
      description: '`access_ended`: the platform or key that set its URL has no access any more.',
    }),
    disabled_at: TimestampResource.nullable(),
    failing_since: TimestampResource.nullable().meta({
      description:
        'The end of the first failed attempt since a success, since it was enabled, or since its URL changed.',
    }),
    api_version: z.string(),
    livemode: z.boolean(),
    created: TimestampResource,
    metadata: MetadataResource,
    secret: z
      .string()
      .optional()
      .meta({ description: 'Shown once, when it is created or rotated.' }),
    resuming: z.int().optional().meta({
      description:
        'Only in the answer that enables it: how many unfinished deliveries continue, up to 10,000.',
    }),
    missed: z
      .int()
      .optional()
      .meta({
        description:
          'Only in the answer that enables it: how many events it missed while it was disabled, up ' +
          'to 10,000. A replay with `states[]=skipped` sends them.',
      }),
    missed_since: TimestampResource.optional().meta({
      description:
        'Only in the answer that enables it: a minute before it was disabled, because the clocks of ' +
        'two machines may differ.',
    }),
  })
  .meta({ id: 'WebhookEndpoint' });

/** For admins, who see more than one account. */
export const AdminEndpointResource = EndpointResource.extend({
  account: z.string(),
  created_by: MakerResource.nullable().meta({
    description: 'Null: an earlier version did not record it.',
  }),
  changed_by: MakerResource.nullable().meta({
    description: 'The last change, also of its secret.',
  }),
  url_set_by: MakerResource.nullable().meta({
    description: 'Who decided where its events go. It ends with the access of a platform.',
  }),
}).meta({ id: 'WebhookEndpoint' });

export type EndpointJson = z.output<typeof EndpointResource>;

/** What only one answer shows. */
export interface ShownOnce {
  /** When the endpoint is created or its secret rotated. */
  readonly secret?: string;
  /** When it is enabled. */
  readonly backlog?: EndpointBacklog;
}

/** An endpoint as the API shows it. */
export function toEndpointResource(endpoint: Endpoint, once: ShownOnce = {}): EndpointJson {
  const { secret, backlog } = once;
  return {
    id: endpoint.id,
    object: 'webhook_endpoint',
    url: endpoint.url,
    enabled_events: [...endpoint.enabledEvents],
    description: endpoint.description && toOneLine(endpoint.description),
    status: endpoint.status === 'enabled' ? 'enabled' : 'disabled',
    disabled_reason: endpoint.disabledReason ?? null,
    disabled_at: timestamp(endpoint.disabledAt),
    failing_since: timestamp(endpoint.failingSince),
    api_version: endpoint.apiVersion,
    livemode: livemode(endpoint.environment),
    created: endpoint.created.toISOString(),
    metadata: endpoint.metadata,
    ...(secret === undefined ? {} : { secret }),
    ...(backlog && {
      resuming: backlog.resuming,
      missed: backlog.missed,
      missed_since: backlog.since.toISOString(),
    }),
  };
}

/** As `toEndpointResource`, with the account that the endpoint belongs to, and who made it. */
export function toAdminEndpointResource(
  endpoint: Endpoint,
  once: ShownOnce = {},
): z.output<typeof AdminEndpointResource> {
  return {
    ...toEndpointResource(endpoint, once),
    account: endpoint.accountId,
    created_by: toMakerResource(endpoint.createdBy),
    changed_by: toMakerResource(endpoint.changedBy),
    url_set_by: toMakerResource(endpoint.urlSetBy),
  };
}
