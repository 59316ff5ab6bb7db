import type { Operation } from '../operations/operation.ts';
import type { PaymentChange } from '../payment-change.ts';
import type { Payout, PayoutStop } from './payout.ts';
import type { PayoutAccount } from './payout-account.ts';
import { canTake } from './payout-states.ts';
import { withdrawal } from './withdraw-payout.ts';

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
  return {
    ...withdrawal(payout, operation, at, stop).change,
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
