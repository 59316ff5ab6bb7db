import type { Environment } from '../../kernel/basics/environment.ts';
import type { OperationId, TestClockId } from '../../kernel/basics/id.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import type { Notice, NoticeSource } from './notice.ts';
import type { DebitedAccount, TokenizeInput, TokenizeResult } from './tokenization.ts';

/** What a processor is asked to do. */
export const OPERATION_KINDS = [
  'authorize',
  'capture',
  'cancel',
  'refund',
  'payout',
  'submit_evidence',
  'accept_dispute',
] as const;
export type OperationKind = (typeof OPERATION_KINDS)[number];

/** Its name in texts: "a refund", "an authorization". */
export const OPERATION_NOUNS: Readonly<Record<OperationKind, string>> = {
  authorize: 'authorization',
  capture: 'capture',
  cancel: 'cancellation',
  refund: 'refund',
  payout: 'payout',
  submit_evidence: 'submission of evidence',
  accept_dispute: 'acceptance of a dispute',
};

/** The features of an adapter; others are refused with `operation_not_supported`. */
export interface ProcessorCapabilities {
  readonly methods: readonly ('card' | 'us_bank_account')[];
  readonly manualCapture: boolean;
  readonly partialCapture: boolean;
  readonly voids: boolean;
  readonly refunds: boolean;
  /** Whether it has `payout`. @defaultValue false */
  readonly payouts?: boolean;
  /**
   * Whether live bank accounts, of payouts and of debits, may be added by their number.
   * @defaultValue false
   */
  readonly rawBankAccounts?: boolean;
  /** Submitting one operation id twice executes it once and returns the same answer. */
  readonly idempotentSubmit: boolean;
  /** ISO 4217 in lower case; absent means all. */
  readonly currencies?: readonly string[];
  /** How many days an authorization is valid. @defaultValue 7 */
  readonly authorizationDays?: number;
  /**
   * Whether `tokenize` waits for nobody, so that a name such as `pm_card_visa` may be charged inside
   * a host's transaction in test mode. @defaultValue false
   */
  readonly localTokens?: boolean;
}

/** One request to a processor. The operation id stays the same in every resubmission. */
export interface ProcessorOperation {
  readonly operationId: OperationId;
  /** 1 for the first submission. */
  readonly attempt: number;
  /** Minor units, 1 to 99,999,999; of an automatic payout it may be more. */
  readonly amount: number;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** Authorize only: also capture immediately (a sale). */
  readonly capture?: boolean;
  /** Of charges: true if the payer is absent and cannot authenticate. */
  readonly offSession?: true;
  /** Of charges and payouts: what the payer or the owner of the bank account reads, if it is shown. */
  readonly statementDescriptor?: string;
  /** Our id of the charge or refund (`ch_` or `re_`), for the processor's statements. */
  readonly reference: string;
  readonly paymentMethod: {
    readonly processorToken: string;
    /** Of a bank debit and its refunds, if `tokenize` answered the number. */
    readonly bankAccount?: DebitedAccount;
  };
  /** Capture, cancel, refund: the processor's reference of the payment. */
  readonly previous?: { readonly processorReference: string };
  readonly livemode: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  /**
   * The test clock of the object, and the time that it shows: times in the answer are of this clock.
   * An adapter may ignore it; then what it reports comes in the time that everybody shares.
   */
  readonly testClock?: { readonly id: TestClockId; readonly now: Date };
  /** Aborts at the deadline; an abort is an unknown outcome unless nothing was sent. */
  readonly deadline: AbortSignal;
}

/** The bank account of a payout. */
export interface BankDestination {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly currency: string;
  /** As it was added: an account number, an IBAN, or what `checkBankAccount` made of a token. */
  readonly accountNumber: string;
  readonly routingNumber: string | null;
  readonly accountHolderName: string | null;
  readonly accountHolderType: 'individual' | 'company' | null;
}

/** The request to pay out. `reference` is our id of the payout (`po_`). */
export interface PayoutOperation
  extends Omit<ProcessorOperation, 'paymentMethod' | 'previous' | 'capture' | 'offSession'> {
  readonly destination: BankDestination;
}

/** A bank account that somebody adds: by its number, or by a token of the processor. */
export type BankAccountInput =
  | Pick<BankDestination, 'country' | 'currency' | 'accountNumber' | 'routingNumber'>
  | { readonly token: string };

export type BankAccountAnswer =
  | {
      readonly result: 'accepted';
      readonly bankAccount: Pick<BankDestination, 'country' | 'accountNumber' | 'routingNumber'> & {
        readonly last4: string;
        readonly bankName?: string;
        /** Absent: the currency that was sent, or of a token the account's default currency. */
        readonly currency?: string;
      };
    }
  | { readonly result: 'refused'; readonly code: BankAccountRefusal; readonly message: string }
  /** The token does not exist at this processor. */
  | { readonly result: 'unknown_token' };

export type BankAccountRefusal =
  | 'test_number_required'
  | 'routing_number_invalid'
  | 'parameter_invalid';

/** A file of a merchant's evidence. */
export interface EvidenceFile {
  /** The field of the evidence, such as `receipt`. */
  readonly key: string;
  /** `file_...` */
  readonly id: string;
  readonly filename: string;
  readonly type: 'pdf' | 'png' | 'jpg';
  /** Bytes. */
  readonly size: number;
  /** Reads the content from the store of files. */
  read(): Promise<Uint8Array>;
}

/** An answer to a dispute. `amount` and `currency` are those of the dispute. */
export interface DisputeAnswer
  extends Omit<
    ProcessorOperation,
    'capture' | 'offSession' | 'statementDescriptor' | 'paymentMethod' | 'reference'
  > {
  /** Our id of the dispute, `dp_...`. */
  readonly reference: string;
  /** The processor's name of the dispute. */
  readonly disputeReference: string;
  /** What is answered: an alert takes no money, and an answer to it does not answer the chargeback. */
  readonly stage: 'alert' | 'chargeback';
  readonly evidence: {
    /** By the official SDK's names, such as `uncategorized_text`. */
    readonly texts: Readonly<Partial<Record<string, string>>>;
    readonly files: readonly EvidenceFile[];
  };
}

/** Answers to disputes. An approval means that the answer is at the issuer; it never expires. */
export interface ProcessorDisputes {
  /** Submits the evidence, after which the issuer decides; a notice reports the decision. */
  submitEvidence(answer: DisputeAnswer): Promise<Outcome>;
  /** Accepts that the dispute is lost. */
  accept(answer: DisputeAnswer): Promise<Outcome>;
}

/** The processor's decision. Adapters never return an unknown outcome: the core infers it. */
export type Outcome =
  | {
      readonly outcome: 'approved';
      readonly processorReference: string;
      readonly amount: number;
      readonly currency: string;
      readonly networkTransactionId?: string;
      /** When the funds become available. @defaultValue two days after the capture */
      readonly availableOn?: string;
      /** The processor's fee for this operation, of any kind, minor units. @defaultValue 0 */
      readonly fee?: number;
    }
  | {
      readonly outcome: 'declined';
      /** A code of the error table for cards or bank debits. */
      readonly code: string;
      /** Of a bank debit that was returned: the code of the return, such as `R01`, which decides. */
      readonly declineCode: string;
      readonly message: string;
      /** What it calls the attempt, so that later notices and settlement lines find the operation. */
      readonly processorReference?: string;
      readonly retry: 'never' | 'later' | 'customer';
      readonly advice?: string;
      /** Blocked by risk before it reached the issuer. */
      readonly blocked?: boolean;
    }
  | {
      /** Of a bank debit: it was submitted, and awaits clearing. */
      readonly outcome: 'pending';
      readonly processorReference: string;
      /** Of a bank debit: its trace number. */
      readonly networkTransactionId?: string;
      /** ISO 8601. A later time than in an answer before counts as no answer. */
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
 * The host's adapter to a card network or bank. Methods may throw: `NotSentError` means certainly
 * not sent; any other error is an unknown outcome.
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
  /**
   * Pays out, with the capability `payouts`: `approved` once the money is handed to the bank, `pending`
   * while it is not.
   */
  payout?(operation: PayoutOperation): Promise<Outcome>;
  /**
   * Checks a bank account before it is added, and reads the processor's tokens. Without it, every
   * well-formed number is accepted, and no token.
   */
  checkBankAccount?(
    input: BankAccountInput,
    context: { readonly environment: Environment },
  ): Promise<BankAccountAnswer>;
  /** Absent: merchants answer their disputes at the processor, which reports the outcome by notices. */
  readonly disputes?: ProcessorDisputes;
  /** Required: returns the outcome of an operation by our id, after a timeout or a crash. */
  lookup(operationId: OperationId, deadline: AbortSignal): Promise<Outcome | 'not_found'>;
  /**
   * Reads what the processor reports without being asked: from a request that it sent, or from a file.
   * It throws for a request whose signature is wrong, before it yields anything. Absent: the
   * adapter takes no notices, and `lookup` finds every outcome.
   */
  ingest?(source: NoticeSource): AsyncIterable<Notice>;
}

const NOT_SENT = 'PaymountNotSentError';

/** Thrown by an adapter if the request was certainly not sent (refused, DNS, TLS): 502. */
export class NotSentError extends Error {
  override readonly name = NOT_SENT;

  /** Compares the name, because `instanceof` fails across copies of the package. */
  static is(value: unknown): value is NotSentError {
    return isError(value) && value.name === NOT_SENT;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return NotSentError.is(value);
  }
}
