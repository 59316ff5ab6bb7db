import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import type { Charge } from '../../payments/charges/charge.ts';
import { timeOf } from '../../payments/test-clocks/object-clock.ts';
import type { Failing } from '../failing.ts';
import type { Invoice } from './invoice.ts';
import { type InvoiceJson, InvoiceResource } from './invoice-resource.ts';

const AttemptResource = z
  .strictObject({
    charge: z.string(),
    invoice: z.string(),
    livemode: z.boolean(),
    created: TimestampResource,
    status: z.enum(['pending', 'authorized', 'succeeded', 'failed', 'canceled']),
    amount: z.int(),
    currency: z.string(),
    payment_method: z.string(),
    scheduled: z.boolean().meta({
      description: 'Whether a worker made it because it was due; false: somebody asked for it.',
    }),
    failure_code: z.string().nullable(),
    decline_code: z.string().nullable(),
  })
  .meta({ id: 'InvoiceAttempt', description: 'A charge that tried to pay an invoice.' });

export const AttemptsResource = z.array(AttemptResource).optional().meta({
  description:
    'The newest 100 attempts to charge, newest first. An attempt without a payment method has no charge. Not in lists.',
});

export const FailingResource = z
  .strictObject({
    since: TimestampResource,
    message: z.string(),
    count: z.int().meta({ description: 'How often it failed, one time after another.' }),
  })
  .nullable()
  .meta({
    description:
      'Why a worker cannot do what is due, and since when. It tries again after 10, 20 and 40 minutes, and then every hour. Null: nothing failed.',
  });

export const AdminInvoiceResource = InvoiceResource.extend({
  account: z.string(),
  overdue: z.boolean().meta({ description: 'Open, and its due date has passed.' }),
  next_action_at: TimestampResource.nullable().meta({
    description: 'When a worker finalizes it, charges it, or gives back what it took.',
  }),
  abandoned: z.boolean().meta({
    description:
      'Its subscription ended while it was charged: it becomes void, or its money is given back.',
  }),
  refund_failure: z.string().nullable().meta({
    description:
      'Its money could not be given back after the end of its subscription: the code of the error. Give it back by hand.',
  }),
  failing: FailingResource,
  attempts: AttemptsResource,
}).meta({ id: 'AdminInvoice' });

export type AdminInvoiceJson = z.output<typeof AdminInvoiceResource>;

/**
 * Renders an invoice for an admin.
 * @param shown as the API shows it
 * @param attempts its charges; absent in lists
 */
export function toAdminInvoiceResource(
  invoice: Invoice,
  shown: InvoiceJson,
  { at, attempts }: { readonly at: Date; readonly attempts?: readonly Charge[] },
): AdminInvoiceJson {
  const { dueDate } = invoice;
  return {
    ...shown,
    account: invoice.accountId,
    overdue: invoice.status === 'open' && dueDate !== null && dueDate <= timeOf(invoice, at),
    next_action_at: timestamp(invoice.nextActionAt),
    abandoned: invoice.isAbandoned,
    refund_failure: invoice.refundFailure ?? null,
    failing: toFailingResource(invoice.failing),
    ...(attempts && { attempts: toAttemptResources(attempts) }),
  };
}

/** Renders why a worker cannot do what is due. */
export function toFailingResource(failing: Failing | undefined): z.output<typeof FailingResource> {
  return failing === undefined ? null : { ...failing, count: failing.count ?? 1 };
}

/** Renders the charges of invoices. */
export function toAttemptResources(
  charges: readonly Charge[],
): NonNullable<AdminInvoiceJson['attempts']> {
  return charges.flatMap((charge) => {
    const { invoiceId } = charge;
    if (invoiceId === undefined) return [];
    const failure = charge.status === 'failed' ? charge.failure : undefined;
    return {
      charge: charge.id,
      invoice: invoiceId,
      livemode: livemode(charge.environment),
      created: charge.created.toISOString(),
      status: charge.status,
      amount: charge.amount,
      currency: charge.currency,
      payment_method: charge.paymentMethodId,
      scheduled: charge.createdBy?.type === 'system',
      failure_code: failure?.code ?? null,
      decline_code: failure?.declineCode ?? null,
    };
  });
}
