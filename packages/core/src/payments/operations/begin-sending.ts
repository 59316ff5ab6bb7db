import { HookError } from '../../changes/change.ts';
import { applyIn, isRaced } from '../../changes/commit.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import type { PaymentChange } from '../payment-change.ts';
import type { PaymentStorage } from '../payment-storage.ts';
import type { Operation } from './operation.ts';
import { lockRoot } from './operation-root.ts';
import { withheldByHook } from './operation-states.ts';
import type { SubjectLoaders } from './operation-subject.ts';

export interface SendingPorts {
  readonly storage: PaymentStorage;
  readonly subjects: SubjectLoaders;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Commits that an operation is on its way, before it is sent. A payout is accepted some time before
 * that: under the lock of its account it is checked whether it may still be sent, and otherwise it is
 * withdrawn.
 * @param operation as it was read
 * @param sent the same as it is submitted (again)
 * @returns whether to send it: false if it was withdrawn, or if another process was first
 * @throws HookError if the host's hook refuses the withdrawal; the operation then waits, unsent, and
 *   operators see since when
 */
export async function beginSending(
  { storage, subjects, clock, logger }: SendingPorts,
  operation: Operation,
  sent: Operation,
): Promise<boolean> {
  const at = clock.now();
  const { id, kind, accountId, environment } = operation;
  const start: PaymentChange = {
    ...{ accountId, environment, at },
    writes: [{ kind: 'operation', mode: 'update', row: sent }],
  };
  if (kind !== 'payout') return (await storage.changes.apply(start)) === 'applied';
  try {
    const withheld = await storage.transaction(async (rows) => {
      // A suspension that has not committed yet is waited for; a later one waits for this commit.
      await rows.payoutAccounts.findForUpdate(accountId);
      await lockRoot(rows, operation);
      const subject = await subjects.payout(operation, rows);
      const change = subject.withhold?.(operation, at);
      await applyIn(rows, change ?? start);
      return change;
    });
    if (withheld === undefined) return true;
    const reason = withheld.operationAnswer?.reason;
    logger.warn({ operation: id, reason }, 'A payout was canceled instead of sent.');
    return false;
  } catch (error) {
    if (isRaced(error)) return false;
    if (HookError.is(error) && operation.reviewSince === undefined) {
      const row = withheldByHook(operation, at);
      await storage.changes.apply({
        ...start,
        writes: [{ kind: 'operation', mode: 'update', row }],
      });
    }
    throw error;
  }
}
