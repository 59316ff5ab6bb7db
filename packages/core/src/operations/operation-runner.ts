import { type Change, HookError } from '../changes/change.ts';
import type { Storage } from '../changes/storage.ts';
import type { Clock } from '../shared/clock.ts';
import type { CrashPoint } from '../shared/crash-point.ts';
import type { Environment } from '../shared/environment.ts';
import type { Logger } from '../shared/logger.ts';
import { configuredProcessor } from './configured-processor.ts';
import { withDeadline } from './deadline.ts';
import type { Operation } from './operation.ts';
import { isUnresolved, OPERATION_DEADLINE_MS, remembered, submitted } from './operation-states.ts';
import { type CallResult, contradicts } from './outcome.ts';
import { NotSentError, type Processor } from './processor.ts';
import { outcomeOf, readOutcome } from './read-outcome.ts';
import type { Prepared, Settlers } from './settler.ts';

const MAX_TRIES = 3;

/** What stands after phase 3. */
export interface Settlement {
  readonly change: Change;
  readonly result: CallResult;
}

export interface RunnerPorts {
  readonly storage: Storage;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly settlers: Settlers;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly crashPoint: CrashPoint;
}

/**
 * Phases 2 and 3 of a processor call: call with no transaction open, then commit the result with
 * ledger, event and stored answer in one change. Phase 1, the intent, belongs to the services.
 */
export class OperationRunner {
  readonly #ports: RunnerPorts;

  constructor(ports: RunnerPorts) {
    this.#ports = ports;
  }

  /**
   * Sends a committed operation in state `sent` and settles it.
   * @param prepared the subject, when the caller has it in hand
   * @returns what stands; undefined when another process settled it, or when the result could not
   *   be recorded: the money may have moved, so that is no error, and the resolver goes on
   */
  async run(operation: Operation, prepared?: Prepared): Promise<Settlement | undefined> {
    const processor = configuredProcessor(this.#ports.processors, operation);
    const subject = prepared ?? (await this.#ports.settlers[operation.kind](operation));
    const result = await this.#send(processor, operation, subject);
    try {
      return await this.settle(operation, result, subject);
    } catch (error) {
      this.#ports.logger.error(
        { operation: operation.id, err: error instanceof Error ? error : undefined },
        'A result could not be recorded; the resolver asks for it again.',
      );
      return undefined;
    }
  }

  /** Sends an operation whose intent was committed in a host's transaction, once. */
  async start(operation: Operation): Promise<Settlement | undefined> {
    configuredProcessor(this.#ports.processors, operation);
    const sent = submitted(operation, this.#ports.clock.now());
    const taken = await this.#ports.storage.changes.apply(this.#onlyOperation(sent));
    return taken === 'applied' ? this.run(sent) : undefined;
  }

  /** After a host's transaction: nothing happens when it was rolled back. Never throws. */
  async startAfterCommit(intent: Operation): Promise<void> {
    try {
      const operation = await this.#ports.storage.operations.find(intent, intent.id);
      if (operation?.state === 'created') await this.start(operation);
    } catch (error) {
      this.#ports.logger.warn(
        { operation: intent.id, err: error instanceof Error ? error : undefined },
        'A committed intent could not be started; the resolver goes on.',
      );
    }
  }

  /** Phase 3; never calls the processor again, whatever happens. */
  async settle(
    operation: Operation,
    result: CallResult,
    prepared?: Prepared,
  ): Promise<Settlement | undefined> {
    const { storage, settlers, clock, logger, crashPoint } = this.#ports;
    if (contradicts(operation, result)) {
      logger.error(
        { operation: operation.id, subject: operation.subjectId },
        'A processor approved another amount or currency; a person must settle it.',
      );
    }
    let current = operation;
    let subject = prepared ?? (await settlers[operation.kind](operation));
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const change = subject.conclude(current, result, clock.now());
      crashPoint('operation.before_result');
      const applied = await this.#apply(change, current);
      if (applied === 'refused') return this.#withhold(current, result, subject);
      crashPoint('operation.after_result');
      if (applied === 'applied') return { change, result };
      const fresh = await storage.operations.find(current, current.id);
      if (fresh === undefined || !isUnresolved(fresh)) return undefined;
      current = fresh;
      subject = await settlers[fresh.kind](fresh);
    }
    logger.warn({ operation: operation.id }, 'A result kept being raced; the resolver goes on.');
    return undefined;
  }

  async #apply(change: Change, operation: Operation): Promise<'applied' | 'raced' | 'refused'> {
    try {
      const applied = await this.#ports.storage.changes.apply(change);
      return applied === 'applied' ? 'applied' : 'raced';
    } catch (error) {
      if (!HookError.is(error)) throw error;
      this.#ports.logger.error(
        { operation: operation.id, err: error },
        'The hook refused a result; it is kept and will be offered again.',
      );
      return 'refused';
    }
  }

  /** Answers as for an unknown outcome, and keeps the real one on the operation. */
  async #withhold(
    operation: Operation,
    result: CallResult,
    subject: Prepared,
  ): Promise<Settlement | undefined> {
    const { storage, clock } = this.#ports;
    const at = clock.now();
    const unknown = { outcome: 'unknown' } as const;
    const open = subject.conclude(operation, unknown, at);
    const kept = {
      kind: 'operation',
      mode: 'update',
      row: remembered(operation, result, at),
    } as const;
    const others = open.writes.filter(({ kind }) => kind !== 'operation');
    const change: Change = { ...open, writes: [...others, kept] };
    const applied = await storage.changes.apply(change);
    return applied === 'applied' ? { change, result: unknown } : undefined;
  }

  async #send(processor: Processor, operation: Operation, subject: Prepared): Promise<CallResult> {
    const { logger, crashPoint } = this.#ports;
    crashPoint('operation.before_call');
    try {
      const answer = await withDeadline(OPERATION_DEADLINE_MS, (deadline) =>
        processor[operation.kind]({
          ...subject.request,
          operationId: operation.id,
          attempt: operation.attempt,
          amount: operation.amount,
          currency: operation.currency,
          reference: operation.subjectId,
          livemode: operation.environment === 'live',
          deadline,
        }),
      );
      crashPoint('operation.after_call');
      return outcomeOf(readOutcome(answer), operation, logger);
    } catch (error) {
      if (NotSentError.is(error)) return { outcome: 'not_sent' };
      logger.warn(
        {
          operation: operation.id,
          kind: operation.kind,
          err: error instanceof Error ? error : undefined,
        },
        'A processor call ended without an answer; its outcome is unknown.',
      );
      return { outcome: 'unknown' };
    }
  }

  #onlyOperation(row: Operation): Change {
    return {
      accountId: row.accountId,
      environment: row.environment,
      at: this.#ports.clock.now(),
      writes: [{ kind: 'operation', mode: 'update', row }],
    };
  }
}
