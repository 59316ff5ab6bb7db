import type { LeakId } from '../shared/id.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { Reach, ReachFilter } from '../shared/reach.ts';
import type { Leak } from './leak.ts';

export interface LeakReader {
  find(id: LeakId): Promise<Leak | undefined>;
  /** Newest first. @throws PaymountError `invalid_cursor` */
  list(reach: Reach, filter: ReachFilter<Leak['status']>, page: PageRequest): Promise<Page<Leak>>;
}

/** Bound to one change of access. */
export interface LeakRepository {
  /** @returns without those whose credential was reported from the same source and place before */
  insert(leaks: readonly Leak[]): Promise<readonly Leak[]>;
  findForUpdate(id: LeakId): Promise<Leak | undefined>;
  update(leak: Leak): Promise<void>;
}
