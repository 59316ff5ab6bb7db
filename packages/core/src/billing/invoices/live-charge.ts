import type { Charge } from '../../payments/charges/charge.ts';
import type { ChargeReader } from '../../payments/charges/charge-repository.ts';
import type { Invoice } from './invoice.ts';

/**
 * Whether a charge may take money, or has taken it. A charge may be paid while its invoice is not: a process of the
 * previous version, which knows of no invoices, recorded the result.
 */
export function isLiveCharge({ status }: Charge): boolean {
  return status !== 'failed' && status !== 'canceled';
}

/** The charge of an invoice that may take money, or has taken it. */
export async function liveChargeOf(
  { charges }: { readonly charges: Pick<ChargeReader, 'find'> },
  invoice: Invoice,
): Promise<Charge | undefined> {
  const charge = invoice.chargeId && (await charges.find(invoice, invoice.chargeId));
  return charge && isLiveCharge(charge) ? charge : undefined;
}
