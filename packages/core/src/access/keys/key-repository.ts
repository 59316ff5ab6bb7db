import type { Owner } from '../../kernel/basics/environment.ts';
import type { KeyId } from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { Credential, Key, KeyType } from './key.ts';

/** One state of the generation counter that fences the key cache. */
export interface AuthEpoch {
  readonly gen: bigint;
  readonly mark: string;
}

export interface AuthSync {
  readonly current: AuthEpoch;
  readonly inRecovery: boolean;
  /**
   * Changes with `gen >= seen.gen`, in order of gen; the first equals `seen` unless the history
   * changed.
   */
  readonly changes: readonly (AuthEpoch & { readonly subjects: readonly string[] })[];
}

/** The result of a look-up, and whether it came from a standby, whose rows may be stale. */
export interface CredentialLookup {
  readonly credential: Credential | undefined;
  readonly inRecovery: boolean;
}

/** The queries of the guard; on its own pool, never the request pool. */
export interface CredentialReader {
  /** One prepared look-up on the primary. */
  findByHash(hash: Uint8Array): Promise<CredentialLookup>;
  /** One statement, so one snapshot. */
  syncEpoch(seen: AuthEpoch | undefined): Promise<AuthSync>;
}

/**
 * Notifies of changes of access. Correctness does not depend on it: a process that is notified
 * queries the database, and a process that misses the notification queries within the lease anyway.
 */
export interface AccessChangeNotifier {
  /**
   * Calls `onChange` after changes of access, in any process. @returns a function that stops
   * listening
   */
  listen(onChange: () => void): () => Promise<void>;
}

export interface KeyFilter extends AdminListFilter<'active' | 'revoked'> {
  readonly type?: KeyType;
}

export interface KeyReader {
  find(id: KeyId): Promise<Key | undefined>;
  /** The keys of these ids that belong to the owner, in no order. */
  findMany(owner: Owner, ids: readonly KeyId[]): Promise<readonly Key[]>;
  /** Newest first. @throws PaymountError `invalid_cursor` */
  list(scope: AdminScope, filter: KeyFilter, page: PageRequest): Promise<Page<Key>>;
}

/** In one change of access. */
export interface KeyRepository {
  findForUpdate(id: KeyId): Promise<Key | undefined>;
  /** In the order of their ids, so that two callers never deadlock. */
  findByHashesForUpdate(hashes: readonly Uint8Array[]): Promise<readonly Key[]>;
  insert(key: Key): Promise<void>;
  /** Replaces the row; the caller holds its lock and incremented `version`. */
  update(key: Key): Promise<void>;
  /** The number of active and unexpired keys of the owner. The caller locked the account's row. */
  countActive(owner: Owner, now: Date): Promise<number>;
}
