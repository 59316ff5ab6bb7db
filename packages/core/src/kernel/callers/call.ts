import type { Owner } from '../basics/environment.ts';
import type { AuditContext } from './audit-context.ts';
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

/** The actor of a call, for audit rows: the admin or user, the key, the platform, or the host. */
export function auditContextFor({ principal, requestId, origin, audit }: Call): AuditContext {
  if (audit !== undefined) return audit;
  const source = { requestId, ...origin };
  if (principal.kind === 'key') {
    return { actor: { type: 'key', id: principal.keyId }, via: 'key', ...source };
  }
  if (principal.kind === 'token') {
    return { actor: { type: 'platform', id: principal.platformId }, via: 'token', ...source };
  }
  return { actor: { type: 'host', id: 'host' }, via: 'host' };
}

/**
 * Whether a call is answered with what it has committed, before a processor is asked. The keys of admins are
 * not those of an account, so the result of an operation cannot be stored under them.
 */
export function isAnsweredFirst({ principal }: Call): boolean {
  return principal.kind === 'admin';
}

/** What an operation keeps of the call that asked for it: its key, if its result is the answer. */
export function askedBy(call: Call): Pick<Call, 'requestId' | 'claim'> {
  return isAnsweredFirst(call) ? { requestId: call.requestId } : call;
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
