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
  /** @returns false when this credential was reported from this source and place before */
  insert(leak: Leak): Promise<boolean>;
  findForUpdate(id: LeakId): Promise<Leak | undefined>;
  update(leak: Leak): Promise<void>;
}
