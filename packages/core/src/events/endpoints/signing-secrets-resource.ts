import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import type { Endpoint } from './endpoint.ts';
import type { RevealedSecret } from './reveal-secrets.ts';

export const SigningSecretsResource = z
  .strictObject({
    object: z.literal('signing_secrets'),
    endpoint: z.string(),
    account: z.string(),
    livemode: z.boolean(),
    secrets: z.array(
      z.strictObject({
        id: z.string(),
        secret: z.string(),
        created: TimestampResource,
        expires_at: TimestampResource.nullable().meta({
          description: 'The end of the overlap of a rotation; null for the current secret.',
        }),
      }),
    ),
  })
  .meta({ id: 'SigningSecrets' });

/** The secrets of an endpoint that sign now, for a user of the merchant. */
export function toSigningSecretsResource(
  { id: endpoint, accountId, environment }: Endpoint,
  secrets: readonly RevealedSecret[],
): z.output<typeof SigningSecretsResource> {
  return {
    object: 'signing_secrets',
    endpoint,
    account: accountId,
    livemode: livemode(environment),
    secrets: secrets.map(({ id, secret, created, expiresAt }) => ({
      ...{ id, secret, created: created.toISOString() },
      expires_at: timestamp(expiresAt),
    })),
  };
}
