import type { EndpointSecretReader } from '../../events/endpoints/endpoint-repository.ts';
import type { RotatedSecrets, SecretsRotation } from '../../events/endpoints/rotate-secrets.ts';
import { type EndpointId, newId } from '../../kernel/basics/id.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import type { Call, Principal } from '../../kernel/callers/principal.ts';
import { type Caller, hostActor } from '../caller.ts';
import type { Leak } from './leak.ts';
import { entryFor } from './leak-entry.ts';

const DEFAULT_OVERLAP_SECONDS = 86_400;

export interface RotateLeakedPorts {
  readonly endpointSecrets: EndpointSecretReader;
  /** As core's `rotateSecrets`, with its ports. */
  readonly rotateSecrets: (call: Call, rotation: SecretsRotation) => Promise<RotatedSecrets>;
}

/** The arguments of a leak's rotation. */
export interface LeakRotation {
  readonly leak: Leak;
  /** @defaultValue 86,400 */
  readonly overlapSeconds?: number;
}

/**
 * Endpoints whose signing secret is older than the leak. Those whose URL a leaked key set are disabled
 * with it, and a new secret would be of no use to the merchant.
 */
export function leakedEndpoints(
  { endpointSecrets }: Pick<RotateLeakedPorts, 'endpointSecrets'>,
  leak: Leak,
): Promise<readonly EndpointId[]> {
  const { credential, action, created } = leak;
  const except = action === 'revoked' ? credential.id : undefined;
  return endpointSecrets.endpointsOlderThan(leak, created, except);
}

/** Rotates the signing secrets that are older than a leak, in one commit. @throws as `rotateSecrets` */
export function rotateLeaked(
  { rotateSecrets, endpointSecrets }: RotateLeakedPorts,
  { leak, overlapSeconds = DEFAULT_OVERLAP_SECONDS }: LeakRotation,
  { by = hostActor(), response: answer }: Caller<RotatedSecrets> = {},
): Promise<RotatedSecrets> {
  return rotateSecrets(callFor(leak, by), {
    overlapSeconds,
    find: () => leakedEndpoints({ endpointSecrets }, leak),
    async record(result, at) {
      const after = {
        endpoints: result.rotated.map(({ endpoint }) => endpoint.id),
        skipped: result.skipped.map(({ endpointId }) => endpointId),
      };
      const action = 'leak.rotate_signing_secrets' as const;
      return {
        audit: { ...entryFor(leak, by, at), action, after },
        ...(answer && { response: await answer(result) }),
      };
    },
  });
}

/** A call in the name of the caller, for the account of the leak. */
function callFor({ accountId, environment }: Leak, by: AuditContext): Call {
  const { actor, requestId = newId('req') } = by;
  const owner = { accountId, environment, scopes: 'all' } as const;
  const principal: Principal =
    actor.type === 'admin'
      ? { ...owner, kind: 'admin', adminId: actor.id }
      : { ...owner, kind: 'host' };
  return { principal, requestId, audit: by };
}
