import { HookError } from '../../changes/change.ts';
import { applyIn, isRaced } from '../../changes/commit.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { OPERATION_NOUNS } from '../processor/processor.ts';
import type { Operation } from './operation.ts';
import type { OperationChange, SubjectChange } from './operation-change.ts';
import { postponed, withheldByHook } from './operation-states.ts';
import type { OperationStorage } from './operation-storage.ts';

export interface SendingPorts<Of extends SubjectChange> {
  readonly storage: OperationStorage<Of>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Commits that an operation is on its way, before it is sent. Some are accepted long before that: under
 * the locks of what decides it, it is checked whether they may still be sent, and otherwise they are
 * withdrawn.
 * @param operation as it was read
 * @param sent the same as it is submitted (again)
 * @returns whether to send it: false if it was withdrawn or must wait, or if another process was first
 * @throws HookError if the host's hook refuses the withdrawal; the operation then waits, unsent, and
 *   operators see since when
 */
export async function beginSending<Of extends SubjectChange>(
  { storage, clock, logger }: SendingPorts<Of>,
  operation: Operation,
  sent: Operation,
): Promise<boolean> {
  const at = clock.now();
  const { id, kind } = operation;
  const start = changeTo(sent, at);
  const checked = storage.lockedToSend(operation, async (rows) => {
    const subject = await rows.load(operation);
    const change = subject.withhold?.(operation, at);
    const until = change === undefined ? subject.heldUntil?.(at) : undefined;
    const waiting = until && changeTo(postponedFurther(operation, until), at);
    await applyIn(rows, change ?? waiting ?? start);
    return { change, until };
  });
  if (checked === undefined) return (await storage.changes.apply(start)) === 'applied';
  try {
    const { change, until } = await checked;
    if (until !== undefined) {
      logger.info(
        { operation: id, until: until.toISOString() },
        `A ${OPERATION_NOUNS[kind]} is held.`,
      );
      return false;
    }
    if (change === undefined) return true;
    const reason = change.operationAnswer?.reason;
    const sentence = `A ${OPERATION_NOUNS[kind]} was canceled instead of sent.`;
    logger.warn({ operation: id, reason }, sentence);
    return false;
  } catch (error) {
    if (isRaced(error)) return false;
    if (HookError.is(error) && operation.reviewSince === undefined) {
      await storage.changes.apply(changeTo(withheldByHook(operation, at), at));
    }
    throw error;
  }
}

/** The next version of an intent that waits further. */
function postponedFurther(operation: Operation, until: Date): Operation {
  return postponed({ ...operation, version: operation.version + 1 }, until);
}

function changeTo(row: Operation, at: Date): OperationChange {
  const { accountId, environment } = row;
  return { accountId, environment, at, writes: [{ kind: 'operation', mode: 'update', row }] };
}
