import { bookPayoutFailed } from '../../ledger/payout-recipes.ts';
import { clockField, timeOf } from '../object-clock.ts';
import type { Operation } from '../operations/operation.ts';
import { withdrawn } from '../operations/operation-states.ts';
import type { PaymentChange } from '../payment-change.ts';
import { type Payout, type PayoutStop, toNextPayout } from './payout.ts';
import type { PayoutAccount } from './payout-account.ts';
import { canTake } from './payout-states.ts';

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
 * The change that cancels a payout instead of sending it, if the operator has stopped its account since
 * it was accepted. Its amount is on the balance again, and the answer of its operation says why.
 * @param context both read under the locks of the account and the payout
 * @returns undefined if it may be sent
 */
export function withholdPayout(
  { payout, account }: { readonly payout: Payout; readonly account: PayoutAccount | undefined },
  operation: Operation,
  at: Date,
): PaymentChange | undefined {
  const stop = account && findStop(account);
  if (stop === undefined || !canTake('stopped', payout.status)) return undefined;
  const { facts } = withdraw(payout, timeOf(payout, at), stop);
  const { accountId, environment } = payout;
  const row = withdrawn(operation);
  return {
    ...{ accountId, environment, at, ...clockField(payout), ...facts },
    writes: [...facts.writes, { kind: 'operation', mode: 'update', row }],
    operationAnswer: {
      ...{ operationId: operation.id, source: 'operator', answer: { outcome: 'not_sent' } },
      ...{ reason: stop.message, created: at },
    },
  };
}

function findStop({ isSuspended, payoutsEnabled }: PayoutAccount): PayoutStop | undefined {
  if (isSuspended) {
    const message = 'The account was suspended before the payout was sent.';
    return { code: 'account_suspended', message };
  }
  if (payoutsEnabled) return undefined;
  const message = 'The operator stopped payouts of the account before the payout was sent.';
  return { code: 'payouts_disabled', message };
}
