import type { Environment } from '../kernel/basics/environment.ts';
import type { Processor, TokenizeInput } from '../payments/operations/processor.ts';

/** Makes a new adapter, connected to the same processor each time: as after a restart. */
export type ProcessorFactory = () => Processor | Promise<Processor>;

/** What the kit needs to know of the test environment of a processor. */
export interface ProcessorFixtures {
  /** A card that is approved. */
  readonly approved: TokenizeInput;
  /** A card that is declined. */
  readonly declined: TokenizeInput;
  /** A card whose charge is executed, but not answered within `silenceMs`. */
  readonly approvedSilently?: TokenizeInput;
  /** A card of whose charge another amount is approved than was asked for. */
  readonly tampered?: TokenizeInput;
  /** A card whose charge never leaves: the adapter throws NotSentError. */
  readonly notSent?: TokenizeInput;
  /** @defaultValue 'test' */
  readonly environment?: Environment;
  /** Texts that may stand in no error and no outcome: keys, card numbers. */
  readonly secrets?: readonly string[];
  /** How long the kit waits before it cuts a silent call. @defaultValue 200 */
  readonly silenceMs?: number;
  /** How long any other call may take. @defaultValue 5000 */
  readonly answerMs?: number;
}
