import type { Owner } from '../kernel/basics/environment.ts';
import {
  type ChargeId,
  newId,
  type OperationId,
  type PayoutId,
  type RefundId,
  type SettlementLineId,
} from '../kernel/basics/id.ts';
import type { BalanceTransaction, FeeDetail, LedgerEntry, Posting } from './ledger.ts';

/** The fee that Paymount's operator keeps of a charge. */
export interface Fee {
  /** Minor units, 0 to the amount. */
  readonly amount: number;
  /** Sum to the amount. */
  readonly details: readonly FeeDetail[];
}

/** A posting with the balance transaction that the merchant sees. */
export interface Booking {
  readonly posting: Posting;
  readonly transaction: BalanceTransaction;
}

/** The common part of both refund recipes: money leaves, or returns to, one limited account. */
export type RefundPool = 'pending' | 'available';

/**
 * Recipe `capture`: the processor owes us the gross; the merchant is owed the net.
 * @throws RangeError for an invalid fee; the charge stays open until the host has corrected its
 *   schedule
 */
export function bookCapture(facts: {
  readonly owner: Owner;
  /** `payment`: of a bank debit. */
  readonly type: 'charge' | 'payment';
  readonly chargeId: ChargeId;
  readonly amount: number;
  readonly currency: string;
  readonly fee: Fee;
  readonly availableOn: Date;
  readonly at: Date;
}): Booking {
  const gross = BigInt(facts.amount);
  const fee = BigInt(facts.fee.amount);
  const entries: LedgerEntry[] = [{ code: 'processor_clearing', amount: gross }];
  if (gross !== fee) entries.push({ code: 'pending', amount: fee - gross });
  if (fee !== 0n) entries.push({ code: 'fees_revenue', amount: -fee });
  return {
    posting: {
      id: newId('ltx'),
      kind: 'capture',
      sourceId: facts.chargeId,
      currency: facts.currency,
      entries,
      availableOn: facts.availableOn,
      created: facts.at,
    },
    transaction: {
      ...facts.owner,
      id: newId('txn'),
      type: facts.type,
      sourceId: facts.chargeId,
      amount: gross,
      fee,
      feeDetails: facts.fee.details,
      currency: facts.currency,
      status: 'pending',
      availableOn: facts.availableOn,
      created: facts.at,
    },
  };
}

/**
 * Recipe `processor_fee`: the processor owes us less; the merchant's balance does not change.
 * @param approval the processor's approval; without a fee nothing is posted
 * @param source the approved object: a charge that was captured or voided, a refund, a payout, or the
 *   operation that authorized a charge or answered a dispute: each of several may have its own fee; or
 *   the settlement line that told it
 */
export function bookProcessorFee(
  approval: { readonly fee?: number; readonly currency: string },
  source: ChargeId | RefundId | PayoutId | OperationId | SettlementLineId,
  at: Date,
): { readonly postings?: readonly Posting[] } {
  const amount = BigInt(approval.fee ?? 0);
  if (amount === 0n) return {};
  const posting: Posting = {
    id: newId('ltx'),
    kind: 'processor_fee',
    sourceId: source,
    currency: approval.currency,
    entries: [
      { code: 'processor_fees', amount },
      { code: 'processor_clearing', amount: -amount },
    ],
    availableOn: at,
    created: at,
  };
  return { postings: [posting] };
}

/** The arguments of both refund recipes. */
export interface RefundToBook {
  readonly owner: Owner;
  readonly refundId: RefundId;
  /** Minor units, above zero. */
  readonly amount: number;
  readonly currency: string;
  readonly pool: RefundPool;
  readonly availableOn: Date;
  readonly at: Date;
}

/** Recipe `refund`: the fee is kept, so the gross leaves the merchant's balance. */
export function bookRefund(facts: RefundToBook): Booking {
  return bookPool({ ...facts, kind: 'refund', amount: -BigInt(facts.amount), covered: true });
}

/** Recipe `refund_failure`: reverses the debits of the refund. */
export function bookRefundFailure(facts: RefundToBook): Booking {
  return bookPool({ ...facts, kind: 'refund_failure', amount: BigInt(facts.amount) });
}

/** Recipe `availability`: pending funds may be paid out from now on. */
export function bookAvailability(transaction: BalanceTransaction, at: Date): Posting | undefined {
  const net = transaction.amount - transaction.fee;
  if (net === 0n) return undefined;
  return {
    id: newId('ltx'),
    kind: 'availability',
    sourceId: transaction.id,
    currency: transaction.currency,
    entries: [
      { code: 'pending', amount: net },
      { code: 'available', amount: -net },
    ],
    // The tail of a covered refund may be added after a payout took the funds that covered it.
    ...(net < 0n ? { covered: true } : {}),
    availableOn: at,
    created: at,
  };
}

function bookPool(facts: {
  readonly owner: Owner;
  readonly refundId: RefundId;
  readonly kind: 'refund' | 'refund_failure';
  /** Signed, as the merchant sees it. */
  readonly amount: bigint;
  readonly currency: string;
  readonly pool: RefundPool;
  readonly covered?: true;
  readonly availableOn: Date;
  readonly at: Date;
}): Booking {
  return {
    posting: {
      id: newId('ltx'),
      kind: facts.kind,
      sourceId: facts.refundId,
      currency: facts.currency,
      entries: [
        { code: facts.pool, amount: -facts.amount },
        { code: 'processor_clearing', amount: facts.amount },
      ],
      ...(facts.covered === true ? { covered: true } : {}),
      availableOn: facts.availableOn,
      created: facts.at,
    },
    transaction: {
      ...facts.owner,
      id: newId('txn'),
      type: facts.kind,
      sourceId: facts.refundId,
      amount: facts.amount,
      fee: 0n,
      feeDetails: [],
      currency: facts.currency,
      status: facts.pool,
      availableOn: facts.availableOn,
      created: facts.at,
    },
  };
}
