import type { AreaStorage } from '../../changes/area-storage.ts';
import type { Change } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type { LedgerReader } from '../../ledger/ledger-repository.ts';
import type { BankAccountReader } from '../bank-accounts/bank-account-repository.ts';
import type { ChargeRepository } from '../charges/charge-repository.ts';
import type { ChargeChange } from '../charges/charge-storage.ts';
import type { DisputeRepository } from '../disputes/dispute-repository.ts';
import type { DisputeChange } from '../disputes/dispute-storage.ts';
import type { FileReader } from '../files/file-repository.ts';
import type { SubjectChange } from '../operations/operation-change.ts';
import type { OperationRepository } from '../operations/operation-repository.ts';
import type { PaymentMethodRepository } from '../payment-methods/payment-method-repository.ts';
import type { PaymentMethodEffects } from '../payment-methods/payment-method-storage.ts';
import type { PayoutAccountReader, PayoutRepository } from '../payouts/payout-repository.ts';
import type { PayoutChange } from '../payouts/payout-storage.ts';
import type { RefundRepository } from '../refunds/refund-repository.ts';
import type { RefundChange } from '../refunds/refund-storage.ts';
import type { SettlementRepository } from '../settlements/settlement-repository.ts';
import type { SettlementChange } from '../settlements/settlement-storage.ts';
import type { NoticeRepository } from './notice-repository.ts';
import type { ReportedSubjects } from './reported-subjects.ts';

/** The change of a correction of payment methods. */
type CorrectionChange = Change & Pick<PaymentMethodEffects, 'corrected'>;

/** What a notice changes: whatever it is about. */
export type NoticeChange =
  | ChargeChange
  | RefundChange
  | DisputeChange
  | PayoutChange
  | SettlementChange
  | CorrectionChange
  | SubjectChange;

interface Repositories {
  readonly notices: NoticeRepository;
  readonly operations: OperationRepository;
  readonly charges: ChargeRepository;
  readonly refunds: RefundRepository;
  readonly disputes: DisputeRepository;
  readonly files: FileReader;
  readonly payouts: PayoutRepository;
  readonly payoutAccounts: PayoutAccountReader;
  readonly bankAccounts: BankAccountReader;
  readonly paymentMethods: PaymentMethodRepository;
  readonly settlements: SettlementRepository;
  readonly ledger: LedgerReader;
  readonly changes: ChangeRepository<NoticeChange>;
}

/** Bound to one transaction. */
export type NoticeRepositories = Repositories & ReportedSubjects;

/** What notices need of storage. */
export type NoticeStorage = Pick<AreaStorage<unknown, NoticeRepositories>, 'transaction'>;
