import type { Environment } from '../../kernel/basics/environment.ts';
import type { OperationId } from '../../kernel/basics/id.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import type { PaymentMethodFacts } from '../payment-methods/payment-method.ts';

/** What an adapter can do; what it cannot is refused as `operation_not_supported`. */
export interface ProcessorCapabilities {
  readonly methods: readonly 'card'[];
  readonly manualCapture: boolean;
  readonly partialCapture: boolean;
  readonly voids: boolean;
  readonly refunds: boolean;
  /** Submitting one operation id twice executes it once and answers alike. */
  readonly idempotentSubmit: boolean;
  /** ISO 4217 in lower case; absent means all. */
  readonly currencies?: readonly string[];
  /** How long an authorization holds. @defaultValue 7 */
  readonly authorizationDays?: number;
}

/** What a caller sent for tokenization: raw card data (test mode only) or a processor's token. */
export type TokenizeInput =
  | {
      readonly type: 'card';
      readonly card: {
        readonly number: string;
        readonly expMonth: number;
        readonly expYear: number;
        readonly cvc?: string;
      };
    }
  | { readonly type: 'card'; readonly token: string };

export type TokenizeResult =
  | { readonly result: 'tokenized'; readonly facts: PaymentMethodFacts }
  /** `code` is one of the card codes (402) or input codes (400) of the error table. */
  | {
      readonly result: 'refused';
      readonly code: TokenizeRefusal;
      readonly message: string;
      readonly param?: string;
    }
  /** The token names nothing at this processor. */
  | { readonly result: 'unknown_token' };

export type TokenizeRefusal =
  | 'incorrect_number'
  | 'invalid_cvc'
  | 'invalid_expiry_month'
  | 'invalid_expiry_year'
  | 'live_card_in_sandbox'
  | 'card_declined'
  | 'processing_error';

/** One request to a processor. The operation id is stable over every resubmission. */
export interface ProcessorOperation {
  readonly operationId: OperationId;
  /** 1 for the first submission. */
  readonly attempt: number;
  /** Minor units, 1 to 99,999,999. */
  readonly amount: number;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** Authorize only: also capture at once (a sale). */
  readonly capture?: boolean;
  /** Our id of the subject (`ch_` or `re_`), for the processor's statements. */
  readonly reference: string;
  readonly paymentMethod: { readonly processorToken: string };
  /** Capture, cancel, refund: what they act on. */
  readonly previous?: { readonly processorReference: string };
  readonly livemode: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  /** Aborts at the deadline; an abort is an unknown outcome unless nothing was sent. */
  readonly deadline: AbortSignal;
}

/** What the processor decided. An unknown outcome is never returned: the core infers it. */
export type Outcome =
  | {
      readonly outcome: 'approved';
      readonly processorReference: string;
      readonly amount: number;
      readonly currency: string;
      readonly networkTransactionId?: string;
      /** When the funds become available. @defaultValue two days after the capture */
      readonly availableOn?: string;
      /** What the processor keeps for this operation, of whatever kind, minor units. @defaultValue 0 */
      readonly fee?: number;
    }
  | {
      readonly outcome: 'declined';
      /** A card code of the error table. */
      readonly code: string;
      readonly declineCode: string;
      readonly message: string;
      readonly retry: 'never' | 'later' | 'customer';
      readonly advice?: string;
      /** Blocked by risk before it reached the issuer. */
      readonly blocked?: boolean;
    }
  | {
      readonly outcome: 'pending';
      readonly processorReference: string;
      /** ISO 8601. */
      readonly expectedBy: string;
    }
  | {
      readonly outcome: 'action_required';
      readonly redirectUrl: string;
      readonly processorReference: string;
    }
  /** Certainly not executed. */
  | { readonly outcome: 'rejected'; readonly code: string; readonly message: string };

/**
 * The host's adapter to a card network or bank. Methods may throw:
 * `NotSentError` means certainly not sent; any other throw is an unknown outcome.
 */
export interface Processor {
  readonly name: string;
  readonly capabilities: ProcessorCapabilities;
  tokenize(
    input: TokenizeInput,
    context: { readonly environment: Environment; readonly now: Date },
  ): Promise<TokenizeResult>;
  authorize(operation: ProcessorOperation): Promise<Outcome>;
  capture(operation: ProcessorOperation): Promise<Outcome>;
  cancel(operation: ProcessorOperation): Promise<Outcome>;
  refund(operation: ProcessorOperation): Promise<Outcome>;
  /** Mandatory: what became of an operation, asked by our id after a silence or a crash. */
  lookup(operationId: OperationId, deadline: AbortSignal): Promise<Outcome | 'not_found'>;
}

const NOT_SENT = 'PaymountNotSentError';

/** Thrown by an adapter when the request certainly never left (refused, DNS, TLS): 502. */
export class NotSentError extends Error {
  override readonly name = NOT_SENT;

  /** By name, because `instanceof` fails across copies of the package. */
  static is(value: unknown): value is NotSentError {
    return isError(value) && value.name === NOT_SENT;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return NotSentError.is(value);
  }
}

/**
 * Where the sandbox processor remembers what it executed, so that `lookup` answers after a
 * restart as a real processor would. Real adapters need nothing of the kind.
 */
export interface OperationMemory {
  /** Stores `record` unless one is there; returns the record that is now stored. */
  remember(operationId: OperationId, record: string): Promise<string>;
  recall(operationId: OperationId): Promise<string | undefined>;
}
