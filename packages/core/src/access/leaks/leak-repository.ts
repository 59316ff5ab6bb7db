import type { KeyId, LeakId } from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { Leak } from './leak.ts';

export interface LeakReader {
  find(id: LeakId): Promise<Leak | undefined>;
  /** Newest first. @throws PaymountError `invalid_cursor` */
  list(
    scope: AdminScope,
    filter: AdminListFilter<Leak['status']>,
    page: PageRequest,
  ): Promise<Page<Leak>>;
}

/** Bound to one change of access. */
export interface LeakRepository {
  /** @returns without those whose credential was reported from the same source and place before */
  insert(leaks: readonly Leak[]): Promise<readonly Leak[]>;
  /** Which of these places, '' for an unknown one, are recorded of a credential, from any source. */
  placesSeen(
    credential: Leak['credential']['id'],
    urls: readonly string[],
  ): Promise<readonly string[]>;
  /** The key of earlier leaks, which its owner had only been told of, is revoked now. */
  markRevoked(key: KeyId): Promise<void>;
  findForUpdate(id: LeakId): Promise<Leak | undefined>;
  update(leak: Leak): Promise<void>;
}
