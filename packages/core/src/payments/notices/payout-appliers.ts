import { parseId } from '../../kernel/basics/id.ts';
import type { Operation } from '../operations/operation.ts';
import type { CallResult } from '../operations/outcome.ts';
import { loadPayout } from '../payouts/payout-context.ts';
import { returnPayout } from '../payouts/payout-result.ts';
import type { NoticeOf } from '../processor/notice.ts';
import {
  already,
  contradiction,
  early,
  type NoticeAppliers,
  type NoticeDecision,
  recordNoticed,
} from './notice-applier.ts';
import type { NoticeRepositories } from './notice-storage.ts';

/**
 * The appliers of outcomes of payouts. A notice gives an open payout its result, as a look-up does; one
 * that was paid may still be returned.
 */
export const PAYOUT_APPLIERS: Pick<
  NoticeAppliers['ofOperations'],
  'payout.paid' | 'payout.failed'
> = {
  'payout.paid': async (notice, operation, rows, at) => {
    switch (operation.state) {
      case 'created':
        return early(`${nameOf(operation)} is not sent yet.`);
      case 'sent':
      case 'unknown':
        return decidePaid(notice, operation, (result) =>
          recordNoticed({ operation, rows, at }, result),
        );
      case 'done':
        return operation.outcome?.outcome === 'approved'
          ? decidePaidAgain(operation, rows)
          : contradiction(`${nameOf(operation)} was rejected.`);
      case 'failed':
      case 'quarantined':
        return unexpected(operation);
    }
  },
  'payout.failed': async (notice, operation, rows, at) => {
    const refusal = toRefusal(notice);
    switch (operation.state) {
      case 'created':
        return early(`${nameOf(operation)} is not sent yet.`);
      case 'sent':
      case 'unknown':
        return recordNoticed({ operation, rows, at }, refusal);
      case 'done':
        return operation.outcome?.outcome === 'approved'
          ? decideReturned(operation, rows, refusal, at)
          : already();
      case 'failed':
        return already();
      case 'quarantined':
        return unexpected(operation);
    }
  },
};

async function decidePaid(
  { processorReference }: NoticeOf<'payout.paid'>,
  operation: Operation,
  record: (result: CallResult) => Promise<NoticeDecision>,
): Promise<NoticeDecision> {
  const reference = processorReference ?? operation.processorReference;
  if (reference === undefined) {
    return early(`The look-up of ${nameOf(operation)} must find its reference first.`);
  }
  const { amount, currency } = operation;
  return record({ outcome: 'approved', processorReference: reference, amount, currency });
}

/** The amount of a payout that was returned is on the balance again. */
async function decidePaidAgain(
  operation: Operation,
  rows: NoticeRepositories,
): Promise<NoticeDecision> {
  const { payout } = await loadPayout(rows, operation);
  return payout.status === 'failed'
    ? contradiction(`Payout ${payout.id} was returned.`)
    : already();
}

async function decideReturned(
  operation: Operation,
  rows: NoticeRepositories,
  refusal: Extract<CallResult, { outcome: 'declined' }>,
  at: Date,
): Promise<NoticeDecision> {
  const context = await loadPayout(rows, operation);
  if (context.payout.status === 'failed') return already();
  const change = returnPayout(context, operation, refusal, at);
  return change
    ? { decision: 'applied', change }
    : contradiction(`Payout ${context.payout.id} is ${context.payout.status}.`);
}

function toRefusal({
  data: { code, message },
  processorReference,
}: NoticeOf<'payout.failed'>): Extract<CallResult, { outcome: 'declined' }> {
  const named = processorReference === undefined ? {} : { processorReference };
  return { outcome: 'declined', code, declineCode: code, message, retry: 'never', ...named };
}

function nameOf({ id, subjectId }: Operation): string {
  return `Operation ${id} of ${parseId('po', subjectId) ?? 'a payout'}`;
}

function unexpected(operation: Operation): NoticeDecision {
  return contradiction(
    operation.state === 'quarantined'
      ? `${nameOf(operation)} waits for a person too; settle it first.`
      : `${nameOf(operation)} counts as not executed.`,
  );
}
