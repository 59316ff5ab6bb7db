import type { AreaStorage } from '../../changes/area-storage.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type { LedgerReader, LedgerRepository } from '../../ledger/ledger-repository.ts';
import type {
  BankAccountReader,
  BankAccountRepository,
} from '../bank-accounts/bank-account-repository.ts';
import type { ChargeReader, ChargeRepository } from '../charges/charge-repository.ts';
import type {
  CustomerBalanceReader,
  CustomerBalanceRepository,
  CustomerReader,
  CustomerRepository,
} from '../customers/customer-repository.ts';
import type { DisputeReader, DisputeRepository } from '../disputes/dispute-repository.ts';
import type { FileReader } from '../files/file-repository.ts';
import type { NoticeRepository } from '../notices/notice-repository.ts';
import type { OperationQueue, OperationRepository } from '../operations/operation-repository.ts';
import type {
  PaymentMethodReader,
  PaymentMethodRepository,
  TokenReader,
} from '../payment-methods/payment-method-repository.ts';
import type {
  PayoutAccountReader,
  PayoutAccountRepository,
  PayoutReader,
  PayoutRepository,
  PayoutRunReader,
  PayoutRunRepository,
} from '../payouts/payout-repository.ts';
import type { RefundReader, RefundRepository } from '../refunds/refund-repository.ts';
import type { SettlementRepository } from '../settlements/settlement-repository.ts';
import type { TestClockReader, TestClockRepository } from '../test-clocks/test-clock-repository.ts';
import type { PaymentChange } from './payment-change.ts';

export interface PaymentReaders {
  readonly charges: ChargeReader;
  readonly refunds: RefundReader;
  readonly payouts: PayoutReader;
  readonly bankAccounts: BankAccountReader;
  readonly payoutAccounts: PayoutAccountReader;
  readonly payoutRuns: PayoutRunReader;
  readonly customers: CustomerReader;
  readonly customerBalances: CustomerBalanceReader;
  readonly paymentMethods: PaymentMethodReader;
  readonly tokens: TokenReader;
  readonly files: FileReader;
  readonly disputes: DisputeReader;
  readonly testClocks: TestClockReader;
  readonly ledger: LedgerReader;
}

/** Bound to one transaction. Locks are taken in one order: account, resource, ledger. */
export interface PaymentRepositories {
  readonly charges: ChargeRepository;
  readonly refunds: RefundRepository;
  readonly payouts: PayoutRepository;
  readonly bankAccounts: BankAccountRepository;
  readonly payoutAccounts: PayoutAccountRepository;
  readonly payoutRuns: PayoutRunRepository;
  readonly disputes: DisputeRepository;
  readonly files: FileReader;
  readonly customers: CustomerRepository;
  /** A customer is locked before its balance. */
  readonly customerBalances: CustomerBalanceRepository;
  readonly testClocks: TestClockRepository;
  readonly paymentMethods: PaymentMethodRepository;
  readonly ledger: LedgerRepository;
  readonly operations: OperationRepository;
  readonly notices: NoticeRepository;
  readonly settlements: SettlementRepository;
  readonly changes: ChangeRepository<PaymentChange>;
}

/** The reads, locks and writes of payments' services. */
export interface PaymentStorage extends AreaStorage<PaymentReaders, PaymentRepositories> {
  /** Requests to processors. */
  readonly operations: OperationQueue;
}
