import {
  InvoiceFinalizeInput,
  InvoicePayInput,
  InvoicePreviewInput,
  InvoiceResource,
} from '@paymount/core/billing';
import type { Expandable } from '../routing/expand.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

/** Previews, and what moves an invoice from one state to the next: finalize, pay, void, mark as uncollectible. */
export function invoiceActionRoutes(
  { invoices, invoiceActions, subscriptions }: Services,
  expand: Expandable,
): readonly Route[] {
  const route = routesUnder('/v1/invoices');
  const shared = { scope: 'subscriptions:write', expand, response: InvoiceResource } as const;

  route.post(
    '/create_preview',
    {
      ...shared,
      operationId: 'createInvoicePreview',
      summary: 'Show the invoice that a change, or time alone, would lead to',
      body: InvoicePreviewInput,
    },
    ({ call, body }) => subscriptions.preview(call, body),
  );
  route.post(
    '/:id/finalize',
    {
      ...shared,
      operationId: 'finalizeInvoice',
      summary: 'Issue a draft: it gets its number, and its lines never change',
      body: InvoiceFinalizeInput,
    },
    async ({ call, path, body }) =>
      invoices.show(await invoiceActions.finalize(call, path.id, body)),
  );
  route.post(
    '/:id/pay',
    {
      ...shared,
      operationId: 'payInvoice',
      errorStatuses: [402, 502],
      summary: 'Charge an invoice, or record that it was paid elsewhere',
      body: InvoicePayInput,
    },
    async ({ call, path, body }) => invoices.show(await invoiceActions.pay(call, path.id, body)),
  );
  route.post(
    '/:id/send',
    {
      ...shared,
      operationId: 'sendInvoice',
      summary: 'Send the customer an e-mail with the link to an invoice; a draft is issued first',
      body: Nothing,
    },
    async ({ call, path }) => invoices.show(await invoiceActions.send(call, path.id)),
  );
  route.post(
    '/:id/void',
    {
      ...shared,
      operationId: 'voidInvoice',
      summary: 'Void an invoice: nobody has to pay it',
      body: Nothing,
    },
    async ({ call, path }) => invoices.show(await invoiceActions.void(call, path.id)),
  );
  route.post(
    '/:id/mark_uncollectible',
    {
      ...shared,
      operationId: 'markInvoiceUncollectible',
      summary: 'Record that an invoice will probably not be paid',
      body: Nothing,
    },
    async ({ call, path }) => invoices.show(await invoiceActions.markUncollectible(call, path.id)),
  );
  return route.routes;
}
