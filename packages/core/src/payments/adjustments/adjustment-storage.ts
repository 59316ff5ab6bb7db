import type { AreaStorage } from '../../changes/area-storage.ts';
import type { Change } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type { LedgerFacts } from '../../ledger/ledger.ts';
import type { LedgerRepository } from '../../ledger/ledger-repository.ts';

/** The change that the service of adjustments commits: nothing is stored of one but its booking. */
export type AdjustmentChange = Change & LedgerFacts;

interface Repositories {
  readonly ledger: LedgerRepository;
  readonly changes: ChangeRepository<AdjustmentChange>;
}

/** What the service of adjustments needs of storage. */
export type AdjustmentStorage = Pick<AreaStorage<unknown, Repositories>, 'transaction'>;
