import type { AuditContext } from '../kernel/callers/audit-context.ts';
import type { CredentialSnapshot } from '../kernel/callers/principal.ts';
import type { AccessChange } from './access-change.ts';

/** The caller of a change of access, and the idempotency key that it finishes. */
export interface Caller<Result> {
  /** @defaultValue the host's own code */
  readonly by?: AuditContext;
  /** The state of the caller's own key when it was accepted. */
  readonly credential?: CredentialSnapshot;
  /** The answer to store under the idempotency key, in the commit of the change. */
  readonly response?: (result: Result) => Promise<NonNullable<AccessChange<unknown>['response']>>;
}

/** The actor for changes by the host's own code. @param id a name that the host passed */
export function hostActor(id = 'host'): AuditContext {
  return { actor: { type: 'host', id }, via: 'host' };
}
