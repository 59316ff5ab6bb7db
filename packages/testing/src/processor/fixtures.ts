import type { Environment, OperationId } from '@paymount/core/kernel';
import type {
  BankAccountInput,
  BankDestination,
  NoticeKind,
  NoticeSource,
  Processor,
  TokenizeInput,
} from '@paymount/core/payments';

/** Makes a new adapter, connected to the same processor each time: as after a restart. */
export type ProcessorFactory = () => Processor | Promise<Processor>;

/** One request of the processor as it was signed, or the bytes of one of its files. */
export type SentNotices =
  | Extract<NoticeSource, { readonly body: Buffer }>
  | { readonly file: Uint8Array };

/** How an adapter gets it. @param pieceBytes how many bytes of a file come at a time */
export function toSource(sent: SentNotices, pieceBytes: number): NoticeSource {
  return 'file' in sent ? { file: inPieces(sent.file, pieceBytes) } : sent;
}

async function* inPieces(bytes: Uint8Array, length: number): AsyncIterable<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length) {
    yield bytes.subarray(start, start + length);
  }
}

/** What a notice is about: an operation that the suite has just submitted. */
export interface NoticeSubject {
  readonly operationId: OperationId;
  /** The reference that the adapter answered. */
  readonly processorReference: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** The token of the card or bank account that was charged; of a payout absent. */
  readonly processorToken?: string;
  /** The processor's name of the dispute. Only for `dispute.closed`. */
  readonly disputeReference?: string;
}

/** How the processor sends notices of one kind. */
export interface NoticeFixture<Of> {
  /**
   * The card or bank account for which the processor sends them.
   * @defaultValue `approved`, for payouts `destination`
   */
  readonly of?: Of;
  /**
   * What the processor sends about these operations, signed as it would be. It may hold notices of
   * other kinds too.
   */
  report(about: readonly NoticeSubject[]): SentNotices | Promise<SentNotices>;
}

type FixtureOf<Kind extends NoticeKind> = NoticeFixture<
  Kind extends `payout.${string}` ? BankDestination : TokenizeInput
>;

/** What the suite needs to know about the test environment of a processor. */
export interface ProcessorFixtures {
  /** A card that is approved. */
  readonly approved: TokenizeInput;
  /** A card that is declined. */
  readonly declined: TokenizeInput;
  /** A card whose charge is executed, without a response within `silenceMs`. */
  readonly approvedSilently?: TokenizeInput;
  /** A card for which another amount than the requested one is approved. */
  readonly tampered?: TokenizeInput;
  /** A card whose charge is never sent: the adapter throws NotSentError. */
  readonly notSent?: TokenizeInput;
  /**
   * How the processor sends the notices that the adapter reads with `ingest`. The cases of a kind that
   * is absent are skipped. Those of `disputes` answer what `dispute.opened` and `dispute.alert` report.
   */
  readonly notices?: { readonly [Kind in NoticeKind]?: FixtureOf<Kind> };
  /** A bank account that payouts reach. With the capability `payouts`, else its cases are skipped. */
  readonly destination?: BankDestination;
  /** A bank account that no payout reaches. */
  readonly refusedDestination?: BankDestination;
  /** A bank account that `checkBankAccount` refuses, such as one with a wrong routing number. */
  readonly wrongBankAccount?: BankAccountInput;
  /**
   * A bank account whose debit is accepted. Required for an adapter that debits bank accounts, else
   * its cases are skipped.
   */
  readonly debited?: TokenizeInput;
  /** @defaultValue 'test' */
  readonly environment?: Environment;
  /** Texts that must not appear in errors and outcomes: keys, card numbers. */
  readonly secrets?: readonly string[];
  /** How long the suite waits before it aborts a call without a response. @defaultValue 200 */
  readonly silenceMs?: number;
  /** How long any other call may take. @defaultValue 5000 */
  readonly answerMs?: number;
}
