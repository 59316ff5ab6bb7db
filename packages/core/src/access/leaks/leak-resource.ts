import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import type { EndpointId } from '../../kernel/basics/id.ts';
import { TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import type { Leak } from './leak.ts';

export const LeakResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('leak'),
    account: z.string(),
    livemode: z.boolean(),
    credential: z.strictObject({
      kind: z.enum(['key', 'signing_secret', 'grant']).meta({
        description: '`grant`: a code or token of a platform leaked, and its grant ends.',
      }),
      id: z.string(),
      endpoint: z.string().nullable().meta({ description: 'The endpoint of a signing secret.' }),
      redacted: z.string(),
    }),
    source: z.string().meta({ description: 'The reporter: `github`, `url`, or a name.' }),
    url: z.string().nullable().meta({
      description:
        'Where it was seen, as the reporter sent it. Check it before you render it as a link.',
    }),
    action: z.enum(['revoked', 'notified', 'already_revoked']),
    status: z.enum(['open', 'dismissed']),
    dismissed_at: TimestampResource.nullable(),
    created: TimestampResource,
    endpoints_to_rotate: z.array(z.string()).optional().meta({
      description:
        'Endpoints whose signing secret is older than the leak; only if a single leak is retrieved.',
    }),
  })
  .meta({ id: 'Leak' });

export type LeakJson = z.output<typeof LeakResource>;

/** The JSON of a leak. @param endpointsToRotate given if a single leak is retrieved */
export function toLeakResource(leak: Leak, endpointsToRotate?: readonly EndpointId[]): LeakJson {
  const { credential } = leak;
  return {
    id: leak.id,
    object: 'leak',
    account: leak.accountId,
    livemode: livemode(leak.environment),
    credential: {
      kind: credential.kind,
      id: credential.id,
      endpoint: credential.kind === 'signing_secret' ? credential.endpointId : null,
      redacted: leak.redacted,
    },
    source: leak.source,
    url: leak.url ?? null,
    action: leak.action,
    status: leak.status,
    dismissed_at: timestamp(leak.dismissedAt),
    created: leak.created.toISOString(),
    ...(endpointsToRotate && { endpoints_to_rotate: [...endpointsToRotate] }),
  };
}
