import type { Belongings } from './owned-objects.ts';
import { type V1Route, v1 } from './route-row.ts';

const OF_CUSTOMER = ({ customer }: Belongings) => ({ customer, currency: 'eur' });
const LISTED = {
  customer: { of: ['customer'] },
  test_clock: { of: ['testClock'] },
} as const;

/** The routes of invoices and invoice items. */
export const INVOICE_ROUTES: readonly V1Route[] = [
  v1('POST /v1/invoiceitems', 'createInvoiceItem', 'subscriptions:write', {
    body: (own) => ({ ...OF_CUSTOMER(own), amount: 100 }),
    ids: {
      customer: { of: ['customer'], with: { amount: 100, currency: 'eur' } },
      invoice: { of: ['invoice'], with: (own) => ({ ...OF_CUSTOMER(own), amount: 100 }) },
      price: { of: ['price'], with: OF_CUSTOMER },
      'pricing[price]': { of: ['price'], with: OF_CUSTOMER },
    },
  }),
  v1('GET /v1/invoiceitems', 'listInvoiceItems', 'subscriptions:write', {
    lists: 'invoiceItem',
    ids: { ...LISTED, invoice: { of: ['invoice'] } },
  }),
  v1('GET /v1/invoiceitems/{id}', 'retrieveInvoiceItem', 'subscriptions:write', {
    of: 'invoiceItem',
  }),
  v1('POST /v1/invoiceitems/{id}', 'updateInvoiceItem', 'subscriptions:write', {
    of: 'invoiceItem',
    body: () => ({ metadata: { changed: 'yes' } }),
  }),
  v1('DELETE /v1/invoiceitems/{id}', 'deleteInvoiceItem', 'subscriptions:write', {
    of: 'leavingInvoiceItem',
  }),
  v1('POST /v1/invoices', 'createInvoice', 'subscriptions:write', {
    body: OF_CUSTOMER,
    ids: {
      customer: { of: ['customer'], with: { currency: 'eur' } },
      default_payment_method: { of: ['saved', 'method'], with: OF_CUSTOMER },
    },
  }),
  v1('POST /v1/invoices/create_preview', 'createInvoicePreview', 'subscriptions:write', {
    body: ({ subscription }) => ({ subscription }),
    ids: {
      subscription: { of: ['subscription'] },
      customer: {
        of: ['customer'],
        with: ({ price }: Belongings) => ({ subscription_details: { items: [{ price }] } }),
      },
      'subscription_details[items][][price]': {
        of: ['price'],
        with: ({ customer }: Belongings) => ({ customer }),
      },
      'subscription_details[items][][id]': {
        of: ['subscriptionItem'],
        with: ({ subscription }: Belongings) => ({ subscription }),
      },
      'subscription_details[items][][price_data][product]': {
        of: ['product'],
        with: ({ customer }: Belongings) => ({
          customer,
          subscription_details: {
            items: [
              {
                price_data: {
                  currency: 'eur',
                  unit_amount: 100,
                  recurring: { interval: 'month' },
                },
              },
            ],
          },
        }),
      },
    },
  }),
  v1('GET /v1/invoices', 'listInvoices', 'subscriptions:write', {
    lists: 'invoice',
    ids: LISTED,
  }),
  v1('GET /v1/invoices/{id}', 'retrieveInvoice', 'subscriptions:write', { of: 'invoice' }),
  v1('POST /v1/invoices/{id}', 'updateInvoice', 'subscriptions:write', {
    of: 'invoice',
    body: () => ({ metadata: { changed: 'yes' } }),
    ids: { default_payment_method: { of: ['saved', 'method'] } },
  }),
  v1('DELETE /v1/invoices/{id}', 'deleteInvoice', 'subscriptions:write', { of: 'leavingInvoice' }),
  v1('GET /v1/invoices/{id}/lines', 'listInvoiceLines', 'subscriptions:write', {
    of: 'invoice',
    lists: 'invoiceLine',
  }),
  v1('POST /v1/invoices/{id}/finalize', 'finalizeInvoice', 'subscriptions:write', {
    of: 'finalizable',
    body: () => ({ auto_advance: false }),
  }),
  v1('POST /v1/invoices/{id}/pay', 'payInvoice', 'subscriptions:write', {
    of: 'payable',
    body: ({ saved }) => ({ payment_method: saved }),
    ids: { payment_method: { of: ['saved', 'method'] } },
  }),
  v1('POST /v1/invoices/{id}/send', 'sendInvoice', 'subscriptions:write', { of: 'sendable' }),
  v1('POST /v1/invoices/{id}/void', 'voidInvoice', 'subscriptions:write', { of: 'issued' }),
  v1(
    'POST /v1/invoices/{id}/mark_uncollectible',
    'markInvoiceUncollectible',
    'subscriptions:write',
    {
      of: 'doubtful',
    },
  ),
];
