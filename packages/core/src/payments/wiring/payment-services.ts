import { type AdjustmentPorts, AdjustmentService } from '../adjustments/adjustment-service.ts';
import {
  type BankAccountPorts,
  BankAccountService,
} from '../bank-accounts/bank-account-service.ts';
import { type ChargePorts, ChargeService } from '../charges/charge-service.ts';
import { type AttachmentPorts, AttachmentService } from '../customers/attachment-service.ts';
import { CustomerService } from '../customers/customer-service.ts';
import { type DisputePorts, DisputeService } from '../disputes/dispute-service.ts';
import { type FilePorts, FileService } from '../files/file-service.ts';
import {
  type PaymentMethodPorts,
  PaymentMethodService,
} from '../payment-methods/payment-method-service.ts';
import { OwnAccountService } from '../payouts/own-account-service.ts';
import { type PayoutPorts, PayoutService } from '../payouts/payout-service.ts';
import {
  type PayoutSettingsPorts,
  PayoutSettingsService,
} from '../payouts/payout-settings-service.ts';
import { type RefundPorts, RefundService } from '../refunds/refund-service.ts';
import { SettlementService } from '../settlements/settlement-service.ts';
import { type TestClockPorts, TestClockService } from '../test-clocks/test-clock-service.ts';
import { type DeleteClockPorts, deleteClock } from './delete-clock.ts';
import type { PaymentStorage } from './payment-storage.ts';

/** What each of the services needs. */
type SlicePorts = ChargePorts &
  AttachmentPorts &
  RefundPorts &
  PaymentMethodPorts &
  FilePorts &
  DisputePorts &
  BankAccountPorts &
  AdjustmentPorts &
  PayoutSettingsPorts &
  PayoutPorts &
  TestClockPorts;

/** What the services of payments need: one storage, which has the parts that each of them uses. */
export interface PaymentPorts
  extends Omit<SlicePorts, 'storage' | 'deleteClock'>,
    Pick<DeleteClockPorts, 'endOnClock'> {
  readonly storage: PaymentStorage;
}

/** The use cases of payments. */
export interface PaymentServices {
  readonly charges: ChargeService;
  readonly refunds: RefundService;
  readonly customers: CustomerService;
  readonly attachments: AttachmentService;
  readonly paymentMethods: PaymentMethodService;
  readonly bankAccounts: BankAccountService;
  readonly payouts: PayoutService;
  readonly payoutSettings: PayoutSettingsService;
  readonly adjustments: AdjustmentService;
  readonly ownAccount: OwnAccountService;
  readonly files: FileService;
  readonly disputes: DisputeService;
  readonly settlements: SettlementService;
  readonly testClocks: TestClockService;
}

/** The use cases of payments, bound to one storage: the pool, or a host's transaction. */
export function paymentServices(ports: PaymentPorts): PaymentServices {
  return {
    charges: new ChargeService(ports),
    refunds: new RefundService(ports),
    customers: new CustomerService(ports),
    attachments: new AttachmentService(ports),
    paymentMethods: new PaymentMethodService(ports),
    bankAccounts: new BankAccountService(ports),
    payouts: new PayoutService(ports),
    payoutSettings: new PayoutSettingsService(ports),
    adjustments: new AdjustmentService(ports),
    ownAccount: new OwnAccountService(ports),
    files: new FileService(ports),
    disputes: new DisputeService(ports),
    settlements: new SettlementService(ports),
    testClocks: new TestClockService({
      ...ports,
      deleteClock: (...deleted) => deleteClock(ports, ...deleted),
    }),
  };
}
