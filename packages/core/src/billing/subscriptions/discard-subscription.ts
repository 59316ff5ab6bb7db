import { applyIn } from '../../changes/commit.ts';
import { causeOf } from '../../changes/events/event-cause.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import { parseId } from '../../kernel/basics/id.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { clockField, timeOf } from '../../payments/test-clocks/object-clock.ts';
import { cancelSubscription } from './cancel-subscription.ts';
import { effectsOf } from './decision-effects.ts';
import { endInvoices } from './end-invoices.ts';
import { pricesOf } from './render-subscription.ts';
import type { SubscriptionStorage } from './subscription-storage.ts';

/**
 * Ends a subscription whose caller wanted it paid or not at all. If the process dies before that, it
 * expires, as any other that is not paid.
 */
export async function discardSubscription(
  { storage, clock }: { readonly storage: SubscriptionStorage; readonly clock: Clock },
  call: Call,
  id: string,
): Promise<void> {
  const at = clock.now();
  const owner = ownerOf(call);
  await storage.transaction(async (rows) => {
    const known = parseId('sub', id);
    const before = known && (await rows.subscriptions.findForUpdate(owner, known));
    if (before?.status !== 'incomplete') return;
    const end = { isProrated: false, isInvoicedNow: false, details: {} };
    const decision = cancelSubscription(before, end, timeOf(before, at));
    const prices = await pricesOf(rows, [before]);
    const { effects } = effectsOf(before, decision, { prices, at, cause: causeOf(call) });
    const writes = [...effects.writes, ...(await endInvoices(rows, before, at))];
    await applyIn(rows, { ...owner, at, ...clockField(before), ...effects, writes });
  });
}
