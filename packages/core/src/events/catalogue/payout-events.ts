import { livemode } from '../../kernel/basics/environment.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { PayoutJson } from '../../payments/payouts/payout-resource.ts';
import type { CatalogueOf } from './catalogue-entry.ts';
import { days, type FixtureFacts } from './fixture.ts';

/** The events of payouts; each fixture is a payout of the schedule in the state that it has at its event. */
export const PAYOUT_EVENTS: CatalogueOf<'payout', PayoutJson> = {
  'payout.paid': {
    meaning: "Funds left the service's account for the merchant's bank",
    fixture: (facts) => payout(facts),
  },
  'payout.failed': {
    meaning: 'The bank rejected the settlement',
    fixture: (facts) => ({
      ...payout(facts),
      status: 'failed',
      failure_code: 'account_closed',
      failure_message: 'The bank account has been closed.',
      failure_balance_transaction: newId('txn'),
    }),
  },
};

function payout({ owner, at, amount, currency }: FixtureFacts): PayoutJson {
  return {
    id: newId('po'),
    object: 'payout',
    livemode: livemode(owner.environment),
    created: days(at, -1).toISOString(),
    metadata: {},
    amount,
    currency,
    arrival_date: at.toISOString(),
    automatic: true,
    destination: newId('ba'),
    status: 'paid',
    balance_transaction: newId('txn'),
    failure_code: null,
    failure_message: null,
    failure_balance_transaction: null,
    statement_descriptor: null,
    description: null,
  };
}
