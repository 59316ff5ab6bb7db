import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { isError, livemode, newId, type OperationId, withTimeout } from '@paymount/core/kernel';
import {
  type BankAccountAnswer,
  type BankAccountInput,
  type BankDestination,
  type Notice,
  NotSentError,
  type Outcome,
  type ParsedAnswer,
  type PaymentMethodFacts,
  type PayoutOperation,
  type Processor,
  type ProcessorOperation,
  parseBankAccountAnswer,
  parseLookup,
  parseNotice,
  parseOutcome,
  parseTokenization,
  requireResult,
  type TokenizeInput,
  type TokenizeResult,
} from '@paymount/core/payments';
import { type Approved, expectApproved } from './expectations.ts';
import {
  type ProcessorFactory,
  type ProcessorFixtures,
  type SentNotices,
  toSource,
} from './fixtures.ts';

/** An amount that ends in 0, so that it is also valid in currencies with three decimals. */
export const AMOUNT = 4200;
const DEFAULT_SILENCE_MS = 200;
const DEFAULT_ANSWER_MS = 5_000;
/** How long an adapter may take to stop after its deadline has aborted. */
const ABORT_GRACE_MS = 1_000;

/** `tokenize` and `checkBankAccount` answer the number that is to be sent later. */
const GIVES_NUMBERS = new Set<string>();

/** The meaning of a thrown error for the caller. */
export type Refusal = 'not_sent' | 'unknown';

type CardAnswer = Extract<PaymentMethodFacts, { type: 'card' }>;

/** Executes operations for the cases, and searches all results for secrets. */
export class ProcessorSetup {
  readonly fixtures: ProcessorFixtures;
  readonly #factory: ProcessorFactory;
  /** The numbers of bank accounts that adapters got here to send, and must not repeat. */
  readonly #accountNumbers = new Set<string>();

  /** How long a call may take, in milliseconds. */
  get answerMs(): number {
    return this.fixtures.answerMs ?? DEFAULT_ANSWER_MS;
  }

  constructor(factory: ProcessorFactory, fixtures: ProcessorFixtures) {
    this.#factory = factory;
    this.fixtures = fixtures;
  }

  /** The adapter as after a restart. */
  async fresh(): Promise<Processor> {
    return this.#factory();
  }

  /** The result of `tokenize` on a new adapter, as the core reads it. */
  async ask(input: TokenizeInput): Promise<TokenizeResult> {
    const processor = await this.fresh();
    const environment = this.fixtures.environment ?? 'test';
    // The real time: a host runs these cases against its processor, which judges expiry by it.
    const answer = await processor.tokenize(input, { environment, now: new Date() });
    this.#expectNoSecret(answer, GIVES_NUMBERS);
    return readable('tokenize', parseTokenization(answer));
  }

  async tokenize(input: TokenizeInput): Promise<CardAnswer> {
    const answer = await this.ask(input);
    assert.equal(answer.result, 'tokenized', 'The card of the fixtures is not tokenized.');
    assert.equal(answer.facts.type, 'card', 'The card of the fixtures is not a card.');
    return answer.facts;
  }

  /** An operation with a new id and a new deadline, in which the given members are replaced. */
  operation(
    processorToken: string,
    change: Partial<ProcessorOperation> = {},
  ): ProcessorOperation & { operationId: OperationId } {
    return {
      operationId: newId('op'),
      attempt: 1,
      amount: AMOUNT,
      currency: 'eur',
      reference: newId('ch'),
      paymentMethod: { processorToken },
      livemode: livemode(this.fixtures.environment ?? 'test'),
      metadata: {},
      deadline: AbortSignal.timeout(this.answerMs),
      ...change,
    };
  }

  /** A payout with a new id and a new deadline, in which the given members are replaced. */
  payout(
    destination: BankDestination,
    change: Partial<PayoutOperation> = {},
  ): PayoutOperation & { operationId: OperationId } {
    const { paymentMethod: _, ...operation } = this.operation('');
    const { currency } = destination;
    return { ...operation, currency, reference: newId('po'), destination, ...change };
  }

  /** Pays out on a new adapter. @returns its answer, as the core reads it */
  submitPayout(operation: PayoutOperation): Promise<Outcome> {
    this.#accountNumbers.add(operation.destination.accountNumber);
    return this.outcomeOf('payout', (processor) => processor.payout?.(operation));
  }

  /** A debit in dollars of a bank account, as the core sends it. */
  async debit(account: TokenizeInput): Promise<ProcessorOperation> {
    const answer = await this.ask(account);
    assert(answer.result === 'tokenized' && answer.facts.type === 'us_bank_account');
    const { usBankAccount, processorToken = 'bank_conformance' } = answer.facts;
    const { accountNumber, routingNumber, accountType, accountHolderType } = usBankAccount;
    const holder = { routingNumber, accountType, accountHolderType };
    const paymentMethod = {
      processorToken,
      ...(accountNumber === undefined ? {} : { bankAccount: { accountNumber, ...holder } }),
    };
    return this.operation(processorToken, { currency: 'usd', capture: true, paymentMethod });
  }

  /** Submits on a new adapter. @returns its answer, as the core reads it */
  submit(
    kind: 'authorize' | 'capture' | 'cancel' | 'refund',
    operation: ProcessorOperation,
  ): Promise<Outcome> {
    const { accountNumber } = operation.paymentMethod.bankAccount ?? {};
    if (accountNumber !== undefined) this.#accountNumbers.add(accountNumber);
    return this.outcomeOf(kind, (processor) => processor[kind](operation));
  }

  /** Asks a new adapter for an outcome. @returns its answer, as the core reads it */
  async outcomeOf(method: string, ask: (processor: Processor) => unknown): Promise<Outcome> {
    const answer = await ask(await this.fresh());
    this.#expectNoSecret(answer);
    return readable(method, parseOutcome(answer));
  }

  /** Asks a new adapter about a bank account. @returns its answer, as the core reads it */
  async checkBankAccount(input: BankAccountInput): Promise<BankAccountAnswer> {
    const processor = await this.fresh();
    const environment = this.fixtures.environment ?? 'test';
    const answer = await processor.checkBankAccount?.(input, { environment });
    this.#expectNoSecret(answer, GIVES_NUMBERS);
    return readable('checkBankAccount', parseBankAccountAnswer(answer));
  }

  /**
   * The notices that a new adapter reads from what its processor sent, as the core reads them.
   * @param pieceBytes how many bytes of a file it gets at a time. @defaultValue all
   */
  async ingest(sent: SentNotices, pieceBytes = Number.MAX_SAFE_INTEGER): Promise<Notice[]> {
    const processor = await this.fresh();
    const notices: Notice[] = [];
    for await (const notice of processor.ingest?.(toSource(sent, pieceBytes)) ?? []) {
      this.#expectNoSecret(notice);
      notices.push(readable('ingest', parseNotice(notice)));
    }
    return notices;
  }

  /** A sale with the approved card, with the given changes. */
  async sale(change: Partial<ProcessorOperation> = {}): Promise<[ProcessorOperation, Approved]> {
    const { processorToken } = await this.tokenize(this.fixtures.approved);
    const operation = this.operation(processorToken, { capture: true, ...change });
    const outcome = await this.submit('authorize', operation);
    return [operation, expectApproved('authorize', outcome, operation)];
  }

  /** Submits an operation whose deadline aborts after `silenceMs`, and expects no answer. */
  async expectSilence(operation: ProcessorOperation): Promise<Refusal> {
    const { silenceMs = DEFAULT_SILENCE_MS } = this.fixtures;
    const deadline = AbortSignal.timeout(silenceMs);
    return this.expectRefusal({ ...operation, deadline }, silenceMs);
  }

  /** Submits a sale that must throw, as `expectThrow` says. */
  expectRefusal(operation: ProcessorOperation, deadlineMs = 0): Promise<Refusal> {
    return this.expectThrow(() => this.submit('authorize', operation), deadlineMs);
  }

  /** Expects a submission to throw, soon after its deadline, an error without secrets. */
  async expectThrow(submit: () => Promise<Outcome>, deadlineMs = 0): Promise<Refusal> {
    let outcome: Outcome;
    try {
      outcome = await answeredInTime(deadlineMs + ABORT_GRACE_MS, submit());
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      assert(isError(error), 'An adapter throws Errors only.');
      this.#expectNoSecret(error);
      return NotSentError.is(error) ? 'not_sent' : 'unknown';
    }
    assert.fail(`Expected a throw, got an outcome: ${outcome.outcome}.`);
  }

  /** The look-up of an operation on a new adapter, as the core reads it. */
  async lookup(operationId: OperationId): Promise<Outcome | 'not_found'> {
    const processor = await this.fresh();
    const deadline = AbortSignal.timeout(this.answerMs);
    const answer = await processor.lookup(operationId, deadline);
    this.#expectNoSecret(answer);
    return readable('lookup', parseLookup(answer));
  }

  #expectNoSecret(value: unknown, accountNumbers = this.#accountNumbers): void {
    const text = inspect(value, { depth: 20, showHidden: true });
    const { approved, declined, secrets = [] } = this.fixtures;
    const cards = [approved, declined].flatMap((input) => ('card' in input ? [input.card] : []));
    const numbers = [...cards.map(({ number }) => number), ...accountNumbers];
    for (const secret of [...secrets, ...numbers]) {
      assert(!text.includes(secret), 'An answer or error of the adapter holds a secret.');
    }
  }
}

/** Fails if the core cannot read the answer. */
function readable<Result>(method: string, reading: ParsedAnswer<Result>): Result {
  try {
    return requireResult(method, reading);
  } catch (error) {
    assert.fail(isError(error) ? error.message : String(error));
  }
}

/** Fails if an adapter does not return in time, for example because it ignores its deadline. */
async function answeredInTime<Result>(ms: number, call: Promise<Result>): Promise<Result> {
  return withTimeout(call, ms, () => {
    const message = `The call went on ${ABORT_GRACE_MS} ms after its deadline had aborted.`;
    throw new assert.AssertionError({ message });
  });
}
