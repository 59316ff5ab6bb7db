import type { AreaStorage } from '../../changes/area-storage.ts';
import type { Change, Write } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type { LedgerFacts } from '../../ledger/ledger.ts';
import type { LedgerRepository } from '../../ledger/ledger-repository.ts';
import type {
  BankAccountReader,
  BankAccountRepository,
} from '../bank-accounts/bank-account-repository.ts';
import type { BankAccountWrite } from '../bank-accounts/bank-account-storage.ts';
import type { OperationFacts, OperationWrite } from '../operations/operation-change.ts';
import type { OperationRepository } from '../operations/operation-repository.ts';
import type { Clocked } from '../test-clocks/object-clock.ts';
import type { TestClockRepository } from '../test-clocks/test-clock-repository.ts';
import type { Payout } from './payout.ts';
import type {
  PayoutAccountReader,
  PayoutAccountRepository,
  PayoutReader,
  PayoutRepository,
  PayoutRunReader,
  PayoutRunRepository,
} from './payout-repository.ts';

export type PayoutWrite = Write<'payout', Payout>;

/** What the host's hook gets about a payout. */
export interface PayoutResult {
  readonly kind: 'payout';
  readonly payout: Payout;
}

/** The change that the services and the operations of payouts commit. */
export type PayoutChange = Change<PayoutWrite | BankAccountWrite | OperationWrite> &
  Clocked &
  LedgerFacts &
  OperationFacts & { readonly settled?: PayoutResult };

/** Where a payout is read with all objects that its result changes. */
export interface PayoutReaders {
  readonly payouts: PayoutReader;
  readonly bankAccounts: BankAccountReader;
  readonly payoutAccounts: PayoutAccountReader;
}

/** Bound to one transaction. */
export interface PayoutRepositories {
  readonly payouts: PayoutRepository;
  readonly bankAccounts: BankAccountRepository;
  readonly payoutAccounts: PayoutAccountRepository;
  readonly payoutRuns: PayoutRunRepository;
  readonly testClocks: TestClockRepository;
  readonly operations: OperationRepository;
  readonly ledger: LedgerRepository;
  readonly changes: ChangeRepository<PayoutChange>;
}

/** What the services of payouts need of storage. */
export type PayoutStorage = AreaStorage<
  PayoutReaders & { readonly payoutRuns: PayoutRunReader },
  PayoutRepositories
>;
