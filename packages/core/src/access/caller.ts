import type { AuditContext } from '../kernel/callers/audit-context.ts';
import type { CredentialSnapshot } from '../kernel/callers/principal.ts';
import type { AccessChange } from './access-change.ts';

/** Who asks for a change of access, and the idempotency key that it finishes. */
export interface Caller<Result> {
  /** @defaultValue the host's own code */
  readonly by?: AuditContext;
  /** What the caller's own key stood on when it was let in. */
  readonly credential?: CredentialSnapshot;
  /** What is stored under the idempotency key, in the commit of the change. */
  readonly answer?: (result: Result) => Promise<NonNullable<AccessChange<unknown>['answer']>>;
}

/** Who changed something when the host's own code did. @param id a name that the host gave */
export function hostActor(id = 'host'): AuditContext {
  return { actor: { type: 'host', id }, via: 'host' };
}
