import type { Invoice } from './invoice.ts';
import type { InvoiceRepositories } from './invoice-storage.ts';

/**
 * Drops what waits because of changes to time that an invoice billed, and that is not billed any more: they give
 * nothing back, and cost nothing.
 * @param invoice of the current period of its subscription: nothing waits for changes of an earlier one
 */
export async function dropProrations(
  { invoiceItems }: Pick<InvoiceRepositories, 'invoiceItems'>,
  { accountId, environment, subscriptionId, lines }: Invoice,
  at: Date,
): Promise<void> {
  if (subscriptionId === null) return;
  const times = lines.flatMap(({ subscriptionItemId: itemId, period }) =>
    itemId === null ? [] : [{ itemId, ...period }],
  );
  await invoiceItems.dropProrations({ accountId, environment }, { subscriptionId, times }, at);
}
