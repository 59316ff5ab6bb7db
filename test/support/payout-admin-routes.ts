import { type ManagementRoute, management } from './route-row.ts';

const BY_ACCOUNT = { account: { of: 'account', answer: 'missing' } } as const;

/** The routes of payouts, adjustments, disputes and settlements for admins. */
export const PAYOUT_ADMIN_ROUTES: readonly ManagementRoute[] = [
  management('GET /accounts/{id}/payout_settings', 'retrievePayoutSettings', 'payouts.read', {
    of: 'account',
  }),
  management('POST /accounts/{id}/payout_settings', 'updatePayoutSettings', 'payouts.write', {
    of: 'account',
    body: () => ({ schedule: { interval: 'weekly', weekly_anchor: 'monday' } }),
    spans: true,
    freshLogin: true,
    audits: ['payout_settings.update'],
  }),
  management('GET /bank_accounts', 'listBankAccounts', 'payouts.read', {
    lists: 'bankAccount',
    ids: BY_ACCOUNT,
  }),
  management('GET /bank_accounts/{id}', 'retrieveBankAccount', 'payouts.read', {
    of: 'bankAccount',
  }),
  management('POST /bank_accounts/{id}/confirm', 'confirmBankAccount', 'payouts.write', {
    of: 'bankAccount',
    body: () => ({ reason: 'The owner called.' }),
    freshLogin: true,
    audits: ['bank_account.confirm'],
  }),
  management('POST /bank_accounts/{id}/restore', 'restoreBankAccount', 'payouts.write', {
    of: 'bankAccount',
    freshLogin: true,
    audits: ['bank_account.restore'],
  }),
  management('POST /adjustments', 'createAdjustment', 'balance.adjust', {
    body: ({ account }, livemode) => ({
      account,
      livemode,
      kind: 'reserve',
      amount: 1,
      currency: 'eur',
      reason: 'A test.',
    }),
    makes: true,
    freshLogin: true,
    ids: BY_ACCOUNT,
    audits: ['adjustment.create'],
  }),
  management('POST /disputes/{id}/rule', 'ruleDispute', 'disputes.rule', {
    of: 'dispute',
    body: () => ({ outcome: 'won', reason: 'The processor wrote so.' }),
    freshLogin: true,
    audits: ['dispute.rule'],
  }),
  management('GET /settlement_differences', 'listSettlementDifferences', 'settlements.read', {
    lists: 'settlementDifference',
    ids: BY_ACCOUNT,
  }),
  management(
    'GET /settlement_differences/{id}',
    'retrieveSettlementDifference',
    'settlements.read',
    { of: 'settlementDifference' },
  ),
  management(
    'POST /settlement_differences/{id}/settle',
    'settleSettlementDifference',
    'settlements.settle',
    {
      of: 'settlementDifference',
      body: () => ({ expected: 100, found: 1, note: 'The bank keeps it.' }),
      freshLogin: true,
      audits: ['settlement_difference.settle'],
    },
  ),
];
