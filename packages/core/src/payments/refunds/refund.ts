import type { Owner } from '../../kernel/basics/environment.ts';
import type {
  BalanceTransactionId,
  ChargeId,
  RefundId,
  TestClockId,
} from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';

export type RefundReason = 'duplicate' | 'fraudulent' | 'requested_by_customer';

export interface RefundFacts extends Owner {
  readonly id: RefundId;
  readonly version: number;
  readonly chargeId: ChargeId;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly reason: RefundReason | null;
  /** Null when the refund cancelled an authorization: no money had moved. */
  readonly balanceTransactionId: BalanceTransactionId | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly created: Date;
  /** That of its charge; absent: it is in the time that everybody shares. */
  readonly testClockId?: TestClockId;
  /** Who made it; absent if an earlier version wrote it, or nobody did. */
  readonly createdBy?: Maker;
}

export type RefundState =
  | { readonly status: 'pending' }
  | { readonly status: 'succeeded' }
  | {
      readonly status: 'failed';
      readonly failureReason: string;
      readonly failureBalanceTransactionId: BalanceTransactionId | null;
    }
  | {
      readonly status: 'canceled';
      readonly failureBalanceTransactionId: BalanceTransactionId | null;
    };

export type Refund = RefundFacts & RefundState;
export type RefundStatus = RefundState['status'];
