import type { AreaStorage } from '../../changes/area-storage.ts';
import type { Change } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type { LedgerFacts } from '../../ledger/ledger.ts';
import type { ChargeRepository } from '../charges/charge-repository.ts';
import type { DisputeRepository } from '../disputes/dispute-repository.ts';
import type {
  OperationRepository,
  ReportedOperationReader,
} from '../operations/operation-repository.ts';
import type { SettlementRepository } from './settlement-repository.ts';

/** The change that books a line of a settlement. */
export type SettlementChange = Change & LedgerFacts;

/** Bound to one transaction. */
export interface SettlementRepositories {
  readonly settlements: SettlementRepository;
  readonly charges: Pick<ChargeRepository, 'findForUpdate'>;
  readonly disputes: Pick<DisputeRepository, 'ofCharge'>;
  readonly operations: OperationRepository;
  readonly notices: ReportedOperationReader;
  readonly changes: ChangeRepository<SettlementChange>;
}

/** What settlements need of storage. */
export type SettlementStorage = Pick<AreaStorage<unknown, SettlementRepositories>, 'transaction'>;
