// Charges, refunds, and the operations that send them to processors, in tiers that import only downwards.
// It imports the kernel, changes and the ledger. Start at `charges/charge-service.ts`.

export { AdjustmentCreateInput } from './adjustments/adjustment-input.ts';
export {
  type Adjustment,
  AdjustmentResource,
  toAdjustmentResource,
} from './adjustments/adjustment-resource.ts';
export { AdjustmentService } from './adjustments/adjustment-service.ts';
export { announceDestinations } from './bank-accounts/announce-destinations.ts';
export type * from './bank-accounts/bank-account.ts';
export { numberContext } from './bank-accounts/bank-account.ts';
export {
  BankAccountConfirmInput,
  ExternalAccountCreateInput,
  ExternalAccountUpdateInput,
} from './bank-accounts/bank-account-input.ts';
export type * from './bank-accounts/bank-account-repository.ts';
export {
  type BankAccountJson,
  BankAccountResource,
  DeletedBankAccountResource,
  LiveBankAccountResource,
  toAnyBankAccountResource,
  toBankAccountResource,
  toDeletedBankAccountResource,
} from './bank-accounts/bank-account-resource.ts';
export { BankAccountService } from './bank-accounts/bank-account-service.ts';
export { parseBankAccountAnswer } from './bank-accounts/check-bank-account.ts';
export { confirmBankAccount } from './bank-accounts/confirm-bank-account.ts';
export { restoreBankAccount } from './bank-accounts/restore-bank-account.ts';
export type * from './charges/charge.ts';
export {
  ChargeCaptureInput,
  ChargeCreateInput,
  ChargeUpdateInput,
} from './charges/charge-input.ts';
export type * from './charges/charge-repository.ts';
export { type ChargeJson, ChargeResource, toChargeResource } from './charges/charge-resource.ts';
export { prepareCharge } from './charges/charge-result.ts';
export { ChargeService } from './charges/charge-service.ts';
export { expireAuthorizations } from './charges/expiry.ts';
export type { PaymentRules } from './charges/payment-rules.ts';
export { balanceOf, type Customer, deleted as deletedCustomer } from './customers/customer.ts';
export type { CustomerBalanceTransaction } from './customers/customer-balance.ts';
export { CustomerCreateInput, CustomerUpdateInput } from './customers/customer-input.ts';
export type * from './customers/customer-repository.ts';
export type * from './customers/customer-resource.ts';
export {
  CustomerResource,
  DeletedCustomerResource,
  LiveCustomerResource,
  toAnyCustomerResource,
  toCustomerResource,
  toDeletedCustomerResource,
} from './customers/customer-resource.ts';
export type * from './disputes/dispute.ts';
export {
  type DisputeRule,
  DisputeRuleInput,
  DisputeUpdateInput,
} from './disputes/dispute-input.ts';
export type * from './disputes/dispute-repository.ts';
export {
  type DisputeJson,
  DisputeResource,
  toDisputeResource,
} from './disputes/dispute-resource.ts';
export type { DisputeService } from './disputes/dispute-service.ts';
export { expireDisputes } from './disputes/expiry.ts';
export { deleteAbandonedUploads } from './files/abandoned-uploads.ts';
export { FILE_PURPOSES, type FilePurpose, MAX_FILE_BYTES, type StoredFile } from './files/file.ts';
export { FileCreateInput } from './files/file-input.ts';
export type * from './files/file-repository.ts';
export { type FileJson, FileResource, toFileResource } from './files/file-resource.ts';
export type { FileKey, FileStore } from './files/file-store.ts';
export { Upload } from './files/upload.ts';
export { HookWaits } from './notices/hook-waits.ts';
export { NoticeInbox, toFile } from './notices/notice-inbox.ts';
export { NoticeDismissInput } from './notices/notice-input.ts';
export type * from './notices/notice-repository.ts';
export type * from './notices/notice-resource.ts';
export { NoticeResource, toNoticeResource } from './notices/notice-resource.ts';
export { NoticeService } from './notices/notice-service.ts';
export { parseNotice } from './notices/parse-notice.ts';
export type * from './notices/stored-notice.ts';
export { NOTICE_STATES } from './notices/stored-notice.ts';
export {
  type KeptNotice,
  READ_LATER,
  STORED_NOTICE_KINDS,
  unreadableKey,
} from './notices/unreadable-notice.ts';
export { KEPT_FOR_PASS_MS, LockedAccounts } from './operations/locked-accounts.ts';
export { SCHEDULED_TRIES } from './operations/lookup-schedule.ts';
export type * from './operations/operation.ts';
export { OPERATION_STATES } from './operations/operation.ts';
export type { OperationAnswer } from './operations/operation-answer.ts';
export type * from './operations/operation-change.ts';
export {
  HookRemoveInput,
  OperationDismissInput,
  OperationSettleInput,
} from './operations/operation-input.ts';
export type * from './operations/operation-repository.ts';
export {
  type OperationJson,
  OperationResource,
  toOperationResource,
} from './operations/operation-resource.ts';
export { OperationRunner, type RunnerPorts } from './operations/operation-runner.ts';
export { OperationService } from './operations/operation-service.ts';
export { HOOK_WAIT_MS } from './operations/operation-states.ts';
export { Resolver } from './operations/resolver.ts';
export { parseTokenization } from './payment-methods/parse-tokenization.ts';
export type * from './payment-methods/payment-method.ts';
export { debitNumberContext, UNUSED_METHOD_DAYS } from './payment-methods/payment-method.ts';
export {
  PaymentMethodAttachInput,
  PaymentMethodCreateInput,
  PaymentMethodUpdateInput,
  TokenCreateInput,
} from './payment-methods/payment-method-input.ts';
export type * from './payment-methods/payment-method-repository.ts';
export {
  type PaymentMethodJson,
  PaymentMethodResource,
  TokenResource,
  toPaymentMethodResource,
  toTokenResource,
} from './payment-methods/payment-method-resource.ts';
export { makeDuePayouts } from './payouts/automatic-payouts.ts';
export type * from './payouts/payout.ts';
export type * from './payouts/payout-account.ts';
export {
  OwnAccountResource,
  toOwnAccountResource,
} from './payouts/payout-account-resource.ts';
export { PayoutCreateInput, PayoutUpdateInput } from './payouts/payout-input.ts';
export type * from './payouts/payout-repository.ts';
export { type PayoutJson, PayoutResource, toPayoutResource } from './payouts/payout-resource.ts';
export type * from './payouts/payout-run.ts';
export { PAYOUT_OBSTACLES } from './payouts/payout-run.ts';
export { type PayoutSchedule, WEEKDAYS, type Weekday } from './payouts/payout-schedule.ts';
export { PayoutSettingsInput } from './payouts/payout-settings-input.ts';
export {
  PayoutSettingsResource,
  toPayoutSettingsResource,
} from './payouts/payout-settings-resource.ts';
export { PayoutSettingsService } from './payouts/payout-settings-service.ts';
export { OPERATION_DEADLINE_MS } from './processor/deadline.ts';
export type * from './processor/notice.ts';
export { NOTICE_KINDS } from './processor/notice.ts';
export { type ParsedAnswer, requireResult } from './processor/parse-answer.ts';
export { parseLookup, parseOutcome } from './processor/parse-outcome.ts';
export type * from './processor/processor.ts';
export { NotSentError, OPERATION_KINDS, OPERATION_NOUNS } from './processor/processor.ts';
export type * from './processor/tokenization.ts';
export type { Refund, RefundFacts, RefundState } from './refunds/refund.ts';
export { RefundCreateInput, RefundUpdateInput } from './refunds/refund-input.ts';
export type * from './refunds/refund-repository.ts';
export { type RefundJson, RefundResource, toRefundResource } from './refunds/refund-resource.ts';
export type { Refunded } from './refunds/refund-result.ts';
export { matchEarlyLines, matchSettlements } from './settlements/match-settlements.ts';
export type * from './settlements/settlement-difference.ts';
export {
  type SettlementDifferenceJson,
  SettlementDifferenceResource,
  SettlementDifferenceSettleInput,
  toSettlementDifferenceResource,
} from './settlements/settlement-difference-resource.ts';
export type * from './settlements/settlement-line.ts';
export type * from './settlements/settlement-repository.ts';
export { SettlementService } from './settlements/settlement-service.ts';
export { advanceClocks } from './test-clocks/advance-clocks.ts';
export type { ClockWork } from './test-clocks/clock-work.ts';
export { type Clocked, type ObjectClock, timeOf } from './test-clocks/object-clock.ts';
export type * from './test-clocks/test-clock.ts';
export { advancing, deletedClock, TEST_CLOCK_STATUSES } from './test-clocks/test-clock.ts';
export { TestClockAdvanceInput, TestClockCreateInput } from './test-clocks/test-clock-input.ts';
export type * from './test-clocks/test-clock-repository.ts';
export {
  AdminTestClockResource,
  DeletedTestClockResource,
  TestClockResource,
  toAdminTestClockResource,
  toDeletedTestClockResource,
  toTestClockResource,
} from './test-clocks/test-clock-resource.ts';
export { TestClockService } from './test-clocks/test-clock-service.ts';
export { createClockWorks } from './wiring/clock-works.ts';
export { deleteOldClocks } from './wiring/delete-clock.ts';
export { createNoticeAppliers } from './wiring/notice-appliers.ts';
export type { Subjects } from './wiring/operation-storage.ts';
export { noticeStorage, operationStorage, paymentSubjects } from './wiring/operation-storage.ts';
export { type PaymentServices, paymentServices } from './wiring/payment-services.ts';
export type * from './wiring/subject-loaders.ts';
export { createSubjectLoaders } from './wiring/subject-loaders.ts';
