import type { Charge } from './charges/charge.ts';
import type { Dispute } from './disputes/dispute.ts';
import type { Payout } from './payouts/payout.ts';
import type { Refund } from './refunds/refund.ts';

/** The argument of the host's hook, inside the transaction that records the result. */
export type HookPayload =
  | { readonly kind: 'charge'; readonly charge: Charge }
  | { readonly kind: 'refund'; readonly refund: Refund; readonly charge: Charge }
  | { readonly kind: 'dispute'; readonly dispute: Dispute; readonly charge: Charge }
  | { readonly kind: 'payout'; readonly payout: Payout };
