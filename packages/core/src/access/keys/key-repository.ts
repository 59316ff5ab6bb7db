import type { Owner } from '../../kernel/basics/environment.ts';
import type { KeyId } from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { KeyType } from '../credentials/key-format.ts';
import type { TokenCredential } from '../credentials/token-credential.ts';
import type { Credential, Key } from './key.ts';
import type { KeyAddress, KeyUsage, KeyUse, UseCounts, UsedId } from './key-usage.ts';

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

/** As `CredentialLookup`, of an access token. */
export interface TokenLookup {
  readonly credential: TokenCredential | undefined;
  readonly inRecovery: boolean;
}

/** The queries of the guard; on its own pool, never the request pool. */
export interface CredentialReader {
  /** The key of a hash: one prepared look-up on the primary. */
  findByHash(hash: Uint8Array): Promise<CredentialLookup>;
  /** The access token of a hash, in the same way. */
  findTokenByHash(hash: Uint8Array): Promise<TokenLookup>;
  /** One statement, so one snapshot. */
  syncEpoch(seen: AuthEpoch | undefined): Promise<AuthSync>;
}

export interface KeyFilter extends AdminListFilter<'active' | 'revoked'> {
  readonly type?: KeyType;
}

/** Reads for admins, across accounts, and for the owner of keys. */
export interface KeyDirectory {
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

export interface KeyUsageReader {
  /** One query for all; keys that were never used are absent. */
  findMany(ids: readonly UsedId[], now: Date): Promise<ReadonlyMap<UsedId, KeyUsage>>;
  /** Newest first. @param since within 90 days */
  hours(id: KeyId, since: Date): Promise<readonly ({ readonly hour: Date } & UseCounts)[]>;
  /** Most used first, at most 100. @param since within 30 days */
  addresses(id: KeyId, since: Date): Promise<readonly KeyAddress[]>;
}

export interface KeyUsageRepository extends KeyUsageReader {
  /** One statement for all keys; only newer times are written; never changes `api_keys`. */
  flush(uses: readonly KeyUse[]): Promise<void>;
  /** Deletes hours older than 90 days and addresses not seen for 30. @returns how many rows */
  purge(now: Date, limit: number): Promise<number>;
}
