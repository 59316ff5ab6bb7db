import type { Owner } from '../kernel/basics/environment.ts';
import type {
  AdjustmentId,
  BalanceTransactionId,
  ChargeId,
  DisputeId,
  LedgerTransactionId,
  OperationId,
  PayoutId,
  RefundId,
  SettlementLineId,
} from '../kernel/basics/id.ts';
import { describeMoney } from '../kernel/input/currency.ts';
import {
  DISPUTE_KINDS,
  DISPUTE_WON_KINDS,
  type DisputeKind,
  type DisputeWonKind,
} from './dispute-kinds.ts';

/**
 * The accounts per merchant, currency and environment. `pending`, `available` and `reserved` limit
 * payments out, and have a stored balance (credits raise it); the others are sums of their entries.
 */
export type LedgerCode =
  | 'processor_clearing'
  | 'bank'
  | 'pending'
  | 'available'
  | 'reserved'
  | 'payouts_in_transit'
  | 'fees_revenue'
  | 'processor_fees'
  | 'losses';

export interface LedgerEntry {
  readonly code: LedgerCode;
  /** Debits are positive, credits negative; never zero. */
  readonly amount: bigint;
}

export type LedgerKind =
  | 'capture'
  | 'processor_fee'
  | 'availability'
  | 'refund'
  | 'refund_failure'
  | 'payout'
  | 'payout_paid'
  | 'payout_failed'
  | 'payout_returned'
  | DisputeKind
  | DisputeWonKind
  | 'reserve'
  | 'release'
  | 'write_off'
  | 'settlement';

/** One balanced ledger transaction; posting the same (kind, sourceId) twice writes nothing. */
export interface Posting {
  readonly id: LedgerTransactionId;
  readonly kind: LedgerKind;
  readonly sourceId:
    | ChargeId
    | RefundId
    | PayoutId
    | DisputeId
    | BalanceTransactionId
    | OperationId
    | AdjustmentId
    | SettlementLineId;
  readonly currency: string;
  /** Sums to zero. */
  readonly entries: readonly LedgerEntry[];
  /**
   * A covered debit may take `available` below zero; that amount is its debt. Any other debit of
   * `available` is refused if the balance does not cover it.
   */
  readonly covered?: true;
  readonly availableOn: Date;
  readonly created: Date;
}

/** A posting in a batch for several owners. */
export type OwnedPosting = Posting & Owner;

/** The API shows those of disputes and of admins as `adjustment`. */
export const BALANCE_TRANSACTION_TYPES = [
  'charge',
  'payment',
  'refund',
  'refund_failure',
  'payout',
  'payout_failure',
  'payout_cancel',
  ...DISPUTE_KINDS,
  ...DISPUTE_WON_KINDS,
  'reserve',
  'release',
  'write_off',
] as const;
export type BalanceTransactionType = (typeof BALANCE_TRANSACTION_TYPES)[number];

export interface BalanceTransaction extends Owner {
  readonly id: BalanceTransactionId;
  readonly type: BalanceTransactionType;
  readonly sourceId: ChargeId | RefundId | PayoutId | DisputeId | AdjustmentId;
  /** Signed gross, minor units; net is amount - fee. */
  readonly amount: bigint;
  readonly fee: bigint;
  readonly feeDetails: readonly FeeDetail[];
  readonly currency: string;
  readonly status: 'pending' | 'available';
  /** The automatic payout that contains it; on the debit of an automatic payout, its own id. */
  readonly payoutId?: PayoutId;
  readonly availableOn: Date;
  readonly created: Date;
}

export interface FeeDetail {
  readonly amount: number;
  readonly type: string;
  readonly description: string;
}

export interface CurrencyBalance {
  readonly currency: string;
  readonly pending: bigint;
  readonly available: bigint;
  readonly reserved: bigint;
}

/**
 * What may leave a balance. Refunds of charges whose funds are still pending can take `pending` below
 * zero, by the fees that are kept: available funds cover them, and stay until then.
 * @returns minor units; below zero what the merchant owes
 */
export function payableOf({ available, pending }: CurrencyBalance): bigint {
  return pending < 0n ? available + pending : available;
}

/** Ends the sentence "9.00 EUR ...", about what {@link payableOf} returns. */
export function describePayable({ pending, currency }: CurrencyBalance): string {
  return pending < 0n
    ? `are available besides the ${describeMoney(-pending, currency)} that cover refunds of pending charges`
    : 'are available';
}

/** A balance, and where its money comes from. */
export interface BalanceWithSources extends CurrencyBalance {
  /** The part of `pending` that bank debits brought, without their refunds. */
  readonly pendingOfBanks: bigint;
}

/** The fields of a change that book money. */
export interface LedgerFacts {
  readonly postings?: readonly Posting[];
  readonly balanceTransactions?: readonly BalanceTransaction[];
}
