import { applyIn, isRaced } from '../../changes/commit.ts';
import { bookPayoutFailed } from '../../ledger/payout-recipes.ts';
import { clockField, timeOf } from '../object-clock.ts';
import { withdrawn } from '../operations/operation-states.ts';
import type { PaymentChange } from '../payment-change.ts';
import type { PaymentRepositories } from '../payment-storage.ts';
import { type Payout, type PayoutStop, toNextPayout } from './payout.ts';

/** What a withdrawal writes, without its operation. */
type WithdrawalFacts = Required<
  Pick<PaymentChange, 'writes' | 'postings' | 'balanceTransactions' | 'settled'>
>;

/**
 * The payout after it was withdrawn before it was sent.
 * @param stop why, if nobody asked for it
 */
export function withdraw(
  payout: Payout,
  at: Date,
  stop?: PayoutStop,
): { readonly payout: Payout; readonly facts: WithdrawalFacts } {
  const { id: payoutId, accountId, environment, amount, currency } = payout;
  const owner = { accountId, environment };
  const booking = bookPayoutFailed({ owner, payoutId, amount, currency, at }, 'payout_cancel');
  const row: Payout = {
    ...toNextPayout(payout),
    status: 'canceled',
    ...(stop && { stop }),
    failureBalanceTransactionId: booking.transaction.id,
  };
  const facts: WithdrawalFacts = {
    writes: [{ kind: 'payout', mode: 'update', row }],
    postings: [booking.posting],
    balanceTransactions: [booking.transaction],
    settled: { kind: 'payout', payout: row },
  };
  return { payout: row, facts };
}

/**
 * Cancels a payout that was not sent yet; its amount is on the balance again. Call it with the row of
 * the payout locked.
 * @param fieldsOf what the change has beside that
 * @returns undefined if it was sent or has ended; then nothing is written
 * @throws HookError if the hook of the host refuses it
 */
export async function withdrawPayout(
  rows: PaymentRepositories,
  payout: Payout,
  at: Date,
  fieldsOf: (row: Payout) => Pick<PaymentChange, 'claim' | 'response' | 'credential'> = () => ({}),
): Promise<Payout | undefined> {
  const operation = await rows.operations.findUnresolved(payout, payout.id);
  if (payout.status !== 'pending' || operation?.state !== 'created') return undefined;
  const { accountId, environment } = payout;
  const moved = withdraw(payout, timeOf(payout, at));
  const row = withdrawn(operation);
  try {
    await applyIn(rows, {
      ...{ accountId, environment, at, ...clockField(payout), ...moved.facts },
      writes: [...moved.facts.writes, { kind: 'operation', mode: 'update', row }],
      ...fieldsOf(moved.payout),
    });
  } catch (error) {
    // The payout is locked, so only its operation can have changed: a worker has begun to send it.
    if (isRaced(error)) return undefined;
    throw error;
  }
  return moved.payout;
}
