import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, OperationId } from '@paymount/core/kernel';
import {
  type BankAccountAnswer,
  type BankAccountInput,
  type DisputeAnswer,
  type Notice,
  type NoticeSource,
  NotSentError,
  type OperationKind,
  type OperationMemoryRepository,
  type Outcome,
  type PayoutOperation,
  type Processor,
  type ProcessorCapabilities,
  type ProcessorDisputes,
  type ProcessorOperation,
  type TokenizeInput,
  type TokenizeResult,
} from '@paymount/core/payments';
import { decide } from './decide.ts';
import { type Executed, readExecuted, writeExecuted } from './executed.ts';
import { drawFault, type FaultShares } from './faults.ts';
import { evidenceName, planDisputes, planRuling } from './planned-disputes.ts';
import { planNotices } from './planned-notices.ts';
import { checkTestBankAccount, findBankAccount } from './test-bank-accounts.ts';
import { findCardByName, findCardByToken } from './test-cards.ts';
import { tokenizeCard } from './tokenize.ts';

/** Options of {@link SandboxProcessor}. */
export interface SandboxOptions {
  /** Where executed operations are kept, so that a look-up after a crash finds them. */
  readonly memory: OperationMemoryRepository;
  /** Business time. */
  readonly clock: Clock;
  /** How long every answer takes, in milliseconds. @defaultValue 0 */
  readonly latencyMs?: number;
  /** What goes wrong at random. @defaultValue nothing */
  readonly faults?: FaultShares;
  /** Chooses which operations go wrong. @defaultValue 1 */
  readonly seed?: number;
  /**
   * How long a silent card keeps the caller waiting before the connection drops; the caller's own
   * deadline may come first.
   * @defaultValue 60000
   */
  readonly silenceMs?: number;
}

type Submission = ProcessorOperation | PayoutOperation;

const REFERENCE_PREFIX = 'sandbox_';
const DEFAULT_SILENCE_MS = 60_000;

/**
 * The processor of the test environment: every outcome on demand, by published cards and tokens.
 * An operation is executed once, however often it is submitted; what
 * was executed is remembered, and every answer about it is computed from that record.
 */
export class SandboxProcessor implements Processor {
  readonly name = 'sandbox';
  readonly capabilities: ProcessorCapabilities = {
    methods: ['card'],
    manualCapture: true,
    partialCapture: true,
    voids: true,
    refunds: true,
    payouts: true,
    idempotentSubmit: true,
  };
  readonly #options: Required<SandboxOptions>;

  constructor(options: SandboxOptions) {
    const defaults = { latencyMs: 0, faults: {}, seed: 1, silenceMs: DEFAULT_SILENCE_MS };
    this.#options = { ...defaults, ...options };
    const shares = Object.values(this.#options.faults);
    const total = shares.reduce((sum, share) => sum + share, 0);
    assert(
      shares.every((share) => share >= 0) && total <= 1,
      'The shares of `faults` must be 0 or more and 1 at most together.',
    );
  }

  tokenize(input: TokenizeInput, context: { readonly now: Date }): Promise<TokenizeResult> {
    return Promise.resolve(tokenizeCard(input, context.now));
  }

  authorize(operation: ProcessorOperation): Promise<Outcome> {
    return this.#submit('authorize', operation);
  }

  capture(operation: ProcessorOperation): Promise<Outcome> {
    return this.#submit('capture', operation);
  }

  cancel(operation: ProcessorOperation): Promise<Outcome> {
    return this.#submit('cancel', operation);
  }

  refund(operation: ProcessorOperation): Promise<Outcome> {
    return this.#submit('refund', operation);
  }

  payout(operation: PayoutOperation): Promise<Outcome> {
    return this.#submit('payout', operation);
  }

  checkBankAccount(input: BankAccountInput): Promise<BankAccountAnswer> {
    return Promise.resolve(checkTestBankAccount(input));
  }

  /** Evidence goes to the issuer at once. `planned-disputes.ts` says how the issuer decides. */
  readonly disputes: ProcessorDisputes = {
    submitEvidence: (answer) => this.#answer('submit_evidence', answer),
    accept: (answer) => this.#answer('accept_dispute', answer),
  };

  /** @throws Error for an operation about which no answer ever comes */
  async lookup(operationId: OperationId, deadline: AbortSignal): Promise<Outcome | 'not_found'> {
    await this.#latency(deadline);
    const record = await this.#options.memory.recall(operationId);
    if (record === undefined) return 'not_found';
    const outcome = await this.#decide(operationId, readExecuted(record));
    if (outcome === 'silence') throw new Error('The sandbox gives no answer about this operation.');
    return outcome;
  }

  /**
   * Reads what was planned when an operation was executed: one notice on each line. The sandbox
   * calls nobody, so it takes no requests.
   */
  async *ingest(source: NoticeSource): AsyncIterable<Notice> {
    if (!('file' in source)) throw new Error('The sandbox sends no requests.');
    let rest = '';
    const decoder = new TextDecoder();
    for await (const bytes of source.file) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line);
    }
  }

  async #submit(kind: OperationKind, operation: Submission): Promise<Outcome> {
    const { memory } = this.#options;
    const { operationId, deadline } = operation;
    if (deadline.aborted) throw new NotSentError('The deadline had passed before the request.');
    if (operation.livemode) throw new NotSentError('The sandbox takes no live operation.');
    const known = await memory.recall(operationId);
    if (known !== undefined) return this.#answerAgain(operationId, readExecuted(known), deadline);
    const refusal = refuse(kind, operation);
    if (refusal !== undefined) return refusal;
    const wanted = this.#facts(kind, operation);
    if (findCardByName(wanted.card)?.charge.does === 'not_sent') {
      throw new NotSentError('The sandbox could not be reached.');
    }
    const reference = REFERENCE_PREFIX + operationId;
    const isSale = 'capture' in operation && operation.capture === true;
    const isCaptured = kind === 'capture' || (kind === 'authorize' && isSale);
    const planned = [
      ...planNotices(wanted, operationId, reference),
      ...(isCaptured ? planDisputes(wanted, operationId, reference) : []),
    ];
    const record = writeExecuted(wanted);
    const executed = readExecuted(await memory.remember(operationId, record, planned));
    await this.#latency(deadline);
    if (isSilent(executed)) await this.#keepSilent(deadline);
    return this.#answerAgain(operationId, executed, deadline);
  }

  async #answer(kind: OperationKind, answer: DisputeAnswer): Promise<Outcome> {
    const { memory } = this.#options;
    const { operationId, amount, currency, attempt, deadline } = answer;
    if (deadline.aborted) throw new NotSentError('The deadline had passed before the request.');
    if (answer.livemode) throw new NotSentError('The sandbox takes no live operation.');
    const card = evidenceName(answer);
    const wanted = { kind, card, amount, currency, attempt, ...this.#momentOf(answer) };
    const planned = kind === 'submit_evidence' ? planRuling(answer, wanted) : [];
    const record = writeExecuted(wanted);
    const executed = readExecuted(await memory.remember(operationId, record, planned));
    await this.#latency(deadline);
    return this.#answerAgain(operationId, executed, deadline);
  }

  /** A later submission of an executed operation gets its outcome without the first one's wait. */
  async #answerAgain(
    operationId: OperationId,
    executed: Executed,
    deadline: AbortSignal,
  ): Promise<Outcome> {
    const outcome = await this.#decide(operationId, executed);
    return outcome === 'silence' ? this.#keepSilent(deadline) : outcome;
  }

  async #decide(operationId: OperationId, executed: Executed): Promise<Outcome | 'silence'> {
    const { memory, clock } = this.#options;
    const shown = executed.clock && (await memory.timeOn(executed.clock));
    return decide(executed, REFERENCE_PREFIX + operationId, shown ?? clock.now());
  }

  #facts(kind: OperationKind, operation: Submission): Executed {
    const { faults, seed } = this.#options;
    const { operationId, amount, currency, attempt } = operation;
    const card = drawFault(faults, seed, operationId) ?? nameIn(operation) ?? '';
    return { kind, card, amount, currency, attempt, ...this.#momentOf(operation) };
  }

  /** When it happens: on a test clock, at the time that this shows. */
  #momentOf({ testClock }: Pick<ProcessorOperation, 'testClock'>): Pick<Executed, 'at' | 'clock'> {
    if (testClock === undefined) return { at: this.#options.clock.now() };
    return { at: testClock.now, clock: testClock.id };
  }

  async #latency(deadline: AbortSignal): Promise<void> {
    const { latencyMs } = this.#options;
    if (latencyMs > 0) await delay(latencyMs, undefined, { signal: deadline });
  }

  async #keepSilent(deadline: AbortSignal): Promise<never> {
    await delay(this.#options.silenceMs, undefined, { signal: deadline });
    throw new Error('The sandbox dropped the connection without an answer.');
  }
}

function isSilent(executed: Executed): boolean {
  const behavior = findCardByName(executed.card)?.charge.does;
  return behavior === 'approve_silently' || behavior === 'decline_silently';
}

/** The name of the test card or bank account of a request. */
function nameIn(operation: Submission): string | undefined {
  return 'destination' in operation
    ? findBankAccount(operation.destination.accountNumber)?.name
    : findCardByToken(operation.paymentMethod.processorToken)?.name;
}

/** What a processor refuses without executing it. */
function refuse(kind: OperationKind, operation: Submission): Outcome | undefined {
  if (nameIn(operation) === undefined) {
    const noun = 'destination' in operation ? 'bank account' : 'card';
    return rejected(`The sandbox does not know this ${noun}.`);
  }
  if ('destination' in operation) return undefined;
  const previous = operation.previous?.processorReference;
  if (kind !== 'authorize' && !previous?.startsWith(REFERENCE_PREFIX)) {
    return rejected(`There is nothing at the sandbox to ${kind}.`);
  }
  return undefined;
}

function rejected(message: string): Outcome {
  return { outcome: 'rejected', code: 'processing_error', message };
}
