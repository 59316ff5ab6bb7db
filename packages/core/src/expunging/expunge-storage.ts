import type { AreaStorage } from '../changes/area-storage.ts';
import type { Change } from '../changes/change.ts';
import type { ChangeRepository } from '../changes/change-repository.ts';
import type { ExpungeRepository } from './expunge-repository.ts';

/** Bound to one transaction. */
interface ExpungeRepositories {
  readonly expunges: ExpungeRepository;
  readonly changes: ChangeRepository<Change>;
}

/** The writes of `ExpungeService`. */
export type ExpungeStorage = Pick<AreaStorage<object, ExpungeRepositories>, 'transaction'>;
