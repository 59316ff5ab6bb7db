// What is true about payments: types, rules, services and the ports that adapters fill in.
// It knows no HTTP, no SQL, no Redis; time comes from the injected clock.
// Start at `changes/change.ts` (what a service commits), then `charges/charge-service.ts`.
export type {
  Account,
  AccountDirectory,
  AccountReader,
  AccountRepository,
} from './accounts/account.ts';
export type { AccountCreate, AccountUpdate } from './accounts/account-input.ts';
export { AccountCreateInput, AccountUpdateInput } from './accounts/account-input.ts';
export type { AccountJson } from './accounts/account-resource.ts';
export { AccountResource, toAccountResource } from './accounts/account-resource.ts';
export type {
  AuditAction,
  AuditEntry,
  AuditFacts,
  AuditFault,
  AuditFilter,
  AuditHead,
  AuditReader,
  AuditRecord,
  AuditVerdict,
} from './audit/audit.ts';
export { AUDIT_ACTIONS } from './audit/audit.ts';
export { auditHash, CHAIN_START, chainEntry } from './audit/audit-chain.ts';
export type { AuditJson } from './audit/audit-resource.ts';
export { AuditResource, toAuditResource } from './audit/audit-resource.ts';
export type { AccessChange, AccessRows, AccessStore } from './changes/access-change.ts';
export type { Change, ChangeResult, Changes, Settled, Write } from './changes/change.ts';
export { AccessChangedError, ClaimedError, HookError } from './changes/change.ts';
export { HookLog } from './changes/hook-log.ts';
export type { Readers, Repositories, Storage } from './changes/storage.ts';
export type { StorageAdapter, StorageCapability, StoragePorts } from './changes/storage-adapter.ts';
export { STORAGE_CAPABILITIES } from './changes/storage-adapter.ts';
export type { Directory, HookUse, Stores } from './changes/stores.ts';
export type {
  Charge,
  ChargeFacts,
  ChargeFailure,
  ChargeOutcome,
  ChargeState,
  ChargeStatus,
  Shipping,
} from './charges/charge.ts';
export type { ChargeCapture, ChargeCreate, ChargeUpdate } from './charges/charge-input.ts';
export {
  ChargeCaptureInput,
  ChargeCreateInput,
  ChargeUpdateInput,
} from './charges/charge-input.ts';
export type { ChargeFilter, ChargeReader, ChargeRepository } from './charges/charge-repository.ts';
export type { ChargeJson } from './charges/charge-resource.ts';
export { ChargeResource, toChargeResource } from './charges/charge-resource.ts';
export type { ChargePorts } from './charges/charge-service.ts';
export { ChargeService } from './charges/charge-service.ts';
export type { FeeSchedule, SettlementRules } from './charges/charge-settlement.ts';
export { prepareCharge } from './charges/charge-settlement.ts';
export { expireAuthorizations } from './charges/expiry.ts';
export { ATTEMPT_WAITS_SECONDS, MAX_ATTEMPTS, waitBefore } from './deliveries/attempt-schedule.ts';
export type {
  AttemptErrorCode,
  AttemptOutcome,
  AttemptRecord,
  ClaimedDelivery,
  DeliveryState,
  Lease,
  Verdict,
} from './deliveries/delivery.ts';
export { DELIVERY_STATES } from './deliveries/delivery.ts';
export type {
  Delivery,
  DeliveryDirectory,
  DeliveryFilter,
  LoggedAttempt,
} from './deliveries/delivery-directory.ts';
export type { EventReplay } from './deliveries/delivery-input.ts';
export { EventReplayInput } from './deliveries/delivery-input.ts';
export type { DeliveryJson } from './deliveries/delivery-resource.ts';
export {
  AdminDeliveryResource,
  DeliveryResource,
  toAdminDeliveryResource,
  toDeliveryResource,
} from './deliveries/delivery-resource.ts';
export { DeliveryService } from './deliveries/delivery-service.ts';
export type {
  ClaimById,
  ClaimDue,
  CloseAttempt,
  ClosedAttempt,
  DeliveryStore,
} from './deliveries/delivery-store.ts';
export type { Dispatch, NewDelivery } from './deliveries/dispatch.ts';
export { DispatchHub } from './deliveries/dispatch.ts';
export type { EventReplayPorts, ShowDeliveries } from './deliveries/event-replay-service.ts';
export { EventReplayService } from './deliveries/event-replay-service.ts';
export type { Queue, WakeUp } from './deliveries/queue.ts';
export { judge } from './deliveries/verdict.ts';
export { DisputeResource } from './disputes/dispute-resource.ts';
export type {
  Endpoint,
  EndpointDirectory,
  EndpointReader,
  EndpointRepository,
  EndpointSecret,
  EndpointSecretFacts,
  EndpointSecretReader,
  EndpointWithSecret,
} from './endpoints/endpoint.ts';
export type {
  EndpointCreate,
  EndpointRotateSecret,
  EndpointUpdate,
} from './endpoints/endpoint-input.ts';
export {
  EndpointCreateInput,
  EndpointRotateSecretInput,
  EndpointUpdateInput,
} from './endpoints/endpoint-input.ts';
export type { EndpointJson } from './endpoints/endpoint-resource.ts';
export {
  AdminEndpointResource,
  EndpointResource,
  toAdminEndpointResource,
  toEndpointResource,
} from './endpoints/endpoint-resource.ts';
export type { EndpointPorts, JudgeUrl } from './endpoints/endpoint-service.ts';
export { EndpointService } from './endpoints/endpoint-service.ts';
export type {
  RotatedSecrets,
  SecretsRotation,
  SkippedRotation,
} from './endpoints/rotate-secrets.ts';
export { rotateSecrets } from './endpoints/rotate-secrets.ts';
export { secretContext } from './endpoints/seal-secret.ts';
export type { ApiVersion } from './events/api-version.ts';
export { API_VERSIONS, CURRENT_API_VERSION, isStripeVersion } from './events/api-version.ts';
export type { EventPattern, EventType } from './events/catalogue.ts';
export { EVENT_PATTERNS, EVENT_TYPES, patternsFor } from './events/catalogue.ts';
export type {
  Event,
  EventDirectory,
  EventFilter,
  EventReachFilter,
  EventReader,
} from './events/event.ts';
export type { EventFeed, FeedOptions } from './events/event-feed.ts';
export { EnabledEventsInput, EventTypeInput, isEventPattern } from './events/event-pattern.ts';
export { EventResource, eventOf, toEventResource } from './events/event-resource.ts';
export { EventService } from './events/event-service.ts';
export {
  answerContext,
  answerOf,
  answerOfError,
  DOC_URL,
  errorBody,
  errorIn,
} from './idempotency/answer.ts';
export type {
  IdempotencyRecord,
  IdempotencyRepository,
  StoredAnswer,
} from './idempotency/idempotency.ts';
export { openedAnswer, sealedAnswer } from './idempotency/sealed-answer.ts';
export type { Credential, CredentialKey, Key, KeyType, RevokedReason } from './keys/key.ts';
export { isExpired, KEY_TYPES, REVOKED_REASONS } from './keys/key.ts';
export type { KeyCreate, KeyRevoke, KeyRotate, KeyUpdate } from './keys/key-input.ts';
export {
  KeyCreateInput,
  KeyRevokeInput,
  KeyRotateInput,
  KeyUpdateInput,
  MAX_OVERLAP_SECONDS,
  MAX_RANGES,
} from './keys/key-input.ts';
export type { KeyJson, KeySight, NewKeyJson } from './keys/key-resource.ts';
export { KeyResource, toKeyResource, toNewKeyResource } from './keys/key-resource.ts';
export type {
  AuthEpoch,
  AuthSync,
  CredentialReader,
  KeyFilter,
  KeyReader,
  KeyRepository,
  LookUp,
  Nudge,
} from './keys/key-store.ts';
export type {
  KeyAddress,
  KeyUsage,
  KeyUsageReader,
  KeyUsageStore,
  KeyUse,
  UseCounts,
} from './keys/key-usage.ts';
export type { Leak } from './leaks/leak.ts';
export type { LeakNotice } from './leaks/leak-mail.ts';
export { leakMail } from './leaks/leak-mail.ts';
export type { LeakReader, LeakRepository } from './leaks/leak-repository.ts';
export { LeakResource, toLeakResource } from './leaks/leak-resource.ts';
export { releaseFunds } from './ledger/availability.ts';
export {
  BalanceResource,
  BalanceTransactionResource,
  toBalanceResource,
  toBalanceTransactionResource,
} from './ledger/balance-resource.ts';
export { BalanceService } from './ledger/balance-service.ts';
export type { Difference, VerifyOptions, VerifyProgress } from './ledger/difference.ts';
export { foldBalances } from './ledger/fold-balances.ts';
export type {
  BalanceTransaction,
  BalanceTransactionFilter,
  BalanceTransactionType,
  CurrencyBalance,
  FeeDetail,
  LedgerCode,
  LedgerEntry,
  LedgerKind,
  LedgerReader,
  LedgerRepository,
  OwnedPosting,
  Posting,
} from './ledger/ledger.ts';
export type { Fee } from './ledger/recipes.ts';
export type { ClaimedMail, Mail, Mailer, MailStore } from './mails/mail.ts';
export type { SendMailsPorts } from './mails/send-mails.ts';
export { sendMails } from './mails/send-mails.ts';
export type { KeptAnswer } from './operations/kept-answer.ts';
export type { Operation, OperationKind, OperationState } from './operations/operation.ts';
export { OPERATION_KINDS, OPERATION_NOUNS, OPERATION_STATES } from './operations/operation.ts';
export type {
  OperationDirectory,
  OperationFilter,
  ReviewCount,
} from './operations/operation-directory.ts';
export type { OperationDismiss, OperationSettle } from './operations/operation-input.ts';
export { OperationDismissInput, OperationSettleInput } from './operations/operation-input.ts';
export type { OperationRepository } from './operations/operation-repository.ts';
export type { OperationJson } from './operations/operation-resource.ts';
export { OperationResource, toOperationResource } from './operations/operation-resource.ts';
export type { RunnerPorts } from './operations/operation-runner.ts';
export { OperationRunner } from './operations/operation-runner.ts';
export { OperationService } from './operations/operation-service.ts';
export type {
  OperationMemory,
  Outcome,
  Processor,
  ProcessorCapabilities,
  ProcessorOperation,
  TokenizeInput,
  TokenizeRefusal,
  TokenizeResult,
} from './operations/processor.ts';
export { NotSentError } from './operations/processor.ts';
export { Resolver } from './operations/resolver.ts';
export type { Prepared, Settler, Settlers } from './operations/settler.ts';
export type {
  Address,
  BillingDetails,
  CardChecks,
  CardFacts,
  PaymentMethod,
  PaymentMethodFacts,
  Token,
} from './payment-methods/payment-method.ts';
export type {
  PaymentMethodCreate,
  PaymentMethodUpdate,
  TokenCreate,
} from './payment-methods/payment-method-input.ts';
export {
  PaymentMethodCreateInput,
  PaymentMethodUpdateInput,
  TokenCreateInput,
} from './payment-methods/payment-method-input.ts';
export type {
  PaymentMethodReader,
  TokenReader,
} from './payment-methods/payment-method-repository.ts';
export type { PaymentMethodJson } from './payment-methods/payment-method-resource.ts';
export {
  PaymentMethodResource,
  TokenResource,
  toPaymentMethodResource,
  toTokenResource,
} from './payment-methods/payment-method-resource.ts';
export { PaymentMethodService } from './payment-methods/payment-method-service.ts';
export { PayoutResource } from './payouts/payout-resource.ts';
export type {
  Refund,
  RefundFacts,
  RefundReason,
  RefundState,
  RefundStatus,
} from './refunds/refund.ts';
export { loadRefund } from './refunds/refund-in-hand.ts';
export type { RefundCreate, RefundUpdate } from './refunds/refund-input.ts';
export { RefundCreateInput, RefundUpdateInput } from './refunds/refund-input.ts';
export type { RefundFilter, RefundReader, RefundRepository } from './refunds/refund-repository.ts';
export type { RefundJson } from './refunds/refund-resource.ts';
export { RefundResource, toRefundResource } from './refunds/refund-resource.ts';
export { type Refunded, RefundService } from './refunds/refund-service.ts';
export { prepareRefund } from './refunds/refund-settlement.ts';
export type { AdvanceReplaysPorts } from './replays/advance-replays.ts';
export { advanceReplays } from './replays/advance-replays.ts';
export type {
  OpenTarget,
  Replay,
  ReplayedState,
  ReplayProgress,
  ReplayStatus,
  ReplayTarget,
} from './replays/replay.ts';
export {
  MAX_LOOKED_THROUGH,
  MAX_UNFINISHED_PER_ENDPOINT,
  PAST_LAST,
  REPLAY_STATUSES,
  STEP_MS,
} from './replays/replay.ts';
export type { ReplayCreate } from './replays/replay-input.ts';
export { ReplayCreateInput } from './replays/replay-input.ts';
export type { ReplayJson } from './replays/replay-resource.ts';
export { ReplayResource, toReplayResource } from './replays/replay-resource.ts';
export type { ReplayPorts } from './replays/replay-service.ts';
export { ReplayService } from './replays/replay-service.ts';
export type {
  CanceledDeliveries,
  ChosenEvents,
  MadeDelivery,
  ReplayDirectory,
  ReplayQueue,
  ReplayRepository,
  ReplaySteps,
  ReplayWindow,
} from './replays/replay-store.ts';
export type { AuditContext } from './shared/audit-context.ts';
export { credentialOf, standingOf } from './shared/call.ts';
export { holdsCardNumber, withoutCardNumbers } from './shared/card-number-text.ts';
export type { Clock } from './shared/clock.ts';
export { A_COUNTRY, isCountry } from './shared/country.ts';
export type { CrashPoint } from './shared/crash-point.ts';
export { noCrashPoint } from './shared/crash-point.ts';
export {
  hasCredentialPrefix,
  hasCredentialShape,
  withoutCredentials,
} from './shared/credential-text.ts';
export { isCurrency } from './shared/currency.ts';
export type { Environment, Owner } from './shared/environment.ts';
export { ENVIRONMENTS, environmentOf, livemode } from './shared/environment.ts';
export type { ErrorCode, ErrorType } from './shared/error-codes.ts';
export { ERROR_CODES, errorFacts, isErrorCode } from './shared/error-codes.ts';
export type {
  AccountId,
  AttemptId,
  AuditId,
  BalanceTransactionId,
  ChargeId,
  DeliveryId,
  EndpointId,
  EndpointSecretId,
  EventId,
  Id,
  KeyId,
  LeakId,
  LedgerTransactionId,
  MailId,
  OperationId,
  PaymentMethodId,
  RefundId,
  ReplayId,
  RequestId,
  TokenId,
} from './shared/id.ts';
export { newId, parseId } from './shared/id.ts';
export { EmailInput, IsoInput, MomentInput, SecondsInput, shownAsTime } from './shared/input.ts';
export { isError } from './shared/is-error.ts';
export type { AllOptions, KnownOptions, OptionRule } from './shared/known-options.ts';
export { ANY_OPTION, refuseWrongOptions } from './shared/known-options.ts';
export { hasLeadingZero, withLeadingZero } from './shared/leading-zero.ts';
export type { LogFacts, Logger } from './shared/logger.ts';
export { findOrThrow, missing, missingTarget } from './shared/missing.ts';
export { oneOf } from './shared/one-of.ts';
export {
  A_FLAG,
  A_NUMBER,
  aChoice,
  aFunction,
  aListOf,
  anObjectOf,
  aText,
  aWholeNumber,
  either,
  having,
} from './shared/option-rules.ts';
export type { CreatedFilter, Page, PageRequest } from './shared/page.ts';
export type { Params } from './shared/params.ts';
export { PaymountError } from './shared/paymount-error.ts';
export type { Call, CredentialStanding, IdempotencyClaim, Principal } from './shared/principal.ts';
export type { Reach, ReachFilter } from './shared/reach.ts';
export { isWithinReach, reachesAccount } from './shared/reach.ts';
export { TimestampResource } from './shared/resource.ts';
export { SchemaError } from './shared/schema-error.ts';
export type { Scope } from './shared/scope.ts';
export { SCOPES } from './shared/scope.ts';
export type {
  Resealed,
  SealedCount,
  SealedRow,
  SealedRows,
  SealedTable,
} from './shared/sealed-rows.ts';
export type { Sealer } from './shared/sealer.ts';
export { MisplacedSecretError } from './shared/sealer.ts';
export { Secret } from './shared/secret.ts';
export { CENSORED, loggableText, withoutSecrets } from './shared/secret-text.ts';
export { ShortLivedMap } from './shared/short-lived-map.ts';
export { messageOf, propertyOf, textOf } from './shared/thrown.ts';
export { within } from './shared/within.ts';
export { inWords, wordsOf } from './shared/words.ts';
export { inStripeForm } from './stripe-form/stripe-form.ts';
export { SubscriptionResource } from './subscriptions/subscription-resource.ts';
export type { Trigger } from './triggers/trigger-input.ts';
export { TriggerInput } from './triggers/trigger-input.ts';
export type { TriggerPorts } from './triggers/trigger-service.ts';
export { TriggerService } from './triggers/trigger-service.ts';
export type { JudgeParameters } from './triggers/triggered-object.ts';
