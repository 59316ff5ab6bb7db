// paymount/processor: what an adapter to a card network implements.
// Types and one error class; it loads nothing else.
// Start with `Processor`; `describeProcessor` of paymount/testing judges an adapter.
export type {
  CardFacts,
  OperationId,
  Outcome,
  PaymentMethodFacts,
  Processor,
  ProcessorCapabilities,
  ProcessorOperation,
  TokenizeInput,
  TokenizeResult,
} from '@paymount/core';
export { NotSentError } from '@paymount/core';
