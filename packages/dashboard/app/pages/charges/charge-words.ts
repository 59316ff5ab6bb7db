import type { Charge } from '../../api/resources.ts';

/** The status of a charge, in which it also shows that all of it went back. */
export function statusOf({ status, refunded }: Charge): string {
  return refunded ? 'refunded' : status;
}

/** The card or bank account of a charge, such as `visa …4242`. */
export function methodOf({ payment_method_details: details }: Charge): string {
  const { card, us_bank_account: bank } = details;
  if (card !== undefined) return `${card.brand} …${card.last4}`;
  return bank === undefined ? details.type : `${bank.bank_name ?? 'Bank account'} …${bank.last4}`;
}
