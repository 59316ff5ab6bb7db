import { type Change, HookError } from '../changes/change.ts';
import type { Storage } from '../changes/storage.ts';
import type { Clock } from '../shared/clock.ts';
import type { CrashPoint } from '../shared/crash-point.ts';
import type { Environment } from '../shared/environment.ts';
import type { Logger } from '../shared/logger.ts';
import type { Operation } from './operation.ts';
import { isUnresolved, OPERATION_DEADLINE_MS, remembered, submitted } from './operation-states.ts';
import { type CallResult, contradicts, readOutcome } from './outcome.ts';
import { NotSentError, type Processor } from './processor.ts';
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
   * @returns what stands; undefined when another process settled it, or the host's
   *   hook refused it and the resolver goes on
   */
  async run(operation: Operation, prepared?: Prepared): Promise<Settlement | undefined> {
    const subject = prepared ?? (await this.#ports.settlers[operation.kind](operation));
    const result = await this.#send(operation, subject);
    return this.settle(operation, result, subject);
  }

  /** Sends an operation whose intent was committed in a host's transaction, once. */
  async start(operation: Operation): Promise<Settlement | undefined> {
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
      const applied = await this.#apply(change, current, result);
      if (applied === 'refused') return undefined;
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

  async #apply(
    change: Change,
    operation: Operation,
    result: CallResult,
  ): Promise<'applied' | 'raced' | 'refused'> {
    const { storage, clock, logger } = this.#ports;
    try {
      const applied = await storage.changes.apply(change);
      return applied === 'applied' ? 'applied' : 'raced';
    } catch (error) {
      if (!HookError.is(error)) throw error;
      logger.error(
        { operation: operation.id, err: error },
        'The hook refused a result; it is kept and will be offered again.',
      );
      await storage.changes.apply(this.#onlyOperation(remembered(operation, result, clock.now())));
      return 'refused';
    }
  }

  async #send(operation: Operation, subject: Prepared): Promise<CallResult> {
    const { processors, logger, crashPoint } = this.#ports;
    const processor = processors[operation.environment];
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
      return readOutcome(answer);
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

/** Ends at the deadline even when the adapter ignores its signal. */
export async function withDeadline<Result>(
  ms: number,
  call: (deadline: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`No answer within ${ms} ms.`);
      controller.abort(error);
      reject(error);
    }, ms);
  });
  try {
    return await Promise.race([call(controller.signal), silence]);
  } finally {
    clearTimeout(timer);
  }
}
