import type { Environment, Owner } from '../../kernel/basics/environment.ts';
import type { OperationId } from '../../kernel/basics/id.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { OPERATION_DEADLINE_MS } from '../processor/deadline.ts';
import { lookUpAtProcessor } from './call-processor.ts';
import { configuredProcessor } from './configured-processor.ts';
import { hideLookedUpNumber } from './hide-looked-up-number.ts';
import { LockedAccounts } from './locked-accounts.ts';
import type { Operation } from './operation.ts';
import type { OperationChange, SubjectChange } from './operation-change.ts';
import type { OperationRunner, RunnerPorts } from './operation-runner.ts';
import { countNotFound, isUnresolved, NOT_FOUNDS_NEEDED, submitted } from './operation-states.ts';
import type { CallResult } from './outcome.ts';

/**
 * Operations of one environment at a time. A processor that hangs blocks only its own slots. Those
 * of both environments are fewer than the pool's connections, so that requests always get one.
 */
const SLOTS = 4;
/** Longer than a look-up and its commit, so that two resolvers never hold one operation. */
const LEASE_MS = 2 * OPERATION_DEADLINE_MS;

/**
 * Finds and records the results of operations after a crash, a timeout or a refused hook: it asks the
 * processor, and never deletes or re-keys anything because a call threw.
 */
export class Resolver<Of extends SubjectChange = SubjectChange> {
  readonly #ports: RunnerPorts<Of>;
  readonly #runner: OperationRunner<Of>;
  readonly #locked: LockedAccounts;

  constructor(ports: RunnerPorts<Of>, runner: OperationRunner<Of>) {
    this.#ports = ports;
    this.#locked = new LockedAccounts(ports);
    this.#runner = runner;
  }

  /** Handles the due operations of an environment. @returns how many operations it looked at */
  async sweep(environment: Environment): Promise<number> {
    const { operations } = this.#ports.storage;
    const due = await operations.claimDue({ environment, limit: SLOTS, leaseMs: LEASE_MS });
    await Promise.all(due.map((operation) => this.#guarded(operation)));
    return due.length;
  }

  /**
   * Continues one operation for a request that took over an expired idempotency lock. It keeps the
   * schedule: two look-ups without a result count only if time has passed between them.
   */
  async resume(owner: Owner, id: OperationId): Promise<void> {
    const { operations } = this.#ports.storage;
    const operation = await operations.find(owner, id);
    if (operation === undefined || !isUnresolved(operation)) return;
    const { nextLookupAt = operation.deadlineAt } = operation;
    const now = await operations.now();
    if (nextLookupAt.getTime() <= now.getTime()) await this.#resolve(operation);
  }

  /** Its lease brings back an operation whose account is locked. */
  async #guarded(operation: Operation): Promise<void> {
    if (this.#locked.has(operation.accountId)) return;
    try {
      await this.#resolve(operation);
    } catch (error) {
      if (this.#locked.note(operation.accountId, error)) return;
      this.#ports.logger.error(
        { operation: operation.id, err: isError(error) ? error : undefined },
        'An operation could not be resolved; Paymount tries again.',
      );
    }
  }

  async #resolve(operation: Operation): Promise<void> {
    if (operation.state === 'created') {
      await this.#runner.start(operation);
      return;
    }
    if (operation.outcome !== undefined) {
      await this.#record(operation, operation.outcome);
      return;
    }
    const told = await lookUpAtProcessor(this.#ports, operation, (late) => {
      void this.#recordLate(operation, late);
    });
    const found = await hideLookedUpNumber(this.#ports, operation, told);
    if (found !== 'not_found') await this.#record(operation, found);
    else if (operation.processorReference === undefined) await this.#onNotFound(operation);
    // It said before that it has it, so it may execute it: neither failed nor sent again.
    else await this.#record(operation, { outcome: 'unknown' });
  }

  /** Each try that fails counts, as a look-up without an answer does. A lock that did not come in time says nothing. */
  async #record(operation: Operation, result: CallResult): Promise<void> {
    try {
      await this.#runner.record(operation, result);
    } catch (error) {
      const isLocked = PaymountError.is(error) && error.code === 'lock_timeout';
      if (!isLocked) await this.#runner.countUnrecorded(operation, result);
      throw error;
    }
  }

  async #recordLate(operation: Operation, late: CallResult | 'not_found'): Promise<void> {
    await this.#runner.recordLate(
      operation,
      await hideLookedUpNumber(this.#ports, operation, late),
    );
  }

  async #onNotFound(operation: Operation): Promise<void> {
    const { processors, storage, clock } = this.#ports;
    const { idempotentSubmit } = configuredProcessor(processors, operation).capabilities;
    const now = clock.now();
    const counted = countNotFound(operation, now);
    if (counted.notFounds < NOT_FOUNDS_NEEDED) {
      await storage.changes.apply(this.#only(counted, now));
      return;
    }
    if (!idempotentSubmit) {
      await this.#record(operation, { outcome: 'not_sent' });
      return;
    }
    await this.#runner.submit(operation, { ...submitted(operation, now), notFounds: 0 });
  }

  #only(row: Operation, at: Date): OperationChange {
    const { accountId, environment } = row;
    return { accountId, environment, at, writes: [{ kind: 'operation', mode: 'update', row }] };
  }
}
