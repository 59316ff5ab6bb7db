import { type ChangeResult, HookError } from '../../changes/change.ts';
import { applyIn } from '../../changes/commit.ts';
import { HookLog } from '../../changes/hook-log.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { OPERATION_NOUNS } from '../processor/processor.ts';
import { beginSending } from './begin-sending.ts';
import { type CallPorts, submitToProcessor } from './call-processor.ts';
import { configuredProcessor } from './configured-processor.ts';
import type { Operation } from './operation.ts';
import type { OperationChange, SubjectChange } from './operation-change.ts';
import { rootOf } from './operation-root.ts';
import { isUnresolved, submitted, unrecorded, withResult } from './operation-states.ts';
import type { OperationStorage } from './operation-storage.ts';
import type { Subject } from './operation-subject.ts';
import type { CallResult } from './outcome.ts';
import { findReview, lateChange, withReview } from './review.ts';

/**
 * The number of tries for a result that waits for the root's row, 3 s each; the caller waits too.
 */
const MAX_TRIES = 2;

/** The state after phase 3. */
export interface RecordedResult {
  readonly change: SubjectChange;
  readonly result: CallResult;
}

export interface RunnerPorts<Of extends SubjectChange = SubjectChange> extends CallPorts {
  readonly storage: OperationStorage<Of>;
  /** The e-mail address for operations that a person must look at. @defaultValue nobody */
  readonly operator?: string;
}

/** What services need of the runner. */
export type OperationSender<Of extends SubjectChange> = Pick<
  OperationRunner<Of>,
  'run' | 'startAfterCommit'
>;

/**
 * Phases 2 and 3 of a processor call: call with no transaction open, then commit the result with
 * ledger, event and stored answer in one change. The services do phase 1, the intent.
 */
export class OperationRunner<Of extends SubjectChange = SubjectChange> {
  readonly #ports: RunnerPorts<Of>;
  readonly #hookLog: HookLog;

  constructor(ports: RunnerPorts<Of>) {
    this.#ports = ports;
    this.#hookLog = new HookLog(ports.logger);
  }

  /**
   * Sends a committed operation in state `sent` and records its result.
   * @param prepared the object, if the caller has already loaded it
   * @returns the current state; undefined if another process recorded the result, or if it could
   *   not be recorded: the money may have moved, so that is not an error, and the resolver continues
   */
  async run(operation: Operation, prepared?: Subject<Of>): Promise<RecordedResult | undefined> {
    const subject = prepared ?? (await this.#ports.storage.load(operation));
    const call = { operation, subject };
    const result = await submitToProcessor(this.#ports, call, (late) => {
      void this.recordLate(operation, late);
    });
    try {
      return await this.record(operation, result, subject);
    } catch (error) {
      this.#ports.logger.error(
        { operation: operation.id, err: isError(error) ? error : undefined },
        'A result could not be recorded; the resolver asks for it again.',
      );
      return undefined;
    }
  }

  /**
   * Sends an operation whose intent was committed before, for example in a host's transaction, once.
   * @param prepared the object, if the caller has it in hand
   */
  async start(operation: Operation, prepared?: Subject<Of>): Promise<RecordedResult | undefined> {
    configuredProcessor(this.#ports.processors, operation);
    return this.submit(operation, submitted(operation, this.#ports.clock.now()), prepared);
  }

  /** Sends an operation (again), unless another process was first or it must not be sent any more. */
  async submit(
    operation: Operation,
    sent: Operation,
    prepared?: Subject<Of>,
  ): Promise<RecordedResult | undefined> {
    let begun: boolean;
    try {
      begun = await beginSending(this.#ports, operation, sent);
      this.#hookLog.forget(operation.id);
    } catch (error) {
      if (!HookError.is(error)) throw error;
      const happens = `The ${OPERATION_NOUNS[operation.kind]} is not sent, and canceling it is tried again`;
      this.#reportRefusal(error, operation, happens);
      return undefined;
    }
    return begun ? this.run(sent, prepared) : undefined;
  }

  /** Called after a host's transaction: does nothing if it was rolled back. Never throws. */
  async startAfterCommit(intent: Operation): Promise<void> {
    try {
      const operation = await this.#ports.storage.operations.find(intent, intent.id);
      if (operation?.state === 'created') await this.start(operation);
    } catch (error) {
      this.#ports.logger.warn(
        { operation: intent.id, err: isError(error) ? error : undefined },
        'A committed intent could not be started; the resolver continues.',
      );
    }
  }

  /**
   * Phase 3; never calls the processor again, whatever happens. Most results conflict with nothing
   * and need one statement. After a conflict the result is computed again under the root's row
   * lock, so that it waits for its turn instead of racing. It is a conflict too if a test clock advanced
   * since the subject was prepared.
   * @throws PaymountError `lock_timeout` if the lock did not come in time
   */
  async record(
    operation: Operation,
    result: CallResult,
    prepared?: Subject<Of>,
  ): Promise<RecordedResult | undefined> {
    const { storage, crashPoint, operator } = this.#ports;
    const subject = prepared ?? (await storage.load(operation));
    const at = await this.#resultTime(result);
    const conclude = (current: Operation, found: Subject<Of>): Of =>
      withReview(found.conclude(current, result, at), result, operator);
    try {
      const change = conclude(operation, subject);
      crashPoint('operation.before_result');
      const applied = await soon(storage.changes.apply(change));
      if (applied === 'applied') this.#logReview(change);
      const recorded =
        applied === 'applied' ? change : await this.#commitLocked(operation, result, conclude);
      this.#hookLog.forget(operation.id);
      crashPoint('operation.after_result');
      return recorded && { change: recorded, result };
    } catch (error) {
      if (!HookError.is(error)) throw error;
      try {
        return await this.#keepForHook(operation, result);
      } finally {
        const consequence = 'The result is kept and offered again';
        this.#reportRefusal(error, operation, consequence);
      }
    }
  }

  /**
   * Counts a result that could not be recorded, so that a person sees an operation of which no try succeeds.
   * What another process recorded meanwhile stays.
   */
  async countUnrecorded(operation: Operation, result: CallResult): Promise<void> {
    const { storage, clock, operator } = this.#ports;
    const { accountId, environment } = operation;
    const at = clock.now();
    const row = unrecorded(operation, result, at);
    const writes = [{ kind: 'operation', mode: 'update', row }] as const;
    const counted: OperationChange = { accountId, environment, at, writes };
    const change = withReview(counted, result, operator);
    if ((await storage.changes.apply(change)) === 'applied') this.#logReview(change);
  }

  #reportRefusal(error: HookError, operation: Operation, happens: string): void {
    const { id } = operation;
    this.#hookLog.report(error, {
      id,
      object: rootOf(operation),
      facts: { operation: id },
      consequence: `${happens}; \`paymount operations show ${id}\` shows it.`,
    });
  }

  /**
   * An answer after its deadline is the result of an open operation, and is stored for a closed one.
   * Never throws.
   */
  async recordLate(operation: Operation, result: CallResult | 'not_found'): Promise<void> {
    if (result === 'not_found' || result.outcome === 'unknown') return;
    try {
      await this.record(operation, result);
    } catch (error) {
      this.#ports.logger.error(
        { operation: operation.id, err: isError(error) ? error : undefined },
        'A late answer could not be recorded.',
      );
    }
  }

  /** Returns an unknown outcome, and stores the real one on the operation. */
  async #keepForHook(
    operation: Operation,
    result: CallResult,
  ): Promise<RecordedResult | undefined> {
    const at = this.#ports.clock.now();
    const unknown = { outcome: 'unknown' } as const;
    const change = await this.#commitLocked(operation, result, (fresh, subject) => {
      const open = subject.conclude(fresh, unknown, at);
      const others = open.writes.filter(({ kind }) => kind !== 'operation');
      const row = withResult(fresh, result, at);
      return { ...open, writes: [...others, { kind: 'operation', mode: 'update', row }] };
    });
    return change && { change, result: unknown };
  }

  /**
   * Commits the change that `decide` computes for an operation and its object, both read under the
   * row lock of its root. Locks: root, subject, operation.
   * @returns undefined if the operation is already resolved; a result that differs from the
   *   recorded one is then stored, and changes nothing else
   */
  async #commitLocked(
    operation: Operation,
    result: CallResult,
    decide: (fresh: Operation, subject: Subject<Of>) => Of,
  ): Promise<Of | OperationChange | undefined> {
    const { storage, clock, operator } = this.#ports;
    for (let tries = 1; ; tries += 1) {
      try {
        const done = await storage.locked(operation, async (rows) => {
          const fresh = await rows.operations.find(operation, operation.id);
          if (fresh === undefined) return undefined;
          const isOpen = isUnresolved(fresh);
          const subject = await rows.load(fresh);
          const change = isOpen
            ? decide(fresh, subject)
            : lateChange(fresh, subject, result, { at: clock.now(), operator });
          if (change) await applyIn(rows, change);
          return { change, isOpen };
        });
        if (done?.change) this.#logReview(done.change);
        return done?.isOpen ? done.change : undefined;
      } catch (error) {
        if (!isLockTimeout(error) || tries === MAX_TRIES) throw error;
      }
    }
  }

  /** Compares a processor's promised time with the time by which the wait will be counted. */
  async #resultTime({ outcome }: CallResult): Promise<Date> {
    const { storage, clock } = this.#ports;
    return outcome === 'pending' ? storage.operations.now() : clock.now();
  }

  /** Called after the commit, so that of several workers only the one that recorded it notifies. */
  #logReview(change: SubjectChange): void {
    const review = findReview(change);
    if (review) this.#ports.logger.error(review.facts, review.sentence);
  }
}

/** A lock that did not come in time is handled like a race. */
async function soon(applied: Promise<ChangeResult>): Promise<ChangeResult> {
  try {
    return await applied;
  } catch (error) {
    if (isLockTimeout(error)) return 'raced';
    throw error;
  }
}

function isLockTimeout(error: unknown): boolean {
  return PaymountError.is(error) && error.code === 'lock_timeout';
}
