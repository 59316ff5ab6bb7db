import type { BalanceTransaction, LedgerFacts } from '../../ledger/ledger.ts';
import { bookDispute, bookDisputeWon, type Fee } from '../../ledger/recipes.ts';
import type { Credit, Debit, Dispute, DisputeFacts } from './dispute.ts';

type Booked = Required<LedgerFacts>;

/** Takes the amount of a chargeback, and the operator's fee. @throws RangeError for an invalid fee */
export function debitDispute(
  facts: DisputeFacts,
  fee: Fee,
  at: Date,
): { readonly debit: Debit; readonly booked: Booked } {
  const { accountId, environment, id, amount, currency } = facts;
  const owner = { accountId, environment };
  const { posting, transaction } = bookDispute({
    owner,
    disputeId: id,
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

/** Gives the amount of a chargeback back; the fee is kept. */
export function creditDispute(
  facts: DisputeFacts,
  at: Date,
): { readonly credit: Credit; readonly booked: Booked } {
  const { accountId, environment, id, amount, currency } = facts;
  const owner = { accountId, environment };
  const { posting, transaction } = bookDisputeWon({
    owner,
    disputeId: id,
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
  if (!('debit' in dispute)) return [];
  const { debit } = dispute;
  const taken = adjustment(dispute, 'dispute', debit, -BigInt(dispute.amount), debit);
  if (dispute.status !== 'won') return [taken];
  return [taken, adjustment(dispute, 'dispute_won', dispute.credit, BigInt(dispute.amount))];
}

function adjustment(
  { accountId, environment, id, currency }: Dispute,
  type: 'dispute' | 'dispute_won',
  { transactionId, at }: Credit,
  amount: bigint,
  fee: Pick<Debit, 'fee' | 'feeDetails'> = { fee: 0, feeDetails: [] },
): BalanceTransaction {
  return {
    accountId,
    environment,
    id: transactionId,
    type,
    sourceId: id,
    amount,
    currency,
    fee: BigInt(fee.fee),
    feeDetails: fee.feeDetails,
    status: 'available',
    availableOn: at,
    created: at,
  };
}
