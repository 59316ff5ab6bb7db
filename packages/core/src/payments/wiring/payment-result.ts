import type { ChargeResult } from '../charges/charge-storage.ts';
import type { DisputeResult } from '../disputes/dispute-storage.ts';
import type { PayoutResult } from '../payouts/payout-storage.ts';
import type { RefundResult } from '../refunds/refund-storage.ts';

/** What the host's hook gets about payments. */
export type PaymentResult = ChargeResult | RefundResult | DisputeResult | PayoutResult;
