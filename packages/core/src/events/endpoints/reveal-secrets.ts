import { z } from 'zod';
import { commit } from '../../changes/commit.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import { livemode } from '../../kernel/basics/environment.ts';
import { TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import type { WebhookStorage } from '../webhook-storage.ts';
import type { Endpoint } from './endpoint.ts';
import { endpointAudit } from './endpoint-audit.ts';
import type { EndpointSecretReader, SealedSecret } from './endpoint-repository.ts';
import { secretContext } from './seal-secret.ts';

const SigningSecretResource = z.strictObject({
  id: z.string(),
  secret: z.string(),
  created: TimestampResource,
  expires_at: TimestampResource.nullable().meta({
    description: 'The end of the overlap of a rotation; null for the current secret.',
  }),
});

export const SigningSecretsResource = z
  .strictObject({
    object: z.literal('signing_secrets'),
    endpoint: z.string(),
    account: z.string(),
    livemode: z.boolean(),
    secrets: z.array(SigningSecretResource),
  })
  .meta({ id: 'SigningSecrets' });

interface RevealSecretsPorts {
  readonly changes: WebhookStorage['changes'];
  readonly endpointSecrets: Pick<EndpointSecretReader, 'signing'>;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

/**
 * Reads the signing secrets of an endpoint. The audit row that records it is committed before
 * anybody sees them. It calls the key service, outside any transaction.
 * @returns all that sign now, newest first
 * @throws PaymountError `unavailable` if the sealing keys cannot be reached; `internal_error` for a
 *   secret that none of them opens
 */
export async function revealSecrets(
  { changes, endpointSecrets, sealer, clock }: RevealSecretsPorts,
  call: Call,
  endpoint: Endpoint,
): Promise<z.output<typeof SigningSecretsResource>> {
  const at = clock.now();
  const { accountId, environment, id } = endpoint;
  const sealed = await endpointSecrets.signing(endpoint, id, at);
  const secrets = await Promise.all(sealed.map((secret) => open(sealer, secret)));
  const audited = { before: endpoint, after: endpoint, at } as const;
  const audit = endpointAudit(call, { action: 'endpoint.reveal_secrets', ...audited });
  return commit(changes, async () => ({
    change: { accountId, environment, at, writes: [], ...audit },
    result: {
      object: 'signing_secrets',
      endpoint: id,
      account: accountId,
      livemode: livemode(environment),
      secrets,
    },
  }));
}

async function open(
  sealer: Sealer,
  { id, sealed, created, expiresAt }: SealedSecret,
): Promise<z.output<typeof SigningSecretResource>> {
  const secret = await sealer.open(sealed, secretContext(id)).catch((cause: unknown) => {
    if (PaymountError.is(cause)) throw cause;
    throw new PaymountError(
      'internal_error',
      'A signing secret of this endpoint cannot be opened. Rotate the secret.',
      { cause },
    );
  });
  return { id, secret, created: created.toISOString(), expires_at: timestamp(expiresAt) };
}
