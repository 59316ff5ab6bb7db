import type { Operation } from '../operations/operation.ts';
import type { PayoutStop } from './payout.ts';
import { type AccountStop, findAccountStop } from './payout-account.ts';
import type { PayoutContext } from './payout-context.ts';
import { canTake } from './payout-states.ts';
import type { PayoutChange } from './payout-storage.ts';
import { withdrawal } from './withdraw-payout.ts';

const STOPPED: Readonly<Record<AccountStop, string>> = {
  account_suspended: 'The account was suspended before the payout was sent.',
  payouts_disabled: 'The operator stopped payouts of the account before the payout was sent.',
};

/**
 * The change that cancels a payout instead of sending it, if since it was accepted the operator has
 * stopped its account, or another payout to its bank account has failed. Its amount is on the balance
 * again, and the answer of its operation says why.
 * @param context read under the locks of the account and the payout
 * @returns undefined if it may be sent
 */
export function withholdPayout(
  context: PayoutContext,
  operation: Operation,
  at: Date,
): PayoutChange | undefined {
  const { payout } = context;
  const stop = findStop(context);
  if (stop === undefined || !canTake('stopped', payout.status)) return undefined;
  const source = stop.code === 'bank_account_errored' ? 'processor' : 'operator';
  return {
    ...withdrawal(payout, operation, at, stop).change,
    operationAnswer: {
      operationId: operation.id,
      source,
      answer: { outcome: 'not_sent' },
      reason: stop.message,
      created: at,
    },
  };
}

function findStop({ account, destination }: PayoutContext): PayoutStop | undefined {
  const code = account && findAccountStop(account);
  if (code !== undefined) return { code, message: STOPPED[code] };
  if (destination.status !== 'errored') return undefined;
  const message = 'Another payout to the bank account failed before the payout was sent.';
  return { code: 'bank_account_errored', message };
}
