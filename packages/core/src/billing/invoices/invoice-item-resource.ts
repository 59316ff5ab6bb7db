import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { MetadataResource, TimestampResource } from '../../kernel/basics/resource.ts';
import type { InvoiceItem } from './invoice-item.ts';

/** The time that a line pays for. */
export const LinePeriodResource = z
  .strictObject({ start: TimestampResource, end: TimestampResource })
  .meta({ id: 'LinePeriod' });

/** The price of a line or an item, in the form that newer SDKs read. */
export const PricingResource = z
  .strictObject({
    type: z.literal('price_details'),
    price_details: z.strictObject({ price: z.string() }),
  })
  .meta({ id: 'InvoicePricing', description: '`price`, as newer SDKs read it.' });

/** The subscription that an item is of, in the form that newer SDKs read. */
const InvoiceItemParentResource = z
  .strictObject({
    type: z.literal('subscription_details'),
    subscription_details: z.strictObject({
      subscription: z.string(),
      subscription_item: z.string().nullable(),
    }),
  })
  .meta({ id: 'InvoiceItemParent', description: '`subscription`, as newer SDKs read it.' });

export const InvoiceItemResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('invoiceitem'),
    livemode: z.boolean(),
    date: TimestampResource.meta({ description: 'When it was created.' }),
    metadata: MetadataResource,
    customer: z.string().meta({ description: 'Expandable.', expandsTo: 'Customer' }),
    amount: z.int().meta({ description: 'Minor units; negative: a credit.' }),
    unit_amount: z.int(),
    quantity: z.int(),
    currency: z.string(),
    description: z.string(),
    price: z.string().nullable().meta({ description: 'Expandable.', expandsTo: 'Price' }),
    pricing: PricingResource.nullable(),
    period: LinePeriodResource,
    proration: z.boolean().meta({ description: 'Whether a change of a subscription made it.' }),
    invoice: z.string().nullable().meta({
      description: 'Null: it waits for an invoice. Expandable.',
      expandsTo: 'Invoice',
    }),
    subscription: z.string().nullable(),
    parent: InvoiceItemParentResource.nullable(),
    test_clock: z.string().nullable(),
  })
  .meta({ id: 'InvoiceItem' });

export const DeletedInvoiceItemResource = z
  .strictObject({ id: z.string(), object: z.literal('invoiceitem'), deleted: z.literal(true) })
  .meta({ id: 'DeletedInvoiceItem' });

export type InvoiceItemJson = z.output<typeof InvoiceItemResource>;
export type DeletedInvoiceItemJson = z.output<typeof DeletedInvoiceItemResource>;

/** Renders an invoice item that is not deleted. */
export function toInvoiceItemResource(item: InvoiceItem): InvoiceItemJson {
  return {
    id: item.id,
    object: 'invoiceitem',
    livemode: livemode(item.environment),
    date: item.created.toISOString(),
    metadata: item.metadata,
    customer: item.customerId,
    amount: item.amount,
    unit_amount: item.unitAmount,
    quantity: item.quantity,
    currency: item.currency,
    description: item.description,
    price: item.priceId,
    pricing: toPricing(item.priceId),
    period: { start: item.periodStart.toISOString(), end: item.periodEnd.toISOString() },
    proration: item.isProration,
    invoice: item.invoiceId,
    subscription: item.subscriptionId,
    parent: item.subscriptionId && {
      type: 'subscription_details',
      subscription_details: {
        subscription: item.subscriptionId,
        subscription_item: item.subscriptionItemId,
      },
    },
    test_clock: item.clock?.id ?? null,
  };
}

/** Renders the price of a line or an item. */
export function toPricing(price: string | null): z.output<typeof PricingResource> | null {
  return price === null ? null : { type: 'price_details', price_details: { price } };
}

/** What is left of a deleted invoice item. */
export function toDeletedInvoiceItemResource({
  id,
}: Pick<InvoiceItem, 'id'>): DeletedInvoiceItemJson {
  return { id, object: 'invoiceitem', deleted: true };
}
