import type { Clock } from '@paymount/core/kernel';
import type { OperationKind } from '@paymount/core/payments';
import { SandboxProcessor } from '@paymount/processor-sandbox';
import type {
  BankAccountAnswer,
  BankAccountInput,
  Notice,
  NoticeSource,
  PayoutOperation,
  Processor,
} from 'paymount/processor';
import { sharedMemory } from './operation-memory.ts';

type Operation = Parameters<Processor['authorize']>[0];
type Outcome = Awaited<ReturnType<Processor['authorize']>>;

/** Requests about payments. */
type PaymentKind = Exclude<OperationKind, 'submit_evidence' | 'accept_dispute'>;

/** One request as it reached the bank. */
export interface BankCall {
  readonly kind: PaymentKind | 'lookup';
  readonly operationId: string;
  readonly amount?: number;
  readonly currency?: string;
  readonly reference?: string;
}

/**
 * A bank that executes like the sandbox, writes down every request, and holds back answers when
 * told to: what it has done and what its caller knows may differ.
 */
export class WatchedBank implements Processor {
  readonly name: string;
  readonly capabilities: Processor['capabilities'];
  readonly calls: BankCall[] = [];
  /** How many cards and bank accounts it was shown. */
  tokenized = 0;
  /** What it keeps of every approval, minor units. */
  fee = 0;
  readonly #bank: SandboxProcessor;
  #held: Promise<void> | undefined;

  /** @param without what it cannot do, though the sandbox can */
  constructor(clock: Clock, name = 'watched', without: Partial<Processor['capabilities']> = {}) {
    this.name = name;
    this.#bank = new SandboxProcessor({ memory: sharedMemory(), clock, silenceMs: 20 });
    this.capabilities = { ...this.#bank.capabilities, ...without };
  }

  /**
   * Holds back every answer from now on; what is asked is executed at once.
   * @returns lets all of them go
   */
  hold(): () => void {
    let release: () => void = () => undefined;
    this.#held = new Promise((resolve) => {
      release = () => {
        this.#held = undefined;
        resolve();
      };
    });
    return release;
  }

  /** How often the bank was asked to move money of a charge, refund or payout. */
  asked(kind: PaymentKind, reference: string): readonly BankCall[] {
    return this.calls.filter((call) => call.kind === kind && call.reference === reference);
  }

  tokenize(...input: Parameters<Processor['tokenize']>): ReturnType<Processor['tokenize']> {
    this.tokenized += 1;
    return this.#bank.tokenize(...input);
  }

  authorize(operation: Operation): Promise<Outcome> {
    return this.#execute('authorize', operation);
  }

  capture(operation: Operation): Promise<Outcome> {
    return this.#execute('capture', operation);
  }

  cancel(operation: Operation): Promise<Outcome> {
    return this.#execute('cancel', operation);
  }

  refund(operation: Operation): Promise<Outcome> {
    return this.#execute('refund', operation);
  }

  payout(operation: PayoutOperation): Promise<Outcome> {
    return this.#answer('payout', operation, this.#bank.payout(operation));
  }

  checkBankAccount(input: BankAccountInput): Promise<BankAccountAnswer> {
    return this.#bank.checkBankAccount(input);
  }

  lookup(...asked: Parameters<Processor['lookup']>): ReturnType<Processor['lookup']> {
    this.calls.push({ kind: 'lookup', operationId: asked[0] });
    return this.#bank.lookup(...asked);
  }

  ingest(source: NoticeSource): AsyncIterable<Notice> {
    return this.#bank.ingest(source);
  }

  async #execute(kind: Exclude<PaymentKind, 'payout'>, operation: Operation): Promise<Outcome> {
    return this.#answer(kind, operation, this.#bank[kind](operation));
  }

  async #answer(
    kind: PaymentKind,
    {
      operationId,
      amount,
      currency,
      reference,
    }: Pick<Operation, 'operationId' | 'amount' | 'currency' | 'reference'>,
    executed: Promise<Outcome>,
  ): Promise<Outcome> {
    this.calls.push({ kind, operationId, amount, currency, reference });
    const held = this.#held;
    const outcome = await executed;
    await held;
    return outcome.outcome === 'approved' && this.fee > 0 ? { ...outcome, fee: this.fee } : outcome;
  }
}
