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
  /** Changes with `gen >= seen.gen`, in order of gen; the first is `seen` itself when intact. */
  readonly changes: readonly (AuthEpoch & { readonly subjects: readonly string[] })[];
}

/** What a look-up found, and whether it asked a standby, whose rows may be old. */
export interface LookUp {
  readonly credential: Credential | undefined;
  readonly inRecovery: boolean;
}

/** What the guard asks; on its own pool, never the request pool. */
export interface CredentialReader {
  /** One prepared look-up on the primary. */
  findByHash(hash: Uint8Array): Promise<LookUp>;
  /** One statement, hence one snapshot. */
  syncEpoch(seen: AuthEpoch | undefined): Promise<AuthSync>;
}

/**
 * Says that access changed, somewhere. It carries no authority: whoever hears it asks the
 * database, and whoever misses it asks within the lease anyway.
 */
export interface AccessChangeNotifier {
  /** Calls `onChange` after changes of access, in any process. @returns stops listening */
  listen(onChange: () => void): () => Promise<void>;
}

export interface KeyFilter extends AdminListFilter<'active' | 'revoked'> {
  readonly type?: KeyType;
}

export interface KeyReader {
  find(id: KeyId): Promise<Key | undefined>;
  /** Those among the ids that the owner has, in no order. */
  findMany(owner: Owner, ids: readonly KeyId[]): Promise<readonly Key[]>;
  /** Newest first. @throws PaymountError `invalid_cursor` */
  list(scope: AdminScope, filter: KeyFilter, page: PageRequest): Promise<Page<Key>>;
}

/** Bound to one change of access. */
export interface KeyRepository {
  findForUpdate(id: KeyId): Promise<Key | undefined>;
  /** In the order of their ids, so that two callers never wait for each other. */
  findByHashesForUpdate(hashes: readonly Uint8Array[]): Promise<readonly Key[]>;
  insert(key: Key): Promise<void>;
  /** Replaces the row; the caller holds its lock and raised `version`. */
  update(key: Key): Promise<void>;
  /** Keys of the owner that are active and unexpired. The caller locked the account's row. */
  countActive(owner: Owner, now: Date): Promise<number>;
}
