import { BILLING_ADMIN_ROUTES } from './billing-admin-routes.ts';
import { DISPUTE_ROUTES } from './dispute-route-table.ts';
import { INVOICE_ROUTES } from './invoice-routes.ts';
import { PAYOUT_ADMIN_ROUTES } from './payout-admin-routes.ts';
import { PAYOUT_ROUTES } from './payout-routes.ts';
import { PRICE_ROUTES } from './price-routes.ts';
import { type ManagementRoute, management, type V1Route, v1 } from './route-row.ts';
import { SUBSCRIPTION_ROUTES } from './subscription-routes.ts';
import { ADMIN_TEST_CLOCK_ROUTES, TEST_CLOCK_ROUTES } from './test-clock-routes.ts';

const SALE = { amount: 100, currency: 'eur', payment_method: 'pm_card_visa' };
const CARD = { card: { number: '4242424242424242', exp_month: 12, exp_year: 2044 } };
const DEFAULT_METHOD = 'invoice_settings[default_payment_method]';
const ENDPOINT = { url: 'https://127.0.0.1:8443/', enabled_events: ['payout.paid'] };

export const V1_ROUTES: readonly V1Route[] = [
  v1('POST /v1/charges', 'createCharge', 'charges:write', {
    body: () => SALE,
    ids: {
      payment_method: { of: ['method'], with: { amount: 1, currency: 'eur' } },
      source: { of: ['token', 'method'], with: { amount: 1, currency: 'eur' } },
      customer: { of: ['customer'], with: { amount: 1, currency: 'eur' } },
    },
  }),
  v1('GET /v1/charges', 'listCharges', 'charges:read', {
    lists: 'charge',
    ids: { test_clock: { of: ['testClock'] }, customer: { of: ['customer'] } },
  }),
  v1('GET /v1/charges/{id}', 'retrieveCharge', 'charges:read', { of: 'charge' }),
  v1('POST /v1/charges/{id}', 'updateCharge', 'charges:write', {
    of: 'charge',
    body: () => ({ metadata: { changed: 'yes' } }),
  }),
  v1('POST /v1/charges/{id}/capture', 'captureCharge', 'charges:write', { of: 'authorized' }),
  v1('POST /v1/charges/{id}/cancel', 'cancelCharge', 'charges:write', { of: 'releasable' }),
  v1('POST /v1/charges/{id}/refunds', 'createChargeRefund', 'charges:write', {
    of: 'charge',
    body: () => ({ amount: 1 }),
  }),
  v1('GET /v1/charges/{id}/refunds', 'listChargeRefunds', 'charges:read', {
    of: 'charge',
    lists: 'refund',
  }),
  v1('GET /v1/charges/{id}/refunds/{refund}', 'retrieveChargeRefund', 'charges:read', {
    of: 'charge',
  }),
  v1('POST /v1/charges/{id}/refunds/{refund}', 'updateChargeRefund', 'charges:write', {
    of: 'charge',
    body: () => ({ metadata: { changed: 'yes' } }),
  }),
  v1('POST /v1/charges/{id}/refund', 'refundCharge', 'charges:write', {
    of: 'charge',
    body: () => ({ amount: 1 }),
  }),
  v1('POST /v1/refunds', 'createRefund', 'charges:write', {
    body: ({ charge }) => ({ charge, amount: 1 }),
    ids: { charge: { of: ['charge'] } },
  }),
  v1('GET /v1/refunds', 'listRefunds', 'charges:read', {
    lists: 'refund',
    ids: { test_clock: { of: ['testClock'] }, charge: { of: ['charge'] } },
  }),
  v1('GET /v1/refunds/{id}', 'retrieveRefund', 'charges:read', { of: 'refund' }),
  v1('POST /v1/refunds/{id}', 'updateRefund', 'charges:write', {
    of: 'refund',
    body: () => ({ metadata: { changed: 'yes' } }),
  }),
  v1('POST /v1/refunds/{id}/cancel', 'cancelRefund', 'charges:write', {
    of: 'refund',
    answer: '400 status_transition_invalid',
  }),
  v1('POST /v1/customers', 'createCustomer', 'customers:write', {
    body: () => ({ email: 'ada@example.com' }),
    ids: {
      payment_method: { of: ['attachable'] },
      [DEFAULT_METHOD]: { of: ['saved'] },
      test_clock: { of: ['testClock'] },
    },
  }),
  v1('GET /v1/customers', 'listCustomers', 'customers:read', {
    lists: 'customer',
    ids: { test_clock: { of: ['testClock'] } },
  }),
  v1('GET /v1/customers/{id}', 'retrieveCustomer', 'customers:read', { of: 'customer' }),
  v1('POST /v1/customers/{id}', 'updateCustomer', 'customers:write', {
    of: 'customer',
    body: () => ({ metadata: { changed: 'yes' } }),
    ids: { [DEFAULT_METHOD]: { of: ['saved'] } },
  }),
  v1('DELETE /v1/customers/{id}', 'deleteCustomer', 'customers:write', { of: 'leaving' }),
  v1('GET /v1/customers/{id}/payment_methods', 'listCustomerPaymentMethods', 'customers:read', {
    of: 'customer',
    lists: 'saved',
  }),
  v1(
    'GET /v1/customers/{id}/payment_methods/{payment_method}',
    'retrieveCustomerPaymentMethod',
    'customers:read',
    { of: 'customer' },
  ),
  v1('POST /v1/payment_methods', 'createPaymentMethod', 'customers:write', {
    publishable: true,
    body: () => ({ type: 'card', card: { token: 'tok_visa' } }),
    ids: {
      'card[token]': { of: ['token'], with: { type: 'card' } },
      'us_bank_account[token]': { of: ['token'], with: { type: 'us_bank_account' } },
    },
  }),
  v1('GET /v1/payment_methods', 'listPaymentMethods', 'customers:read', {
    query: ({ customer }) => `customer=${customer}`,
    lists: 'saved',
    ids: { customer: { of: ['customer'], status: 400 } },
  }),
  v1('GET /v1/payment_methods/{id}', 'retrievePaymentMethod', 'customers:read', { of: 'method' }),
  v1('POST /v1/payment_methods/{id}', 'updatePaymentMethod', 'customers:write', {
    of: 'method',
    body: () => ({ metadata: { changed: 'yes' } }),
  }),
  v1('POST /v1/payment_methods/{id}/attach', 'attachPaymentMethod', 'customers:write', {
    of: 'attachable',
    body: ({ customer }) => ({ customer }),
    ids: { customer: { of: ['customer'] } },
  }),
  v1('POST /v1/payment_methods/{id}/detach', 'detachPaymentMethod', 'customers:write', {
    of: 'detachable',
  }),
  v1('POST /v1/tokens', 'createToken', 'customers:write', { publishable: true, body: () => CARD }),
  v1('GET /v1/tokens/{id}', 'retrieveToken', 'customers:read', { of: 'token' }),
  ...DISPUTE_ROUTES,
  ...PAYOUT_ROUTES,
  ...PRICE_ROUTES,
  ...INVOICE_ROUTES,
  ...SUBSCRIPTION_ROUTES,
  v1('POST /v1/webhook_endpoints', 'createWebhookEndpoint', 'webhooks:write', {
    body: () => ENDPOINT,
  }),
  v1('GET /v1/webhook_endpoints', 'listWebhookEndpoints', 'webhooks:write', { lists: 'endpoint' }),
  v1('GET /v1/webhook_endpoints/{id}', 'retrieveWebhookEndpoint', 'webhooks:write', {
    of: 'endpoint',
  }),
  v1('POST /v1/webhook_endpoints/{id}', 'updateWebhookEndpoint', 'webhooks:write', {
    of: 'endpoint',
    body: () => ({ description: 'changed' }),
  }),
  v1(
    'POST /v1/webhook_endpoints/{id}/rotate_secret',
    'rotateWebhookEndpointSecret',
    'webhooks:write',
    { of: 'endpoint' },
  ),
  v1('DELETE /v1/webhook_endpoints/{id}', 'deleteWebhookEndpoint', 'webhooks:write', {
    of: 'deletable',
  }),
  v1('GET /v1/events', 'listEvents', 'webhooks:write', {
    lists: 'event',
    readsEvents: true,
    ids: { test_clock: { of: ['testClock'] }, object_id: { of: ['charge', 'refund', 'endpoint'] } },
  }),
  v1('GET /v1/events/stream', 'streamEvents', 'webhooks:write', {
    testOnly: true,
    readsEvents: true,
  }),
  v1('GET /v1/events/{id}', 'retrieveEvent', 'webhooks:write', { of: 'event' }),
  v1('POST /v1/events/{id}/replay', 'replayEvent', 'webhooks:write', {
    of: 'event',
    body: ({ endpoint }) => ({ endpoint }),
    ids: { endpoint: { of: ['endpoint'], status: 404 } },
  }),
  v1('GET /v1/deliveries', 'listDeliveries', 'webhooks:write', {
    lists: 'delivery',
    ids: {
      endpoint: { of: ['endpoint'] },
      event: { of: ['event'] },
      object_id: { of: ['charge'] },
      replay: { of: ['replay'] },
    },
  }),
  v1('GET /v1/deliveries/summary', 'summarizeDeliveries', 'webhooks:write', {
    ids: { endpoint: { of: ['endpoint'] } },
  }),
  v1('GET /v1/deliveries/{id}', 'retrieveDelivery', 'webhooks:write', { of: 'delivery' }),
  v1('POST /v1/deliveries/{id}/retry', 'retryDelivery', 'webhooks:write', { of: 'delivery' }),
  v1('GET /v1/replays', 'listReplays', 'webhooks:write', { lists: 'replay' }),
  v1('POST /v1/replays', 'createReplay', 'webhooks:write', {
    body: ({ endpoint }) => ({ endpoint, dry_run: true }),
    ids: {
      endpoint: { of: ['endpoint'], status: 404 },
      to: { of: ['endpoint'], status: 404 },
    },
  }),
  v1('GET /v1/replays/{id}', 'retrieveReplay', 'webhooks:write', { of: 'replay' }),
  v1('POST /v1/replays/{id}/cancel', 'cancelReplay', 'webhooks:write', { of: 'replay' }),
  v1('GET /v1/api_keys', 'listKeys', 'secret_key', { lists: 'spareKey' }),
  v1('GET /v1/api_keys/{id}', 'retrieveKey', 'secret_key', { of: 'spareKey' }),
  v1('POST /v1/api_keys/{id}/revoke', 'revokeKey', 'secret_key', { of: 'spareKey' }),
  v1('GET /v1/connected_applications', 'listConnectedApplications', 'secret_key', {
    lists: 'application',
  }),
  v1('GET /v1/connected_applications/{id}', 'retrieveConnectedApplication', 'secret_key', {
    of: 'application',
  }),
  v1('DELETE /v1/connected_applications/{id}', 'deleteConnectedApplication', 'secret_key', {
    of: 'disconnected',
  }),
  ...TEST_CLOCK_ROUTES,
  v1('POST /v1/test_helpers/events', 'triggerEvent', 'webhooks:write', {
    body: () => ({ type: 'payout.paid' }),
    testOnly: true,
    ids: {
      object: { of: ['charge'], with: { type: 'charge.succeeded' } },
      endpoint: { of: ['endpoint'], with: { type: 'charge.succeeded' }, status: 404 },
    },
  }),
];

const BY_ACCOUNT = { account: { of: 'account', answer: 'missing' } } as const;
const APP = {
  name: 'An app',
  redirect_uris: ['https://app.example.com/callback'],
  scopes: ['charges:read'],
  contact_email: 'app@example.com',
};
const HOOK = { url: 'https://127.0.0.1:8443/hook', enabled_events: ['*'] };

/** Every route of the management API, below its mount. */
export const MANAGEMENT_ROUTES: readonly ManagementRoute[] = [
  management('GET /accounts', 'listAccounts', 'accounts.read', { lists: 'account' }),
  management('POST /accounts', 'createAccount', 'accounts.write', {
    body: () => ({ name: 'New', country: 'DE', default_currency: 'eur' }),
    spans: true,
    audits: ['account.create'],
  }),
  management('GET /accounts/{id}', 'retrieveAccount', 'accounts.read', { of: 'account' }),
  management('POST /accounts/{id}', 'updateAccount', 'accounts.write', {
    of: 'account',
    body: () => ({ name: 'Changed' }),
    spans: true,
    audits: ['account.update'],
  }),
  management('POST /accounts/{id}/suspend', 'suspendAccount', 'accounts.suspend', {
    of: 'account',
    spans: true,
    audits: ['account.suspend'],
  }),
  management('POST /accounts/{id}/resume', 'resumeAccount', 'accounts.suspend', {
    of: 'account',
    spans: true,
    audits: ['account.resume'],
  }),
  management('GET /keys', 'listKeys', 'keys.read', { lists: 'key', ids: BY_ACCOUNT }),
  management('POST /keys', 'createKey', 'keys.write', {
    body: ({ account }, livemode) => ({ account, livemode, type: 'secret', name: 'New' }),
    makes: true,
    freshLogin: true,
    ids: BY_ACCOUNT,
    audits: ['key.create'],
  }),
  management('GET /keys/{id}', 'retrieveKey', 'keys.read', { of: 'key' }),
  management('POST /keys/{id}', 'updateKey', 'keys.write', {
    of: 'key',
    body: () => ({ name: 'Changed' }),
    audits: ['key.update'],
  }),
  management('POST /keys/{id}/rotate', 'rotateKey', 'keys.write', {
    of: 'keyToRotate',
    freshLogin: true,
    tokenOnce: true,
    audits: ['key.rotate', 'key.rotate'],
  }),
  management('POST /keys/{id}/revoke', 'revokeKey', 'keys.revoke', {
    of: 'keyToRevoke',
    audits: ['key.revoke'],
  }),
  management('GET /keys/{id}/usage', 'retrieveKeyUsage', 'keys.read', { of: 'key' }),
  management('GET /keys/{id}/ip_suggestions', 'retrieveKeyIpSuggestions', 'keys.read', {
    of: 'key',
  }),
  management('GET /platforms', 'listPlatforms', 'platforms.read', { lists: 'platform' }),
  management('POST /platforms', 'createPlatform', 'platforms.write', {
    body: (_, livemode) => ({ livemode, ...APP }),
    makes: true,
    freshLogin: true,
    audits: ['platform.create'],
  }),
  management('GET /platforms/{id}', 'retrievePlatform', 'platforms.read', { of: 'platform' }),
  management('POST /platforms/{id}', 'updatePlatform', 'platforms.write', {
    of: 'platform',
    body: () => ({ name: 'Changed' }),
    freshLogin: true,
    audits: ['platform.update'],
  }),
  management('POST /platforms/{id}/disable', 'disablePlatform', 'platforms.write', {
    of: 'platform',
    audits: ['platform.disable'],
  }),
  management('POST /platforms/{id}/enable', 'enablePlatform', 'platforms.write', {
    of: 'platform',
    freshLogin: true,
    audits: ['platform.enable'],
  }),
  management('POST /platforms/{id}/create_secret', 'createClientSecret', 'platforms.write', {
    of: 'platform',
    freshLogin: true,
    audits: ['platform.create_secret'],
  }),
  management('POST /platforms/{id}/revoke_secret', 'revokeClientSecret', 'platforms.write', {
    of: 'platform',
    body: ({ clientSecret }) => ({ client_secret: clientSecret }),
    audits: ['platform.revoke_secret'],
  }),
  management('GET /grants', 'listGrants', 'grants.read', {
    lists: 'grant',
    ids: { ...BY_ACCOUNT, platform: { of: 'platform', answer: 'none' } },
  }),
  management('GET /grants/{id}', 'retrieveGrant', 'grants.read', { of: 'grant' }),
  management('POST /grants/{id}/revoke', 'revokeGrant', 'grants.revoke', {
    of: 'grant',
    audits: ['grant.revoke'],
  }),
  management('GET /endpoints', 'listWebhookEndpoints', 'endpoints.read', {
    lists: 'endpoint',
    ids: BY_ACCOUNT,
  }),
  management('POST /endpoints', 'createWebhookEndpoint', 'endpoints.write', {
    body: ({ account }, livemode) => ({ account, livemode, ...HOOK }),
    makes: true,
    ids: BY_ACCOUNT,
    audits: ['endpoint.create'],
  }),
  management('GET /endpoints/{id}', 'retrieveWebhookEndpoint', 'endpoints.read', {
    of: 'endpoint',
  }),
  management('POST /endpoints/{id}', 'updateWebhookEndpoint', 'endpoints.write', {
    of: 'endpoint',
    body: () => ({ description: 'changed' }),
    audits: ['endpoint.update'],
  }),
  management(
    'POST /endpoints/{id}/rotate_secret',
    'rotateWebhookEndpointSecret',
    'endpoints.write',
    { of: 'endpoint', tokenOnce: true, audits: ['endpoint.rotate_secret'] },
  ),
  management('DELETE /endpoints/{id}', 'deleteWebhookEndpoint', 'endpoints.write', {
    of: 'endpointToDelete',
    tokenOnce: true,
    audits: ['endpoint.delete'],
  }),
  management('GET /deliveries', 'listDeliveries', 'deliveries.read', {
    lists: 'delivery',
    ids: {
      ...BY_ACCOUNT,
      endpoint: { of: 'endpoint', answer: 'none' },
      event: { of: 'event', answer: 'none' },
      object_id: { of: 'charge', answer: 'none' },
      replay: { of: 'replay', answer: 'none' },
    },
  }),
  management('GET /deliveries/summary', 'summarizeDeliveries', 'deliveries.read', {
    ids: { ...BY_ACCOUNT, endpoint: { of: 'endpoint', answer: 'none' } },
  }),
  management('GET /deliveries/{id}', 'retrieveDelivery', 'deliveries.read', { of: 'delivery' }),
  management('POST /deliveries/{id}/retry', 'retryDelivery', 'deliveries.replay', {
    of: 'delivery',
    audits: ['delivery.retry'],
  }),
  management('GET /events', 'listEvents', 'deliveries.read', {
    lists: 'event',
    ids: { ...BY_ACCOUNT, object_id: { of: 'charge', answer: 'none' } },
  }),
  management('GET /events/{id}', 'retrieveEvent', 'deliveries.read', { of: 'event' }),
  management('POST /events/{id}/replay', 'replayEvent', 'deliveries.replay', {
    of: 'event',
    body: ({ endpoint }) => ({ endpoint }),
    ids: { endpoint: { of: 'endpoint', answer: 'missing' } },
    audits: ['event.replay'],
  }),
  management('GET /replays', 'listReplays', 'deliveries.read', {
    lists: 'replay',
    ids: BY_ACCOUNT,
  }),
  management('POST /replays', 'createReplay', 'deliveries.replay', {
    body: ({ account, endpoint }, livemode) => ({ account, livemode, endpoint, dry_run: true }),
    makes: true,
    ids: {
      ...BY_ACCOUNT,
      endpoint: { of: 'endpoint', answer: 'missing' },
      to: { of: 'endpoint', answer: 'missing' },
    },
    audits: ['replay.create'],
  }),
  management('GET /replays/{id}', 'retrieveReplay', 'deliveries.read', { of: 'replay' }),
  management('POST /replays/{id}/cancel', 'cancelReplay', 'deliveries.replay', {
    of: 'replay',
    audits: ['replay.cancel'],
  }),
  management('GET /expunge_requests', 'listExpungeRequests', 'deliveries.read', {
    lists: 'expungeRequest',
    ids: BY_ACCOUNT,
  }),
  management('GET /expunge_requests/{id}', 'retrieveExpungeRequest', 'deliveries.read', {
    of: 'expungeRequest',
  }),
  management('POST /expunge_requests', 'createExpungeRequest', 'events.expunge', {
    body: ({ account }, livemode) => ({
      account,
      livemode,
      created: { lt: 1 },
      reason: 'A test.',
    }),
    makes: true,
    freshLogin: true,
    tokenOnce: true,
    ids: {
      ...BY_ACCOUNT,
      'events[]': { of: 'event', answer: 'missing' },
      object_id: { of: 'charge', answer: 'missing' },
    },
    audits: ['expunge_request.create'],
  }),
  management('GET /operations', 'listOperations', 'operations.read', {
    lists: 'operation',
    ids: { ...BY_ACCOUNT, subject: { of: 'charge', answer: 'none' } },
  }),
  management('GET /operations/{id}', 'retrieveOperation', 'operations.read', { of: 'operation' }),
  management('POST /operations/{id}/settle', 'settleOperation', 'operations.settle', {
    of: 'operation',
    body: () => ({ as: 'declined', reason: 'The bank said so.' }),
    freshLogin: true,
    audits: ['operation.settle'],
  }),
  management('POST /operations/{id}/dismiss', 'dismissOperation', 'operations.settle', {
    of: 'lateOperation',
    body: () => ({ reason: 'The bank took it back.' }),
    freshLogin: true,
    audits: ['operation.dismiss'],
  }),
  management('GET /notices', 'listNotices', 'notices.read', {
    lists: 'notice',
    ids: BY_ACCOUNT,
  }),
  management('GET /notices/{id}', 'retrieveNotice', 'notices.read', { of: 'notice' }),
  management('POST /notices/{id}/retry', 'retryNotice', 'notices.settle', {
    of: 'notice',
    freshLogin: true,
    audits: ['notice.retry'],
  }),
  management('POST /notices/{id}/dismiss', 'dismissNotice', 'notices.settle', {
    of: 'notice',
    body: () => ({ reason: 'The bank took it back.' }),
    freshLogin: true,
    audits: ['notice.dismiss'],
  }),
  ...PAYOUT_ADMIN_ROUTES,
  ...BILLING_ADMIN_ROUTES,
  ...ADMIN_TEST_CLOCK_ROUTES,
  management('GET /leaks', 'listLeaks', 'leaks.read', { lists: 'leak', ids: BY_ACCOUNT }),
  management('POST /leaks', 'reportLeak', 'leaks.write', {
    body: ({ leakedKey }) => ({ credential: leakedKey, source: 'test' }),
    audits: ['key.revoke', 'leak.report'],
  }),
  management('GET /leaks/{id}', 'retrieveLeak', 'leaks.read', { of: 'leak' }),
  management('POST /leaks/{id}/dismiss', 'dismissLeak', 'leaks.write', {
    of: 'leak',
    audits: ['leak.dismiss'],
  }),
  management(
    'POST /leaks/{id}/rotate_signing_secrets',
    'rotateLeakedSigningSecrets',
    'leaks.write',
    {
      of: 'leak',
      tokenOnce: true,
      audits: ['endpoint.rotate_secret', 'leak.rotate_signing_secrets'],
    },
  ),
  management('GET /audit', 'listAuditEntries', 'audit.read', {
    lists: 'audit',
    ids: { ...BY_ACCOUNT, target: { of: 'key', answer: 'none' } },
  }),
  management('GET /audit/export', 'exportAuditEntries', 'audit.read'),
  management('POST /audit/verify', 'verifyAuditChains', 'audit.read', {
    ids: BY_ACCOUNT,
    audits: [],
  }),
  management('GET /audit/{id}', 'retrieveAuditEntry', 'audit.read', { of: 'audit' }),
  management('GET /health', 'retrieveHealth', 'health.read'),
  management('GET /metrics', 'retrieveMetrics', 'health.read'),
  management('GET /me', 'retrieveMe', 'none'),
];
