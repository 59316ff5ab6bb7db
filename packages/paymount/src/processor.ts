// paymount/processor: what an adapter to a card network implements.
// Types, one error class, and the calendar of banks; it loads nothing else.
// Start with `Processor`; `describeProcessor` of @paymount/testing tests an adapter.
export { bankingDaysLater, type OperationId } from '@paymount/core/kernel';
export type {
  BankAccountAnswer,
  BankAccountInput,
  BankDestination,
  CardFacts,
  DebitedAccount,
  DisputeAnswer,
  EvidenceFile,
  Notice,
  NoticeData,
  NoticeKind,
  NoticeOf,
  NoticeSource,
  Outcome,
  PaymentMethodFacts,
  PayoutOperation,
  Processor,
  ProcessorCapabilities,
  ProcessorDisputes,
  ProcessorOperation,
  TokenizeInput,
  TokenizeResult,
} from '@paymount/core/payments';
export { NotSentError } from '@paymount/core/payments';
