import { type ManagementRoute, management } from './route-row.ts';

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
];
