import type { Clock } from '@paymount/core/kernel';
import { NotSentError } from '@paymount/core/payments';
import { SandboxProcessor } from '@paymount/processor-sandbox';
import type {
  BankAccountAnswer,
  BankAccountInput,
  PayoutOperation,
  Processor,
} from 'paymount/processor';
import { sharedMemory } from './operation-memory.ts';

type Asked<Verb extends 'authorize' | 'capture' | 'cancel' | 'refund'> = Parameters<
  Processor[Verb]
>[0];
type Outcome = ReturnType<Processor['authorize']>;

/** A bank for the live environment of tests: it decides as the sandbox does. */
export class LiveBank implements Processor {
  readonly name = 'bank';
  readonly capabilities: Processor['capabilities'];
  readonly #sandbox: SandboxProcessor;

  constructor(clock: Clock) {
    this.#sandbox = new SandboxProcessor({ memory: sharedMemory(), clock });
    this.capabilities = this.#sandbox.capabilities;
  }

  tokenize(...input: Parameters<Processor['tokenize']>): ReturnType<Processor['tokenize']> {
    return this.#sandbox.tokenize(...input);
  }

  authorize(operation: Asked<'authorize'>): Outcome {
    return this.#sandbox.authorize(inTest(operation));
  }

  capture(operation: Asked<'capture'>): Outcome {
    return this.#sandbox.capture(inTest(operation));
  }

  cancel(operation: Asked<'cancel'>): Outcome {
    return this.#sandbox.cancel(inTest(operation));
  }

  refund(operation: Asked<'refund'>): Outcome {
    return this.#sandbox.refund(inTest(operation));
  }

  payout(operation: PayoutOperation): Outcome {
    return this.#sandbox.payout(inTest(operation));
  }

  checkBankAccount(input: BankAccountInput): Promise<BankAccountAnswer> {
    return this.#sandbox.checkBankAccount(input);
  }

  lookup(...asked: Parameters<Processor['lookup']>): ReturnType<Processor['lookup']> {
    return this.#sandbox.lookup(...asked);
  }
}

/** The sandbox takes no live operation; this bank takes no other. */
function inTest<Operation extends { readonly livemode: boolean }>(operation: Operation): Operation {
  if (!operation.livemode) throw new NotSentError('This bank is for live alone.');
  return { ...operation, livemode: false };
}
