import type { AuditEntry } from '../changes/audit/audit.ts';
import type { ClaimedResponse } from '../changes/idempotency/idempotency.ts';
import type { Mail } from '../changes/mails/mail.ts';
import type { CredentialSnapshot } from '../kernel/callers/principal.ts';

/** The result of the work of a change of access. */
export interface AccessChange<Result> {
  readonly result: Result;
  /**
   * Ids of keys and accounts whose access changed: every process removes them from its cache. May
   * be empty.
   */
  readonly subjects: readonly string[];
  readonly audit: readonly AuditEntry[];
  readonly mails?: readonly Mail[];
  /**
   * Ids of grants, platforms and keys whose access ends: this process disables endpoints that depend on
   * it as soon as the change is committed. Storage notes every end by itself, for workers.
   * @defaultValue none
   */
  readonly ended?: readonly string[];
  /** Finishes an idempotency key in the same commit. */
  readonly response?: ClaimedResponse;
  /**
   * Set if the caller is a key other than the changed one: it is checked again under the lock of
   * the counter, after which no revocation can commit before this change.
   */
  readonly credential?: CredentialSnapshot;
}
