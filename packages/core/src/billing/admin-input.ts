import { z } from 'zod';
import { reason } from '../kernel/input/input.ts';

const ReasonInput = reason(500).meta({
  description: 'The reason. It is stored in the audit log.',
});

export const AdminSubscriptionCancelInput = z
  .strictObject({
    reason: ReasonInput,
    at_period_end: z.boolean().optional().meta({
      description: 'It ends with the current period. Absent: it ends now.',
    }),
    prorate: z.boolean().optional().meta({
      description: 'Unused time is given back. Not with `at_period_end`.',
    }),
    invoice_now: z.boolean().optional().meta({
      description:
        'What waits for the next invoice is invoiced now, and open invoices stay open. Not with `at_period_end`.',
    }),
  })
  .superRefine(assertEndsNow)
  .meta({ id: 'AdminSubscriptionCancel' });

export const AdminRetryWorkInput = z
  .strictObject({ reason: ReasonInput })
  .meta({ id: 'AdminRetryWork' });

export const AdminInvoiceActionInput = z
  .strictObject({ reason: ReasonInput })
  .meta({ id: 'AdminInvoiceAction' });

/** At the end of a period no time is left, and its invoice follows by itself. */
function assertEndsNow(
  input: {
    readonly at_period_end?: unknown;
    readonly prorate?: unknown;
    readonly invoice_now?: unknown;
  },
  context: z.core.$RefinementCtx,
): void {
  if (input.at_period_end !== true) return;
  for (const name of ['prorate', 'invoice_now'] as const) {
    if (input[name] === undefined) continue;
    const message = `Send either at_period_end or ${name}, not both.`;
    const params = { code: 'parameters_exclusive' };
    context.addIssue({ code: 'custom', message, path: [name], params });
  }
}
