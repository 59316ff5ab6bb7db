import type { LeakId } from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { Leak } from './leak.ts';

/** Reads for admins, across accounts. */
export interface LeakDirectory {
  find(id: LeakId): Promise<Leak | undefined>;
  /** Newest first. @throws PaymountError `invalid_cursor` */
  list(
    scope: AdminScope,
    filter: AdminListFilter<Leak['status']>,
    page: PageRequest,
  ): Promise<Page<Leak>>;
}

/** In one change of access. */
export interface LeakRepository {
  /**
   * @returns without those whose credential was already reported from the same source and location
   */
  insert(leaks: readonly Leak[]): Promise<readonly Leak[]>;
  /**
   * Which of these locations, '' for an unknown one, are recorded for a credential, from any
   * source.
   */
  placesSeen(
    credential: Leak['credential']['id'],
    urls: readonly string[],
  ): Promise<readonly string[]>;
  /** Records that what leaked earlier, and was only notified of, is now revoked. */
  markRevoked(credential: Leak['credential']['id']): Promise<void>;
  findForUpdate(id: LeakId): Promise<Leak | undefined>;
  update(leak: Leak): Promise<void>;
}
