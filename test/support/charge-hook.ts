import type { HookPayload, HostHook } from 'paymount';

/** The result of a charge or of a refund. */
export type ChargeResult = Exclude<HookPayload, { readonly kind: 'payout' }>;

/** The hook of a host that pays nothing out: it is called for charges and refunds. */
export function ofCharges(
  hook: (trx: Parameters<HostHook>[0], settled: ChargeResult) => Promise<void>,
): HostHook {
  return async (trx, settled) => {
    if (settled.kind !== 'payout') await hook(trx, settled);
  };
}
