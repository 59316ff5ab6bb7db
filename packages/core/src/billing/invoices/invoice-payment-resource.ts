import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import type { Invoice, IssuedInvoice } from './invoice.ts';

/** `charge` of an invoice, in the form that newer SDKs read. */
const InvoicePaymentResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('invoice_payment'),
    livemode: z.boolean(),
    created: TimestampResource.meta({ description: 'When the invoice was finalized.' }),
    invoice: z.string(),
    is_default: z.literal(true),
    status: z.enum(['open', 'paid', 'canceled']),
    amount_requested: z.int(),
    amount_paid: z.int().nullable(),
    currency: z.string(),
    payment: z.strictObject({
      type: z.literal('charge'),
      charge: z.string().meta({ description: 'Expandable.', expandsTo: 'Charge' }),
    }),
    status_transitions: z.strictObject({
      canceled_at: TimestampResource.nullable(),
      paid_at: TimestampResource.nullable(),
    }),
  })
  .meta({ id: 'InvoicePayment', description: '`charge`, as newer SDKs read it.' });

export const InvoicePaymentListResource = z
  .strictObject({
    object: z.literal('list'),
    url: z.string(),
    has_more: z.literal(false),
    data: z.array(InvoicePaymentResource),
  })
  .meta({ id: 'InvoicePaymentList' });

type InvoicePaymentListJson = z.output<typeof InvoicePaymentListResource>;

/** The list with the payment by the newest charge of an invoice; empty before the first one. */
export function toInvoicePayments(invoice: Invoice): InvoicePaymentListJson {
  const { chargeId: charge } = invoice;
  const isCharged = charge !== null && 'issue' in invoice;
  return {
    object: 'list',
    url: `/v1/invoices/${invoice.id}`,
    has_more: false,
    data: isCharged ? [toInvoicePayment(invoice, charge)] : [],
  };
}

function toInvoicePayment(
  invoice: IssuedInvoice,
  charge: string,
): InvoicePaymentListJson['data'][number] {
  const { amountDue, finalizedAt } = invoice.issue;
  const ended = endOf(invoice);
  return {
    // Each invoice has one such payment at most, and so its id is that of the invoice.
    id: invoice.id.replace(/^in_/, 'inpay_'),
    object: 'invoice_payment',
    livemode: livemode(invoice.environment),
    created: finalizedAt.toISOString(),
    invoice: invoice.id,
    is_default: true,
    status: ended.status,
    amount_requested: amountDue,
    amount_paid: ended.status === 'paid' ? amountDue : null,
    currency: invoice.currency,
    payment: { type: 'charge', charge },
    status_transitions: {
      canceled_at: timestamp(ended.status === 'canceled' ? ended.at : undefined),
      paid_at: timestamp(ended.status === 'paid' ? ended.at : undefined),
    },
  };
}

/** What was paid elsewhere, or is void, is not paid by the charge any more. */
function endOf(
  invoice: IssuedInvoice,
): { readonly status: 'open' } | { readonly status: 'paid' | 'canceled'; readonly at: Date } {
  if (invoice.status === 'void') return { status: 'canceled', at: invoice.voidedAt };
  if (invoice.status !== 'paid') return { status: 'open' };
  return { status: invoice.isPaidOutOfBand ? 'canceled' : 'paid', at: invoice.paidAt };
}
