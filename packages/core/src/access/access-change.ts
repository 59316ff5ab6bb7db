import type { AuditEntry } from '../changes/audit/audit.ts';
import type { ClaimedAnswer } from '../changes/idempotency/idempotency.ts';
import type { Mail } from '../changes/mails/mail.ts';
import type { EndpointSecretReader } from '../events/endpoints/endpoint.ts';
import type { CredentialSnapshot } from '../kernel/callers/principal.ts';
import type { AccountRepository } from './accounts/account.ts';
import type { KeyRepository } from './keys/key-store.ts';
import type { KeyUsageReader } from './keys/key-usage.ts';
import type { LeakRepository } from './leaks/leak-repository.ts';

/** The rows that decide about access, bound to one transaction. Locks: account, then keys by id. */
export interface AccessRows {
  readonly accounts: AccountRepository;
  readonly keys: KeyRepository;
  readonly usage: KeyUsageReader;
  readonly leaks: LeakRepository;
  readonly endpointSecrets: EndpointSecretReader;
}

/** What the work of a change of access comes to. */
export interface AccessChange<Result> {
  readonly result: Result;
  /** Ids of keys and accounts whose access changed: every process forgets them. May be empty. */
  readonly subjects: readonly string[];
  readonly audit: readonly AuditEntry[];
  readonly mails?: readonly Mail[];
  /** Finishes an idempotency key in the same commit. */
  readonly answer?: ClaimedAnswer;
  /**
   * Of a caller that is a key, and not the one that changes: it is looked at again under the lock of
   * the counter, behind which no revocation can be committed before this change.
   */
  readonly credential?: CredentialSnapshot;
}

/**
 * The one way to change who may do what. Never in a host's transaction, which would hold back
 * every revocation while it is open.
 */
export interface AccessStore {
  /**
   * One transaction: `work` locks and writes rows; then audit rows are chained, mails and answer
   * written, and, when there are subjects, the generation counter is moved, last of all. The
   * commit is told to other processes. Serialization failures and deadlocks run `work` again.
   * @throws ClaimedError when the idempotency key of `answer` has a row already
   * @throws AccessChangedError when the caller's credential changed in the meantime
   */
  change<Result>(work: (rows: AccessRows) => Promise<AccessChange<Result>>): Promise<Result>;
}
