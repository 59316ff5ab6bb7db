import { newId } from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import { clockField, timeOf } from '../../payments/test-clocks/object-clock.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { InvoiceItem } from '../invoices/invoice-item.ts';
import type { PriceReader, ProductReader } from '../prices/price-repository.ts';
import type { LineDraft } from './billing-decision.ts';
import type { Subscription } from './subscription.ts';
import { creditsLost, soldBefore } from './voided-time.ts';

/** A line that waits for the next invoice of a subscription. */
export function waitingItem(
  subscription: Subscription,
  line: LineDraft,
  { at, createdBy }: { readonly at: Date; readonly createdBy?: Maker },
): InvoiceItem {
  const { accountId, environment, customerId, currency, id } = subscription;
  return {
    accountId,
    environment,
    id: newId('ii'),
    version: 1,
    customerId,
    currency,
    unitAmount: line.amount,
    quantity: 1,
    amount: line.amount,
    description: line.description,
    priceId: line.priceId,
    periodStart: new Date(line.period.start),
    periodEnd: new Date(line.period.end),
    isProration: line.isProration,
    isEdited: false,
    soldQuantity: line.quantity,
    invoiceId: null,
    subscriptionId: id,
    subscriptionItemId: line.subscriptionItemId,
    metadata: {},
    created: timeOf(subscription, at),
    ...(createdBy && { createdBy }),
    ...clockField(subscription),
  };
}

/** What an invoice that becomes void gave back for time that has ended: it waits for the next invoice. */
export async function lostCreditsOf(
  read: { readonly prices: PriceReader; readonly products: ProductReader },
  subscription: Subscription,
  { invoice, at }: { readonly invoice: Invoice; readonly at: Date },
): Promise<readonly InvoiceItem[]> {
  const lost = creditsLost(subscription, invoice, await soldBefore(read, invoice));
  return lost.map((line) => waitingItem(subscription, line, { at }));
}
