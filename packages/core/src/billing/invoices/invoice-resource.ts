import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { MetadataResource, TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import {
  AddressResource,
  toAddressResource,
  toShownLine,
} from '../../payments/contacts/contact-resource.ts';
import {
  BILLING_REASONS,
  COLLECTION_METHODS,
  type Invoice,
  type Issue,
  type IssuedInvoice,
} from './invoice.ts';
import { LinePeriodResource, PricingResource, toPricing } from './invoice-item-resource.ts';
import type { InvoiceLine } from './invoice-lines.ts';
import { InvoicePaymentListResource, toInvoicePayments } from './invoice-payment-resource.ts';

/** The lines that an invoice shows; the others are read page by page. */
const LINES_SHOWN = 10;

/** What a line comes from. */
const LineParentResource = z
  .strictObject({
    type: z.enum(['invoice_item_details', 'subscription_item_details']),
    invoice_item_details: z
      .strictObject({
        invoice_item: z.string(),
        proration: z.boolean(),
        subscription: z.string().nullable(),
      })
      .nullable(),
    subscription_item_details: z
      .strictObject({
        subscription: z.string().nullable(),
        subscription_item: z.string().nullable(),
        proration: z.boolean(),
      })
      .nullable(),
  })
  .meta({ id: 'InvoiceLineParent', description: 'What it comes from, as newer SDKs read it.' });

export const InvoiceLineResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('line_item'),
    livemode: z.boolean(),
    invoice: z.string(),
    type: z.enum(['invoiceitem', 'subscription']),
    amount: z.int().meta({ description: 'Minor units; negative: a credit.' }),
    currency: z.string(),
    description: z.string(),
    quantity: z.int(),
    price: z.string().nullable().meta({ description: 'Expandable.', expandsTo: 'Price' }),
    pricing: PricingResource.nullable(),
    parent: LineParentResource,
    period: LinePeriodResource,
    proration: z.boolean().meta({ description: 'Whether it is for a part of a period.' }),
    subscription: z.string().nullable(),
    subscription_item: z.string().nullable(),
    invoice_item: z.string().nullable(),
  })
  .meta({ id: 'InvoiceLine' });

const LineListResource = z
  .strictObject({
    object: z.literal('list'),
    url: z.string(),
    has_more: z.boolean(),
    data: z.array(InvoiceLineResource),
  })
  .meta({ id: 'InvoiceLineList' });

const TransitionsResource = z
  .strictObject({
    finalized_at: TimestampResource.nullable(),
    paid_at: TimestampResource.nullable(),
    voided_at: TimestampResource.nullable(),
    marked_uncollectible_at: TimestampResource.nullable(),
  })
  .meta({ id: 'InvoiceStatusTransitions' });

const ParentResource = z
  .strictObject({
    type: z.literal('subscription_details'),
    subscription_details: z.strictObject({ subscription: z.string() }),
  })
  .meta({ id: 'InvoiceParent', description: 'What made it, in the form that newer SDKs read.' });

export const InvoiceResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('invoice'),
    livemode: z.boolean(),
    created: TimestampResource,
    metadata: MetadataResource,
    number: z.string().nullable().meta({
      description: 'From `INV-000001`, without gaps in the account and environment. Null: a draft.',
    }),
    status: z.enum(['draft', 'open', 'paid', 'void', 'uncollectible']),
    billing_reason: z.enum(BILLING_REASONS),
    collection_method: z.enum(COLLECTION_METHODS),
    auto_advance: z.boolean(),
    customer: z.string().meta({ description: 'Expandable.', expandsTo: 'Customer' }),
    customer_name: z.string().nullable(),
    customer_email: z.string().nullable(),
    customer_address: AddressResource.nullable(),
    subscription: z.string().nullable(),
    parent: ParentResource.nullable(),
    charge: z.string().nullable().meta({
      description: 'That of the newest attempt. Expandable.',
      expandsTo: 'Charge',
    }),
    default_payment_method: z
      .string()
      .nullable()
      .meta({ description: 'Expandable.', expandsTo: 'PaymentMethod' }),
    currency: z.string(),
    lines: LineListResource.meta({ description: `The first ${LINES_SHOWN} lines.` }),
    subtotal: z.int(),
    total: z.int().meta({ description: 'The sum of its lines.' }),
    starting_balance: z.int().meta({
      description: 'The balance of the customer before it was finalized; negative: a credit.',
    }),
    ending_balance: z.int().nullable(),
    amount_due: z.int(),
    amount_paid: z.int(),
    amount_remaining: z.int(),
    attempt_count: z.int(),
    attempted: z.boolean(),
    paid: z.boolean().meta({ description: 'Whether its status is `paid`, as older SDKs read it.' }),
    paid_out_of_band: z.boolean(),
    payments: InvoicePaymentListResource,
    due_date: TimestampResource.nullable(),
    period_start: TimestampResource,
    period_end: TimestampResource,
    status_transitions: TransitionsResource,
    description: z.string().nullable(),
    footer: z.string().nullable(),
    hosted_invoice_url: z.string().nullable().meta({
      description:
        'The page that its customer opens, without a login. Null: a draft, or the host has no pages of invoices.',
    }),
    invoice_pdf: z.string().nullable().meta({ description: 'The same as a PDF.' }),
    test_clock: z.string().nullable(),
  })
  .meta({ id: 'Invoice' });

export const DeletedInvoiceResource = z
  .strictObject({ id: z.string(), object: z.literal('invoice'), deleted: z.literal(true) })
  .meta({ id: 'DeletedInvoice' });

export type InvoiceJson = z.output<typeof InvoiceResource>;
export type InvoiceLineJson = z.output<typeof InvoiceLineResource>;
export type DeletedInvoiceJson = z.output<typeof DeletedInvoiceResource>;

/** The number as people read it. */
export function invoiceNumberText(number: number): string {
  return `INV-${String(number).padStart(6, '0')}`;
}

/** Where a customer sees an invoice. */
export interface InvoiceAddress {
  readonly page: string;
  readonly pdf: string;
}

/** Knows where customers see their invoices. @returns undefined: the host has no pages of invoices */
export type AddressOfInvoice = (
  invoice: Pick<IssuedInvoice, 'accountId' | 'environment' | 'id'>,
) => InvoiceAddress | undefined;

/**
 * Renders an invoice that is not deleted.
 * @throws Error for a deleted one, which is a bug
 */
export function toInvoiceResource(invoice: Invoice, addressOf: AddressOfInvoice): InvoiceJson {
  if (invoice.status === 'deleted') throw new Error(`Invoice ${invoice.id} is deleted.`);
  const issue = 'issue' in invoice ? invoice.issue : undefined;
  const address = 'issue' in invoice ? addressOf(invoice) : undefined;
  const { subscriptionId } = invoice;
  const amountDue = issue?.amountDue ?? Math.max(0, invoice.total);
  const amountPaid = invoice.status === 'paid' ? amountDue : 0;
  return {
    id: invoice.id,
    object: 'invoice',
    livemode: livemode(invoice.environment),
    created: invoice.created.toISOString(),
    metadata: invoice.metadata,
    number: issue === undefined ? null : invoiceNumberText(issue.number),
    status: invoice.status,
    billing_reason: invoice.billingReason,
    collection_method: invoice.collectionMethod,
    auto_advance: invoice.autoAdvance,
    customer: invoice.customerId,
    ...toIssuedTo(issue),
    subscription: subscriptionId,
    parent: subscriptionId && {
      type: 'subscription_details',
      subscription_details: { subscription: subscriptionId },
    },
    charge: invoice.chargeId,
    default_payment_method: invoice.defaultPaymentMethodId,
    currency: invoice.currency,
    lines: {
      object: 'list',
      url: `/v1/invoices/${invoice.id}/lines`,
      has_more: invoice.lines.length > LINES_SHOWN,
      data: invoice.lines.slice(0, LINES_SHOWN).map((line) => toInvoiceLineResource(invoice, line)),
    },
    subtotal: invoice.total,
    total: invoice.total,
    starting_balance: issue?.startingBalance ?? 0,
    ending_balance: issue?.endingBalance ?? null,
    amount_due: amountDue,
    amount_paid: amountPaid,
    amount_remaining: amountDue - amountPaid,
    attempt_count: invoice.attemptCount,
    attempted: invoice.attemptCount > 0,
    paid: invoice.status === 'paid',
    payments: toInvoicePayments(invoice),
    paid_out_of_band: invoice.status === 'paid' && invoice.isPaidOutOfBand,
    due_date: timestamp(invoice.dueDate ?? undefined),
    period_start: invoice.periodStart.toISOString(),
    period_end: invoice.periodEnd.toISOString(),
    status_transitions: {
      finalized_at: timestamp(issue?.finalizedAt),
      paid_at: timestamp(invoice.status === 'paid' ? invoice.paidAt : undefined),
      voided_at: timestamp(invoice.status === 'void' ? invoice.voidedAt : undefined),
      marked_uncollectible_at: timestamp(invoice.markedUncollectibleAt),
    },
    description: invoice.description,
    footer: invoice.footer,
    hosted_invoice_url: address?.page ?? null,
    invoice_pdf: address?.pdf ?? null,
    test_clock: invoice.clock?.id ?? null,
  };
}

/** Renders a line of an invoice. */
export function toInvoiceLineResource(
  invoice: Pick<Invoice, 'id' | 'environment' | 'currency' | 'subscriptionId'>,
  line: InvoiceLine,
): InvoiceLineJson {
  const subscription = line.subscriptionItemId === null ? null : invoice.subscriptionId;
  return {
    id: line.id,
    object: 'line_item',
    livemode: livemode(invoice.environment),
    invoice: invoice.id,
    type: line.invoiceItemId === null ? 'subscription' : 'invoiceitem',
    amount: line.amount,
    currency: invoice.currency,
    description: line.description,
    quantity: line.quantity,
    price: line.priceId,
    pricing: toPricing(line.priceId),
    parent: toLineParent(line, subscription),
    period: line.period,
    proration: line.isProration,
    subscription,
    subscription_item: line.subscriptionItemId,
    invoice_item: line.invoiceItemId,
  };
}

function toLineParent(
  { invoiceItemId, subscriptionItemId, isProration: proration }: InvoiceLine,
  subscription: string | null,
): InvoiceLineJson['parent'] {
  const isItem = invoiceItemId !== null;
  return {
    type: isItem ? 'invoice_item_details' : 'subscription_item_details',
    invoice_item_details: isItem ? { invoice_item: invoiceItemId, proration, subscription } : null,
    subscription_item_details: isItem
      ? null
      : { subscription, subscription_item: subscriptionItemId, proration },
  };
}

/** What is left of a deleted draft. */
export function toDeletedInvoiceResource({ id }: Pick<Invoice, 'id'>): DeletedInvoiceJson {
  return { id, object: 'invoice', deleted: true };
}

function toIssuedTo(
  issue: Issue | undefined,
): Pick<InvoiceJson, 'customer_name' | 'customer_email' | 'customer_address'> {
  const { name = null, email = null, address = null } = issue?.issuedTo ?? {};
  return {
    customer_name: toShownLine(name),
    customer_email: email,
    customer_address: address && toAddressResource(address),
  };
}
