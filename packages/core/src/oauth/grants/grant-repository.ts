import type { Owner } from '../../kernel/basics/environment.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { PlatformId } from '../platforms/platform.ts';
import type { ConnectedApplication } from './connected-application.ts';
import type { Grant, GrantId } from './grant.ts';

export interface GrantFilter extends AdminListFilter<Grant['status']> {
  readonly platform?: PlatformId;
}

/** Reads for admins, across accounts. */
export interface GrantDirectory {
  find(id: GrantId): Promise<Grant | undefined>;
  /** Newest first. @throws PaymountError `invalid_cursor` */
  list(scope: AdminScope, filter: GrantFilter, page: PageRequest): Promise<Page<Grant>>;
}

/** Reads for the merchants themselves. */
export interface ConnectedApplicationReader {
  /** @returns undefined for a platform that the owner never approved */
  find(owner: Owner, id: PlatformId): Promise<ConnectedApplication | undefined>;
  /**
   * The platforms with an active grant of the owner, newest platform first.
   * @throws PaymountError `invalid_cursor`
   */
  list(owner: Owner, page: PageRequest): Promise<Page<ConnectedApplication>>;
}

/** In one change of access. */
export interface GrantRepository {
  findForUpdate(id: GrantId): Promise<Grant | undefined>;
  /**
   * The grants of a platform for an owner that are not revoked, in the order of their ids, so that
   * two callers never deadlock.
   */
  findOpenForUpdate(owner: Owner, platformId: PlatformId): Promise<readonly Grant[]>;
  insert(grant: Grant): Promise<void>;
  /** Replaces status and scopes; the caller holds the lock of the row and incremented `version`. */
  update(grant: Grant): Promise<void>;
}
