import type { Charge } from '../../api/resources.ts';

/** The status of a charge, in which it also shows that all of it went back. */
export function statusOf({ status, refunded }: Charge): string {
  return refunded ? 'refunded' : status;
}

/** The card of a charge, such as `visa …4242`. */
export function cardOf({ payment_method_details: { card } }: Charge): string {
  return `${card.brand} …${card.last4}`;
}
