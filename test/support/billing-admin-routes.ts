import { type ManagementRoute, management } from './route-row.ts';

const BY_ACCOUNT = { account: { of: 'account', answer: 'missing' } } as const;
const CUSTOMER = { of: 'subscriber', answer: 'none' } as const;
const SUBSCRIPTION = { of: 'subscription', answer: 'none' } as const;
const REASON = { reason: 'The customer called.' };

/** The routes of billing for admins. */
export const BILLING_ADMIN_ROUTES: readonly ManagementRoute[] = [
  management('GET /accounts/{id}/billing_settings', 'retrieveBillingSettings', 'billing.read', {
    of: 'account',
  }),
  management('POST /accounts/{id}/billing_settings', 'updateBillingSettings', 'billing.write', {
    of: 'account',
    body: () => ({ catch_up: 'bill_latest' }),
    spans: true,
    audits: ['billing_settings.update'],
  }),
  management('GET /subscriptions', 'listSubscriptions', 'billing.read', {
    lists: 'subscription',
    ids: { ...BY_ACCOUNT, customer: CUSTOMER },
  }),
  management('GET /subscriptions/{id}', 'retrieveSubscription', 'billing.read', {
    of: 'subscription',
  }),
  management('POST /subscriptions/{id}/cancel', 'cancelSubscription', 'billing.write', {
    of: 'subscription',
    body: () => REASON,
    freshLogin: true,
    audits: ['subscription.cancel'],
  }),
  management('POST /subscriptions/{id}/retry_work', 'retrySubscriptionWork', 'billing.write', {
    of: 'subscription',
    body: () => REASON,
    freshLogin: true,
    audits: ['subscription.retry_work'],
  }),
  management('GET /invoices', 'listInvoices', 'billing.read', {
    lists: 'issued',
    ids: { ...BY_ACCOUNT, customer: CUSTOMER, subscription: SUBSCRIPTION },
  }),
  management('GET /invoices/{id}', 'retrieveInvoice', 'billing.read', { of: 'issued' }),
  management('POST /invoices/{id}/void', 'voidInvoice', 'billing.write', {
    of: 'issued',
    body: () => REASON,
    freshLogin: true,
    audits: ['invoice.void'],
  }),
  management(
    'POST /invoices/{id}/mark_uncollectible',
    'markInvoiceUncollectible',
    'billing.write',
    {
      of: 'doubtful',
      body: () => REASON,
      freshLogin: true,
      audits: ['invoice.mark_uncollectible'],
    },
  ),
  management('POST /invoices/{id}/retry', 'retryInvoice', 'billing.write', {
    of: 'payable',
    body: () => REASON,
    freshLogin: true,
    audits: ['invoice.pay'],
  }),
  management('POST /invoices/{id}/retry_work', 'retryInvoiceWork', 'billing.write', {
    of: 'issued',
    body: () => REASON,
    freshLogin: true,
    audits: ['invoice.retry_work'],
  }),
];
