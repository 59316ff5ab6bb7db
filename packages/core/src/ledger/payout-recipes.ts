import type { Owner } from '../kernel/basics/environment.ts';
import { newId, type PayoutId } from '../kernel/basics/id.ts';
import type { BalanceTransactionType, LedgerCode, LedgerKind, Posting } from './ledger.ts';
import type { Booking } from './recipes.ts';

/** The arguments of the recipes of a payout. */
export interface PayoutToBook {
  readonly owner: Owner;
  readonly payoutId: PayoutId;
  /** Minor units, above zero. */
  readonly amount: number;
  readonly currency: string;
  readonly at: Date;
}

/**
 * Recipe `payout`: the amount leaves the balance when the payout is accepted. The database refuses it
 * if the balance does not cover it.
 */
export function bookPayout(facts: PayoutToBook & { readonly isAutomatic?: true }): Booking {
  const posting = post(facts, 'payout', { debit: 'available', credit: 'payouts_in_transit' });
  const transaction = line(facts, 'payout', -facts.amount);
  // Marked with its own payout, so that no later payout contains it.
  const marked = facts.isAutomatic ? { ...transaction, payoutId: facts.payoutId } : transaction;
  return { posting, transaction: marked };
}

/** Recipe `payout_paid`: the money was handed to the bank; the merchant's balance does not change. */
export function bookPayoutPaid(facts: PayoutToBook): Posting {
  return post(facts, 'payout_paid', { debit: 'payouts_in_transit', credit: 'bank' });
}

/**
 * Recipe `payout_failed`: the amount returns to the balance before it was handed to the bank.
 * @param type `payout_cancel` if somebody withdrew the payout
 */
export function bookPayoutFailed(
  facts: PayoutToBook,
  type: 'payout_failure' | 'payout_cancel',
): Booking {
  const posting = post(facts, 'payout_failed', {
    debit: 'payouts_in_transit',
    credit: 'available',
  });
  return { posting, transaction: line(facts, type, facts.amount) };
}

/** Recipe `payout_returned`: the bank sent the money back. */
export function bookPayoutReturned(facts: PayoutToBook): Booking {
  const posting = post(facts, 'payout_returned', { debit: 'bank', credit: 'available' });
  return { posting, transaction: line(facts, 'payout_failure', facts.amount) };
}

function post(
  { payoutId, amount, currency, at }: PayoutToBook,
  kind: LedgerKind,
  { debit, credit }: { readonly debit: LedgerCode; readonly credit: LedgerCode },
): Posting {
  return {
    id: newId('ltx'),
    kind,
    sourceId: payoutId,
    currency,
    entries: [
      { code: debit, amount: BigInt(amount) },
      { code: credit, amount: -BigInt(amount) },
    ],
    availableOn: at,
    created: at,
  };
}

/** Available at once: the recipes post to no pending funds. */
function line(
  { owner, payoutId, currency, at }: PayoutToBook,
  type: BalanceTransactionType,
  amount: number,
): Booking['transaction'] {
  return {
    ...owner,
    id: newId('txn'),
    type,
    sourceId: payoutId,
    amount: BigInt(amount),
    fee: 0n,
    feeDetails: [],
    currency,
    status: 'available',
    availableOn: at,
    created: at,
  };
}
