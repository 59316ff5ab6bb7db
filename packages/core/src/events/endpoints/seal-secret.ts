import { createHash } from 'node:crypto';
import { newId } from '../../kernel/basics/id.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import type { Endpoint, EndpointSecret } from './endpoint.ts';

/** That sign at once: each makes every delivery's headers longer. */
export const MAX_SECRETS = 3;

/** What a sealed signing secret is bound to. */
export function secretContext(secretId: string): string {
  return `endpoint_secrets.sealed:${secretId}`;
}

/**
 * What is stored of a new signing secret. The sealer may ask a key service elsewhere, so this
 * comes before any transaction.
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
