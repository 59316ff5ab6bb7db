import type { AuditAction, AuditFacts } from '../../changes/audit/audit.ts';
import { applyIn } from '../../changes/commit.ts';
import { hookRefusal } from '../../changes/hook-refusal.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { toDecision } from './decision.ts';
import type { Operation } from './operation.ts';
import type { OperationAnswer } from './operation-answer.ts';
import { type OperationChange, type SubjectChange, writtenOperation } from './operation-change.ts';
import type { OperationDismiss, OperationSettle } from './operation-input.ts';
import { toOperationResource } from './operation-resource.ts';
import { rootOf } from './operation-root.ts';
import { dismissed, isOpen, isUnresolved } from './operation-states.ts';
import type { OperationStorage } from './operation-storage.ts';
import type { LockedOperation } from './operation-subject.ts';

const NAME = { noun: 'operation', prefix: 'op' } as const;

export interface OperationPorts<Of extends SubjectChange> {
  readonly storage: OperationStorage<Of>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A person's decision, and its effect on the operation. */
interface Decided<Of extends SubjectChange> {
  readonly before: Operation;
  readonly after: Operation;
  readonly change: Of | OperationChange;
  readonly action: AuditAction;
  /** Additional fields of the audit row. */
  readonly facts: AuditFacts;
}

/** @param rows bound to the transaction that holds the lock */
type Decide<Of extends SubjectChange> = (
  operation: Operation,
  rows: LockedOperation<Of>,
) => Promise<Decided<Of>>;

/** Decisions of people about operations whose outcome no processor reported. */
export class OperationService<Of extends SubjectChange = SubjectChange> {
  readonly #ports: OperationPorts<Of>;

  constructor(ports: OperationPorts<Of>) {
    this.#ports = ports;
  }

  /**
   * Settles an operation as the processor would have: its subject, ledger, events, the
   * host's hook and the audit row commit together. Of two concurrent callers one succeeds.
   * @throws PaymountError `resource_missing`, `operation_not_open`, `hook_refused`,
   *   `hook_missing`, `parameter_missing`, `parameter_invalid`
   */
  async settle(call: Call, id: string, input: OperationSettle): Promise<Operation> {
    return this.#commit(call, id, async (before, rows) => {
      const at = this.#ports.clock.now();
      // Deadlines count by the database's time.
      assertOpen(before, await rows.operations.now());
      const subject = await rows.load(before);
      const result = toDecision(before, subject, input);
      // The captured amount is posted, which may be less than requested.
      const amount = result.outcome === 'approved' ? result.amount : before.amount;
      const change = subject.conclude({ ...before, amount }, result, at);
      const settled = writtenOperation(change);
      if (settled === undefined) throw new Error('A recorded result writes its operation.');
      const { as, reason, processor_reference: reference } = input;
      return {
        before,
        after: { ...settled, amount: before.amount },
        change: { ...change, operationAnswer: decided(before, result, { reason, at }) },
        action: 'operation.settle',
        facts: { as, amount, reason, ...(reference && { processor_reference: reference }) },
      };
    });
  }

  /**
   * Dismisses an answer that came after the operation was closed.
   * @throws PaymountError `resource_missing`, `operation_not_open`
   */
  async dismiss(call: Call, id: string, { reason }: OperationDismiss): Promise<Operation> {
    return this.#commit(call, id, async (before) => {
      const at = this.#ports.clock.now();
      const isUnsettled = before.state === 'quarantined' || isUnresolved(before);
      if (isUnsettled || before.reviewSince === undefined) {
        const why = isUnsettled
          ? `is ${before.state}; settle it instead`
          : 'has no late answer to dismiss';
        throw new PaymountError('operation_not_open', `Operation ${before.id} ${why}.`);
      }
      const after = dismissed(before);
      const { accountId, environment } = before;
      const writes = [{ kind: 'operation', mode: 'update', row: after }] as const;
      return {
        before,
        after,
        action: 'operation.dismiss',
        facts: { reason },
        change: { accountId, environment, at, writes },
      };
    });
  }

  /**
   * Decides under the row lock of the root, and commits two changes in one transaction: the
   * operation's change, which may finish the key of the request that caused it, and the caller's
   * own key and audit row.
   */
  async #commit(call: Call, id: string, decide: Decide<Of>): Promise<Operation> {
    const { storage, logger } = this.#ports;
    const owner = ownerOf(call);
    const known = await findOrThrow(NAME, id, (each) => storage.operations.find(owner, each));
    try {
      return await storage.locked(known, async (rows) => {
        const before = (await rows.operations.find(known, known.id)) ?? known;
        const decided = await decide(before, rows);
        const { change, after } = decided;
        await applyIn(rows, change);
        await applyIn(rows, {
          ...owner,
          at: change.at,
          writes: [],
          ...resourceFields(call, toOperationResource(after)),
          ...toAuditEntry(call, decided),
        });
        return after;
      });
    } catch (error) {
      const consequence = 'A person had settled it; nothing was recorded.';
      const told = { object: rootOf(known), consequence, facts: { operation: known.id } };
      throw hookRefusal(error, logger, told);
    }
  }
}

function assertOpen(operation: Operation, now: Date): void {
  const { id, state, deadlineAt } = operation;
  if (isOpen(operation, now)) return;
  const isClosed = state === 'done' || state === 'failed';
  throw new PaymountError(
    'operation_not_open',
    isClosed
      ? `Operation ${id} is ${state}; it is already settled.`
      : `Operation ${id} may still be answered; it can be settled from ${deadlineAt.toISOString()} on.`,
  );
}

function decided(
  { id }: Operation,
  answer: OperationAnswer['answer'],
  { reason, at }: { readonly reason: string; readonly at: Date },
): OperationAnswer {
  return { operationId: id, source: 'operator', answer, reason: reason.trim(), created: at };
}

function toAuditEntry(
  call: Call,
  { before, after, action, facts, change }: Decided<SubjectChange>,
) {
  if (call.audit === undefined) return {};
  return {
    audit: {
      ...call.audit,
      ...ownerOf(call),
      action,
      target: after.id,
      before: { state: before.state },
      after: { state: after.state, ...facts },
      created: change.at,
    },
  };
}
