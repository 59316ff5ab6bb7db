import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
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
import { planOperation } from './plan-operation.ts';
import { evidenceName, planRuling } from './planned-disputes.ts';
import {
  chargeBehavior,
  isSilent,
  nameIn,
  REFERENCE_PREFIX,
  refuse,
  type Submission,
} from './submission.ts';
import { checkTestBankAccount } from './test-bank-accounts.ts';
import { bankAccountOf, debitFault, tokenizeBankAccount } from './test-bank-debits.ts';
import { tokenizeCard } from './tokenize.ts';
import { actingName } from './turns.ts';

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
   * Whether bank debits take the days that banks take, by `clock`: four banking days to clear. Else
   * they take two seconds. On a test clock they always take days.
   * @defaultValue false
   */
  readonly calendarTimes?: boolean;
  /**
   * How long a silent card keeps the caller waiting before the connection drops; the caller's own
   * deadline may come first.
   * @defaultValue 60000
   */
  readonly silenceMs?: number;
  /**
   * Whether it sends a settlement line for each charge, debit, refund and chargeback. Off by default,
   * because tests of hosts that count notices or postings would see more of them.
   * @defaultValue false
   */
  readonly settlementLines?: boolean;
}

const DEFAULTS = {
  latencyMs: 0,
  faults: {},
  seed: 1,
  calendarTimes: false,
  silenceMs: 60_000,
  settlementLines: false,
};

/**
 * The processor of the test environment: every outcome on demand, by published cards and tokens.
 * An operation is executed once, however often it is submitted; what
 * was executed is remembered, and every answer about it is computed from that record.
 */
export class SandboxProcessor implements Processor {
  readonly name = 'sandbox';
  readonly capabilities: ProcessorCapabilities = {
    methods: ['card', 'us_bank_account'],
    manualCapture: true,
    partialCapture: true,
    voids: true,
    refunds: true,
    payouts: true,
    idempotentSubmit: true,
    localTokens: true,
  };
  readonly #options: Required<SandboxOptions>;

  constructor(options: SandboxOptions) {
    this.#options = { ...DEFAULTS, ...options };
    const shares = Object.values(this.#options.faults);
    const total = shares.reduce((sum, share) => sum + share, 0);
    assert(
      shares.every((share) => share >= 0) && total <= 1,
      'The shares of `faults` must be 0 or more and 1 at most together.',
    );
  }

  tokenize(input: TokenizeInput, context: { readonly now: Date }): Promise<TokenizeResult> {
    if ('usBankAccount' in input) return Promise.resolve(tokenizeBankAccount(input));
    const isToken = 'token' in input && input.type === 'us_bank_account';
    return Promise.resolve(isToken ? tokenizeBankAccount(input) : tokenizeCard(input, context.now));
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
      for (const line of lines) yield JSON.parse(asJson(line));
    }
    // The last line of a file may end without a line break.
    if (rest !== '') yield JSON.parse(asJson(rest));
  }

  async #submit(kind: OperationKind, operation: Submission): Promise<Outcome> {
    const { memory } = this.#options;
    const { operationId, deadline } = operation;
    if (deadline.aborted) throw new NotSentError('The deadline had passed before the request.');
    if (operation.livemode) throw new NotSentError('The sandbox takes no live operation.');
    // Of a first attempt nothing can be remembered yet; if it comes twice at once, one of both is remembered.
    const known = operation.attempt > 1 ? await memory.recall(operationId) : undefined;
    if (known !== undefined) return this.#answerAgain(operationId, readExecuted(known), deadline);
    const refusal = refuse(kind, operation);
    if (refusal !== undefined) return refusal;
    const wanted = await this.#facts(kind, operation);
    if (chargeBehavior(wanted) === 'not_sent') {
      throw new NotSentError('The sandbox could not be reached.');
    }
    const reference = REFERENCE_PREFIX + operationId;
    const isSale = 'capture' in operation && operation.capture === true;
    const named = { operationId, processorReference: reference };
    const planned = planOperation(wanted, named, { ...this.#options, isSale });
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
    const known = await memory.recall(operationId);
    if (known !== undefined) return this.#answerAgain(operationId, readExecuted(known), deadline);
    if (kind === 'submit_evidence') await readFiles(answer);
    if (deadline.aborted) throw new NotSentError('Reading the files took too long.');
    const card = evidenceName(answer);
    const wanted = { kind, card, amount, currency, attempt, ...this.#momentOf(answer) };
    const planned = kind === 'submit_evidence' ? planRuling(answer, wanted, this.#options) : [];
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
    const { memory, clock, calendarTimes } = this.#options;
    const reference = REFERENCE_PREFIX + operationId;
    const shown = executed.clock && (await memory.timeOn(executed.clock));
    return decide(executed, reference, { now: shown ?? clock.now(), calendarTimes });
  }

  async #facts(kind: OperationKind, operation: Submission): Promise<Executed> {
    const { faults, seed, memory } = this.#options;
    const { operationId, amount, currency, attempt } = operation;
    const named = nameIn(operation) ?? '';
    const isCharge = kind === 'authorize' && 'paymentMethod' in operation;
    const name = isCharge ? await actingName(named, operation, memory) : named;
    const fault = drawFault(faults, seed, operationId);
    const isDebit = bankAccountOf(name) !== undefined;
    const card = fault === undefined ? name : isDebit ? debitFault(fault) : fault;
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

/** As a processor that gets the files: what cannot be read shows in test mode, and nothing is sent. */
async function readFiles({ evidence }: DisputeAnswer): Promise<void> {
  for (const file of evidence.files) {
    try {
      await file.read();
    } catch (cause) {
      throw new NotSentError(`The file ${file.id} could not be read.`, { cause });
    }
  }
}

/** A line that is not JSON keeps no other line out: it is a notice of no known kind, so it waits for a person. */
function asJson(line: string): string {
  try {
    JSON.parse(line);
    return line;
  } catch {
    const id = createHash('sha256').update(line).digest('hex').slice(0, 16);
    return `{"noticeId": "line ${id}", "kind": "not JSON"}`;
  }
}
