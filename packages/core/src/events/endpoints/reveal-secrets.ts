import { commit } from '../../changes/commit.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import type { WebhookStorage } from '../webhook-storage.ts';
import type { Endpoint } from './endpoint.ts';
import { endpointAudit } from './endpoint-audit.ts';
import type { EndpointSecretReader, SealedSecret } from './endpoint-repository.ts';
import { secretContext } from './seal-secret.ts';

export interface RevealSecretsPorts {
  readonly changes: WebhookStorage['changes'];
  readonly endpointSecrets: Pick<EndpointSecretReader, 'signing'>;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

/** A signing secret, opened. */
export interface RevealedSecret extends Omit<SealedSecret, 'sealed'> {
  readonly secret: string;
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
): Promise<readonly RevealedSecret[]> {
  const at = clock.now();
  const { accountId, environment, id } = endpoint;
  const sealed = await endpointSecrets.signing(endpoint, id, at);
  const secrets = await Promise.all(sealed.map((secret) => open(sealer, secret)));
  const audited = { before: endpoint, after: endpoint, at } as const;
  const audit = endpointAudit(call, { action: 'endpoint.reveal_secrets', ...audited });
  return commit(changes, async () => ({
    change: { accountId, environment, at, writes: [], ...audit },
    result: secrets,
  }));
}

async function open(sealer: Sealer, { sealed, ...facts }: SealedSecret): Promise<RevealedSecret> {
  const secret = await sealer.open(sealed, secretContext(facts.id)).catch((cause: unknown) => {
    if (PaymountError.is(cause)) throw cause;
    throw new PaymountError(
      'internal_error',
      'A signing secret of this endpoint cannot be opened. Rotate the secret.',
      { cause },
    );
  });
  return { ...facts, secret };
}
