import type { Charge } from './charges/charge.ts';
import type { Refund } from './refunds/refund.ts';

/** What the host's hook gets, inside the transaction that records it. */
export type HookPayload =
  | { readonly kind: 'charge'; readonly charge: Charge }
  | { readonly kind: 'refund'; readonly refund: Refund; readonly charge: Charge };
