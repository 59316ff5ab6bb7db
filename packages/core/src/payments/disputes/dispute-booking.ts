import type { DisputeRound } from '../../ledger/dispute-kinds.ts';
import { bookDispute, bookDisputeWon } from '../../ledger/dispute-recipes.ts';
import type { BalanceTransaction, LedgerFacts } from '../../ledger/ledger.ts';
import type { Fee } from '../../ledger/recipes.ts';
import type { Credit, Debit, Dispute, DisputeFacts } from './dispute.ts';

type Booked = Required<LedgerFacts>;

/**
 * Takes the amount of a chargeback, and the operator's fee.
 * @param facts in the round that takes it
 * @throws RangeError for an invalid fee
 */
export function debitDispute(
  facts: DisputeFacts,
  fee: Fee,
  at: Date,
): { readonly debit: Debit; readonly booked: Booked } {
  const { accountId, environment, id, round, amount, currency } = facts;
  const owner = { accountId, environment };
  const { posting, transaction } = bookDispute({
    owner,
    disputeId: id,
    round,
    amount,
    currency,
    fee,
    at,
  });
  return {
    debit: { transactionId: transaction.id, fee: fee.amount, feeDetails: fee.details, at },
    booked: { postings: [posting], balanceTransactions: [transaction] },
  };
}

/** Gives the amount of a chargeback back; the fee is kept. @param round the one that was won */
export function creditDispute(
  facts: DisputeFacts,
  round: DisputeRound,
  at: Date,
): { readonly credit: Credit; readonly booked: Booked } {
  const { accountId, environment, id, amount, currency } = facts;
  const owner = { accountId, environment };
  const { posting, transaction } = bookDisputeWon({
    owner,
    disputeId: id,
    round,
    amount,
    currency,
    at,
  });
  return {
    credit: { transactionId: transaction.id, at },
    booked: { postings: [posting], balanceTransactions: [transaction] },
  };
}

/** The balance transactions of a dispute, oldest first: they follow from its state. */
export function adjustmentsOf(dispute: Dispute): readonly BalanceTransaction[] {
  const earlier = dispute.earlier.flatMap(({ debit, credit }) => [
    taken(dispute, debit),
    given(dispute, credit),
  ]);
  if (!('debit' in dispute)) return earlier;
  const now = [...earlier, taken(dispute, dispute.debit)];
  return dispute.status === 'won' ? [...now, given(dispute, dispute.credit)] : now;
}

function taken(dispute: Dispute, debit: Debit): BalanceTransaction {
  return adjustment(dispute, 'dispute', debit, { amount: -BigInt(dispute.amount), ...debit });
}

function given(dispute: Dispute, credit: Credit): BalanceTransaction {
  const amount = BigInt(dispute.amount);
  return adjustment(dispute, 'dispute_won', credit, { amount, fee: 0, feeDetails: [] });
}

/** @param type the API shows those of all rounds as `adjustment` */
function adjustment(
  { accountId, environment, id, currency }: Dispute,
  type: 'dispute' | 'dispute_won',
  { transactionId, at }: Credit,
  { amount, fee, feeDetails }: Pick<Debit, 'fee' | 'feeDetails'> & { readonly amount: bigint },
): BalanceTransaction {
  return {
    accountId,
    environment,
    id: transactionId,
    type,
    sourceId: id,
    amount,
    currency,
    fee: BigInt(fee),
    feeDetails,
    status: 'available',
    availableOn: at,
    created: at,
  };
}
