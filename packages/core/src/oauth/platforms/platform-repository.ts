import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type {
  ClientSecret,
  ClientSecretId,
  Platform,
  PlatformId,
  PlatformStatus,
  SecretRevokedReason,
} from './platform.ts';

export type PlatformFilter = Pick<AdminListFilter<PlatformStatus>, 'environment' | 'status'>;

/** Reads platforms, with the secrets that work. */
export interface PlatformReader {
  find(id: PlatformId): Promise<Platform | undefined>;
}

/** Finds the platform of a secret that somebody presented. */
export interface ClientSecretReader {
  /** @param hash SHA-256 of the whole secret; of a revoked one too */
  findSecret(hash: Uint8Array): Promise<KnownSecret | undefined>;
}

/** A client secret that exists. */
export interface KnownSecret {
  readonly id: ClientSecretId;
  readonly platformId: PlatformId;
  readonly status: 'active' | 'revoked';
}

/** Reads for admins. */
export interface PlatformDirectory extends PlatformReader, ClientSecretReader {
  /** Newest first; empty for admins of some accounts. @throws PaymountError `invalid_cursor` */
  list(scope: AdminScope, filter: PlatformFilter, page: PageRequest): Promise<Page<Platform>>;
}

/** In one change of access. The lock of the platform's row also protects its secrets. */
export interface PlatformRepository extends PlatformReader {
  findForUpdate(id: PlatformId): Promise<Platform | undefined>;
  /** Inserts the row without its secrets. */
  insert(platform: Platform): Promise<void>;
  /** Replaces the row without its secrets; the caller holds its lock and incremented `version`. */
  update(platform: Platform): Promise<void>;
  /** @param hash SHA-256 of the whole secret */
  insertSecret(id: PlatformId, secret: ClientSecret, hash: Uint8Array): Promise<void>;
  /** Ends a secret; the row stays, so that a leaked secret is recognized. */
  revokeSecret(id: ClientSecretId, reason: SecretRevokedReason, now: Date): Promise<void>;
}
