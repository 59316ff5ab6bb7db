import { createHash } from 'node:crypto';
import { newId } from '../../kernel/basics/id.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import type { Endpoint, EndpointSecret } from './endpoint.ts';

/** The maximum number of secrets that sign at once: each makes every delivery's headers longer. */
export const MAX_SECRETS = 3;

/** The context that a sealed signing secret is bound to. */
export function secretContext(secretId: string): string {
  return `endpoint_secrets.sealed:${secretId}`;
}

/**
 * The stored form of a new signing secret. The sealer may call a key service, so call this before
 * any transaction.
 * @throws PaymountError `unavailable`, `sealing_keys_missing`
 */
export async function sealSecret(
  sealer: Sealer,
  { accountId, environment, id: endpointId }: Endpoint,
  { secret, at }: { readonly secret: string; readonly at: Date },
): Promise<EndpointSecret> {
  const id = newId('whs');
  const { sealed, kid } = await sealer.seal(secret, secretContext(id), environment);
  const hash = createHash('sha256').update(secret).digest();
  const facts = { id, endpointId, sealed, kid, last4: secret.slice(-4), hash };
  return { accountId, environment, ...facts, created: at };
}
