import type { EndpointSecretReader } from '../../events/endpoints/endpoint-repository.ts';
import type { RotatedSecrets, SecretsRotation } from '../../events/endpoints/rotate-secrets.ts';
import { newId } from '../../kernel/basics/id.ts';
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

/** Rotates the signing secrets that are older than a leak, in one commit. @throws as `rotateSecrets` */
export function rotateLeaked(
  { rotateSecrets, endpointSecrets }: RotateLeakedPorts,
  { leak, overlapSeconds = DEFAULT_OVERLAP_SECONDS }: LeakRotation,
  { by = hostActor(), response: answer }: Caller<RotatedSecrets> = {},
): Promise<RotatedSecrets> {
  return rotateSecrets(callFor(leak, by), {
    overlapSeconds,
    find: () => endpointSecrets.endpointsOlderThan(leak, leak.created),
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
