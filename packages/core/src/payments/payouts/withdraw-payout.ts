import { applyIn, isRaced } from '../../changes/commit.ts';
import { bookPayoutFailed } from '../../ledger/payout-recipes.ts';
import type { Operation } from '../operations/operation.ts';
import { withdrawn } from '../operations/operation-states.ts';
import { clockField, timeOf } from '../test-clocks/object-clock.ts';
import { type Payout, type PayoutStop, toNextPayout } from './payout.ts';
import type { PayoutChange, PayoutRepositories } from './payout-storage.ts';

/**
 * The change that cancels a payout before it is sent; its amount is on the balance again.
 * @param operation its intent
 * @param stop why, if nobody asked for it
 */
export function withdrawal(
  payout: Payout,
  operation: Operation,
  at: Date,
  stop?: PayoutStop,
): { readonly payout: Payout; readonly change: PayoutChange } {
  const { id: payoutId, accountId, environment, amount, currency } = payout;
  const owner = { accountId, environment };
  const facts = { owner, payoutId, amount, currency, at: timeOf(payout, at) };
  const booking = bookPayoutFailed(facts, 'payout_cancel');
  const row: Payout = {
    ...toNextPayout(payout),
    status: 'canceled',
    ...(stop && { stop }),
    failureBalanceTransactionId: booking.transaction.id,
  };
  const change: PayoutChange = {
    ...owner,
    at,
    ...clockField(payout),
    writes: [
      { kind: 'payout', mode: 'update', row },
      { kind: 'operation', mode: 'update', row: withdrawn(operation) },
    ],
    postings: [booking.posting],
    balanceTransactions: [booking.transaction],
    settled: { kind: 'payout', payout: row },
  };
  return { payout: row, change };
}

/**
 * Cancels a payout that was not sent yet; its amount is on the balance again. Call it with the row of
 * the payout locked.
 * @param fieldsOf what the change has beside that
 * @returns undefined if it was sent or has ended; then nothing is written
 * @throws HookError if the hook of the host refuses it
 */
export async function withdrawPayout(
  rows: PayoutRepositories,
  payout: Payout,
  at: Date,
  fieldsOf: (row: Payout) => Pick<PayoutChange, 'claim' | 'response' | 'credential'> = () => ({}),
): Promise<Payout | undefined> {
  const operation = await rows.operations.findUnresolved(payout, payout.id);
  if (payout.status !== 'pending' || operation?.state !== 'created') return undefined;
  const canceled = withdrawal(payout, operation, at);
  try {
    await applyIn(rows, { ...canceled.change, ...fieldsOf(canceled.payout) });
  } catch (error) {
    // The payout is locked, so only its operation can have changed: a worker has begun to send it.
    if (isRaced(error)) return undefined;
    throw error;
  }
  return canceled.payout;
}
