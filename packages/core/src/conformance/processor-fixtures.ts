import type { Environment } from '../kernel/basics/environment.ts';
import type { NoticeSource } from '../payments/notices/notice.ts';
import type {
  BankDestination,
  Processor,
  TokenizeInput,
} from '../payments/operations/processor.ts';

/** Makes a new adapter, connected to the same processor each time: as after a restart. */
export type ProcessorFactory = () => Processor | Promise<Processor>;

/** One request of the processor, as it was signed. */
export type NoticeRequest = Extract<NoticeSource, { readonly body: Buffer }>;

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
   * The request in which the processor reports that charges settled, signed as it would be. Required
   * for an adapter with `ingest`, else its cases are skipped.
   * @param references those that the adapter answered
   */
  readonly noticeRequest?: (
    references: readonly string[],
  ) => NoticeRequest | Promise<NoticeRequest>;
  /** A bank account that payouts reach. With the capability `payouts`, else its cases are skipped. */
  readonly destination?: BankDestination;
  /** A bank account that no payout reaches. */
  readonly refusedDestination?: BankDestination;
  /** @defaultValue 'test' */
  readonly environment?: Environment;
  /** Texts that must not appear in errors and outcomes: keys, card numbers. */
  readonly secrets?: readonly string[];
  /** How long the suite waits before it aborts a call without a response. @defaultValue 200 */
  readonly silenceMs?: number;
  /** How long any other call may take. @defaultValue 5000 */
  readonly answerMs?: number;
}
