import type { EventType } from '../../changes/events/catalogue.ts';
import { livemode } from '../../kernel/basics/environment.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { PayoutJson } from '../../payments/payouts/payout-resource.ts';
import { days, type FixtureFacts } from './fixture.ts';

type PayoutEventType = Extract<EventType, `payout.${string}`>;

/** A payout of the schedule in the state that it has at its event. */
export const PAYOUT_FIXTURES: Readonly<
  Record<PayoutEventType, (facts: FixtureFacts) => PayoutJson>
> = {
  'payout.paid': (facts) => payout(facts),
  'payout.failed': (facts) => ({
    ...payout(facts),
    status: 'failed',
    failure_code: 'account_closed',
    failure_message: 'The bank account has been closed.',
    failure_balance_transaction: newId('txn'),
  }),
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
