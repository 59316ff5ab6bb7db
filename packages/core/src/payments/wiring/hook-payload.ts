import type { ChargeResult } from '../charges/charge-storage.ts';
import type { DisputeResult } from '../disputes/dispute-storage.ts';
import type { PayoutResult } from '../payouts/payout-storage.ts';
import type { RefundResult } from '../refunds/refund-storage.ts';

/** The argument of the host's hook, inside the transaction that records the result. */
export type HookPayload = ChargeResult | RefundResult | DisputeResult | PayoutResult;
