// Charges, refunds, and the operations that send them to processors.
// It imports the kernel, changes and the ledger. Start at `charges/charge-service.ts`.

export type {
  Charge,
  ChargeFacts,
  ChargeFailure,
  ChargeOutcome,
  ChargeState,
} from './charges/charge.ts';
export {
  ChargeCaptureInput,
  ChargeCreateInput,
  ChargeUpdateInput,
} from './charges/charge-input.ts';
export type { ChargeFilter, ChargeRepository } from './charges/charge-repository.ts';
export { type ChargeJson, ChargeResource, toChargeResource } from './charges/charge-resource.ts';
export { ChargeService } from './charges/charge-service.ts';
export {
  prepareCharge,
  type SettlementRules,
} from './charges/charge-settlement.ts';
export { expireAuthorizations } from './charges/expiry.ts';
export type { Customer } from './customers/customer.ts';
export { CustomerCreateInput, CustomerUpdateInput } from './customers/customer-input.ts';
export type { CustomerFilter, CustomerReader } from './customers/customer-repository.ts';
export {
  type CustomerJson,
  CustomerResource,
  type DeletedCustomerJson,
  DeletedCustomerResource,
  LiveCustomerResource,
  toAnyCustomerResource,
  toCustomerResource,
  toDeletedCustomerResource,
} from './customers/customer-resource.ts';
export type { HookPayload } from './hook-payload.ts';
export { createNoticeAppliers } from './notice-appliers.ts';
export {
  NOTICE_KINDS,
  type Notice,
  type NoticeData,
  type NoticeKind,
  type NoticeOf,
  type NoticeSource,
} from './notices/notice.ts';
export { NoticeInbox } from './notices/notice-inbox.ts';
export { NoticeDismissInput } from './notices/notice-input.ts';
export type {
  NoticeDirectory,
  NoticeFilter,
  NoticeOrigin,
  NoticeQueue,
  NoticeRepository,
  NoticeReviewCount,
} from './notices/notice-repository.ts';
export {
  type NoticeJson,
  NoticeResource,
  toNoticeResource,
} from './notices/notice-resource.ts';
export { NoticeService } from './notices/notice-service.ts';
export {
  NOTICE_STATES,
  type NoticeState,
  type StoredNotice,
  type TriedNotice,
} from './notices/stored-notice.ts';
export { HookWaits } from './operations/hook-waits.ts';
export {
  OPERATION_KINDS,
  OPERATION_NOUNS,
  OPERATION_STATES,
  type Operation,
  type OperationKind,
} from './operations/operation.ts';
export type { OperationAnswer } from './operations/operation-answer.ts';
export {
  HookRemoveInput,
  OperationDismissInput,
  OperationSettleInput,
} from './operations/operation-input.ts';
export type {
  OperationDirectory,
  OperationFilter,
  OperationMemoryRepository,
  OperationQueue,
  OperationReader,
  OperationRepository,
  PlannedNotice,
  PlannedNoticeQueue,
  ReviewCount,
} from './operations/operation-repository.ts';
export {
  type OperationJson,
  OperationResource,
  toOperationResource,
} from './operations/operation-resource.ts';
export { OperationRunner, type RunnerPorts } from './operations/operation-runner.ts';
export { OperationService } from './operations/operation-service.ts';
export { HOOK_WAIT_MS } from './operations/operation-states.ts';
export type { SubjectLoader, SubjectLoaders } from './operations/operation-subject.ts';
export {
  NotSentError,
  type Outcome,
  type Processor,
  type ProcessorCapabilities,
  type ProcessorOperation,
  type TokenizeInput,
  type TokenizeRefusal,
  type TokenizeResult,
} from './operations/processor.ts';
export { Resolver } from './operations/resolver.ts';
export type {
  CardChecks,
  CardFacts,
  MethodUse,
  PaymentMethod,
  PaymentMethodFacts,
  Token,
} from './payment-methods/payment-method.ts';
export {
  PaymentMethodAttachInput,
  PaymentMethodCreateInput,
  PaymentMethodUpdateInput,
  TokenCreateInput,
} from './payment-methods/payment-method-input.ts';
export type {
  PaymentMethodFilter,
  PaymentMethodReader,
  TokenReader,
} from './payment-methods/payment-method-repository.ts';
export {
  type PaymentMethodJson,
  PaymentMethodResource,
  TokenResource,
  toPaymentMethodResource,
  toTokenResource,
} from './payment-methods/payment-method-resource.ts';
export { type PaymentServices, paymentServices } from './payment-services.ts';
export type { Refund, RefundFacts, RefundState } from './refunds/refund.ts';
export { RefundCreateInput, RefundUpdateInput } from './refunds/refund-input.ts';
export type { RefundRepository } from './refunds/refund-repository.ts';
export { type RefundJson, RefundResource, toRefundResource } from './refunds/refund-resource.ts';
export type { Refunded } from './refunds/refund-service.ts';
export { createSubjectLoaders } from './subject-loaders.ts';
