import type { HookPayload, HostHook } from 'paymount';

/** The result of a charge, of a refund or of a dispute. */
export type ChargeResult = Exclude<
  HookPayload,
  { readonly kind: 'payout' | 'invoice' | 'subscription' }
>;

/** The hook of a host that pays nothing out and bills nobody. */
export function ofCharges(
  hook: (trx: Parameters<HostHook>[0], settled: ChargeResult) => Promise<void>,
): HostHook {
  return async (trx, settled) => {
    if ('charge' in settled) await hook(trx, settled);
  };
}
