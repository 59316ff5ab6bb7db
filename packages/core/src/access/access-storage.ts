import type { EndpointSecretReader } from '../events/endpoints/endpoint-repository.ts';
import type { AccessChange } from './access-change.ts';
import type { AccountRepository } from './accounts/account-repository.ts';
import type { KeyRepository, KeyUsageReader } from './keys/key-repository.ts';
import type { LeakRepository } from './leaks/leak-repository.ts';

/** Everything that decides about access, bound to one transaction. Locks: account, then keys by id. */
export interface AccessRepositories {
  readonly accounts: AccountRepository;
  readonly keys: KeyRepository;
  readonly usage: KeyUsageReader;
  readonly leaks: LeakRepository;
  readonly endpointSecrets: EndpointSecretReader;
}

/**
 * The only way to change permissions. Never in a host's transaction, which would delay every
 * revocation while it is open.
 */
export interface AccessStorage<Rows = AccessRepositories> {
  /**
   * One transaction: `work` locks and writes rows; then audit rows are added to their chains, mails
   * and answer are written, and, if there are subjects, the generation counter is incremented as
   * the last statement. Other processes are notified of the commit. Serialization failures and
   * deadlocks run `work` again.
   * @throws ClaimedError if the idempotency key of `answer` already has a row
   * @throws AccessChangedError when the caller's credential changed in the meantime
   */
  change<Result>(work: (rows: Rows) => Promise<AccessChange<Result>>): Promise<Result>;
}
