import { ownerOf } from '../../kernel/callers/call.ts';
import { makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import type { WebhookChange } from '../webhook-change.ts';
import type { Endpoint, EndpointWithSecret } from './endpoint.ts';
import { endpointAudit } from './endpoint-audit.ts';
import { sealSecret } from './seal-secret.ts';

interface Rotation {
  readonly endpoint: Endpoint;
  readonly at: Date;
  /** How long the old secrets also sign. */
  readonly overlapSeconds: number;
}

/**
 * The change that gives an endpoint a new signing secret, and the secret. It calls the key service,
 * so call it before the transaction.
 * @throws PaymountError `unavailable`, `sealing_keys_missing`
 */
export async function secretRotation(
  { sealer, createSecret }: { readonly sealer: Sealer; createSecret(): string },
  call: Call,
  { endpoint: before, at, overlapSeconds }: Rotation,
): Promise<{ readonly change: WebhookChange; readonly rotated: EndpointWithSecret }> {
  const endpoint = {
    ...before,
    version: before.version + 1,
    secretVersion: before.secretVersion + 1,
    changedBy: makerOf(call),
  };
  const secret = createSecret();
  const expiresAt = new Date(at.getTime() + overlapSeconds * 1_000);
  const change: WebhookChange = {
    ...ownerOf(call),
    at,
    writes: [{ kind: 'endpoint', mode: 'update', row: endpoint }],
    secret: await sealSecret(sealer, endpoint, { secret, at }),
    retiredSecrets: { endpointId: endpoint.id, expiresAt },
    ...endpointAudit(call, { action: 'endpoint.rotate_secret', before, after: endpoint, at }),
  };
  return { change, rotated: { endpoint, secret } };
}
