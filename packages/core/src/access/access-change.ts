import type { AuditEntry } from '../changes/audit/audit.ts';
import type { ClaimedResponse } from '../changes/idempotency/idempotency.ts';
import type { Mail } from '../changes/mails/mail.ts';
import type { EndpointSecretReader } from '../events/endpoints/endpoint.ts';
import type { CredentialSnapshot } from '../kernel/callers/principal.ts';
import type { AccountRepository } from './accounts/account.ts';
import type { KeyRepository } from './keys/key-repository.ts';
import type { KeyUsageReader } from './keys/key-usage.ts';
import type { LeakRepository } from './leaks/leak-repository.ts';

/** The rows that decide about access, in one transaction. Locks: account, then keys by id. */
export interface AccessRows {
  readonly accounts: AccountRepository;
  readonly keys: KeyRepository;
  readonly usage: KeyUsageReader;
  readonly leaks: LeakRepository;
  readonly endpointSecrets: EndpointSecretReader;
}

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
  /** Finishes an idempotency key in the same commit. */
  readonly response?: ClaimedResponse;
  /**
   * Set if the caller is a key other than the changed one: it is checked again under the lock of
   * the counter, after which no revocation can commit before this change.
   */
  readonly credential?: CredentialSnapshot;
}

/**
 * The only way to change permissions. Never in a host's transaction, which would delay every
 * revocation while it is open.
 */
export interface AccessStore {
  /**
   * One transaction: `work` locks and writes rows; then audit rows are added to their chains, mails
   * and answer are written, and, if there are subjects, the generation counter is incremented as
   * the last statement. Other processes are notified of the commit. Serialization failures and
   * deadlocks run `work` again.
   * @throws ClaimedError if the idempotency key of `answer` already has a row
   * @throws AccessChangedError when the caller's credential changed in the meantime
   */
  change<Result>(work: (rows: AccessRows) => Promise<AccessChange<Result>>): Promise<Result>;
}
