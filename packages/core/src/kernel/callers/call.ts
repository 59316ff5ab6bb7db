import type { Owner } from '../basics/environment.ts';
import type { Call, CredentialSnapshot, Principal } from './principal.ts';

/** The account and environment that a call acts for. */
export function ownerOf(call: Call): Owner {
  return { accountId: call.principal.accountId, environment: call.principal.environment };
}

/**
 * The id of the key, the grant or the admin behind a call, or `host`. A key's successor has another
 * id; the tokens of a grant share its id.
 */
export function credentialIdOf(principal: Principal): string {
  if (principal.kind === 'key') return principal.keyId;
  if (principal.kind === 'token') return principal.grantId;
  return principal.kind === 'admin' ? principal.adminId : principal.kind;
}

/**
 * The credential that a change depends on: the change must not commit after it was revoked. Absent
 * for the host's own code.
 */
export function credentialSnapshotFor({ principal }: Call): {
  readonly credential?: CredentialSnapshot;
} {
  return 'snapshot' in principal ? { credential: principal.snapshot } : {};
}
