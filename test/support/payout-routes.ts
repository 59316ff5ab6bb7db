import { BANK } from './paid-out.ts';
import { type V1Route, v1 } from './route-row.ts';

/** The routes of the balance, of payouts, of the account of a key, and of its bank accounts. */
export const PAYOUT_ROUTES: readonly V1Route[] = [
  v1('GET /v1/balance', 'retrieveBalance', 'payouts:read'),
  v1('GET /v1/balance_transactions', 'listBalanceTransactions', 'payouts:read', {
    lists: 'line',
    ids: {
      test_clock: { of: ['testClock'] },
      source: { of: ['charge', 'refund', 'payout'] },
      payout: { of: ['payout'], status: 400 },
    },
  }),
  v1('GET /v1/balance_transactions/{id}', 'retrieveBalanceTransaction', 'payouts:read', {
    of: 'line',
  }),
  v1('POST /v1/payouts', 'createPayout', 'secret_key', {
    body: () => ({ amount: 1, currency: 'eur' }),
    ids: {
      destination: { of: ['bankAccount'], with: { amount: 1, currency: 'eur' } },
      test_clock: { of: ['testClock'], with: { amount: 1, currency: 'eur' } },
    },
  }),
  v1('GET /v1/payouts', 'listPayouts', 'payouts:read', {
    lists: 'payout',
    ids: { test_clock: { of: ['testClock'] }, destination: { of: ['bankAccount'] } },
  }),
  v1('GET /v1/payouts/{id}', 'retrievePayout', 'payouts:read', { of: 'payout' }),
  v1('POST /v1/payouts/{id}', 'updatePayout', 'secret_key', {
    of: 'payout',
    body: () => ({ metadata: { changed: 'yes' } }),
  }),
  v1('POST /v1/payouts/{id}/cancel', 'cancelPayout', 'secret_key', {
    of: 'payout',
    answer: '400 status_transition_invalid',
  }),
  v1('GET /v1/account', 'retrieveOwnAccount', 'secret_key'),
  v1('GET /v1/accounts/{id}', 'retrieveAccount', 'secret_key', { of: 'account' }),
  v1('POST /v1/accounts/{id}/external_accounts', 'createExternalAccount', 'secret_key', {
    of: 'account',
    // Live takes no number.
    body: (_, livemode) => ({ external_account: livemode ? 'btok_us' : BANK }),
  }),
  v1('GET /v1/accounts/{id}/external_accounts', 'listExternalAccounts', 'secret_key', {
    of: 'account',
    lists: 'bankAccount',
  }),
  v1(
    'GET /v1/accounts/{id}/external_accounts/{external}',
    'retrieveExternalAccount',
    'secret_key',
    { of: 'bankAccount' },
  ),
  v1('POST /v1/accounts/{id}/external_accounts/{external}', 'updateExternalAccount', 'secret_key', {
    of: 'bankAccount',
    body: () => ({ metadata: { changed: 'yes' } }),
  }),
  v1(
    'DELETE /v1/accounts/{id}/external_accounts/{external}',
    'deleteExternalAccount',
    'secret_key',
    { of: 'leavingBankAccount' },
  ),
];
