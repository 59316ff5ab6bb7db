import type { Account } from '../accounts/account.ts';
import type { AccountId, KeyId } from '../shared/id.ts';
import type { Credential, Key } from './key.ts';

/** One state of the generation counter that fences the key cache. */
export interface AuthEpoch {
  readonly gen: bigint;
  readonly mark: string;
}

export interface AuthSync {
  readonly current: AuthEpoch;
  readonly inRecovery: boolean;
  /** Changes with `gen >= seen.gen`, in order of gen; the first is `seen` itself when intact. */
  readonly changes: readonly (AuthEpoch & { readonly subjects: readonly string[] })[];
}

export interface KeyReader {
  /** One prepared look-up on the primary. */
  findByHash(hash: Uint8Array): Promise<Credential | undefined>;
  /** One statement, hence one snapshot; on its own pool, never the request pool. */
  syncEpoch(seen: AuthEpoch | undefined): Promise<AuthSync>;
}

/**
 * Every change of access: rows, then `auth_epoch` last, then NOTIFY, in one transaction of its
 * own. Never in a host's transaction, which would hold back every revocation.
 */
export interface AccessWriter {
  createAccount(account: Account): Promise<void>;
  findAccount(id: AccountId): Promise<Account | undefined>;
  /** @throws `key_limit_reached` beyond 100 active keys per account and environment */
  createKey(key: Key): Promise<void>;
  /** @returns the revoked key; unchanged when it was revoked before; undefined when unknown */
  revokeKey(
    id: KeyId,
    reason: NonNullable<Key['revokedReason']>,
    now: Date,
  ): Promise<Key | undefined>;
  listKeys(accountId: AccountId): Promise<readonly Key[]>;
}
