/** What tests know of a type of event, written by hand apart from the code that records it. */
interface EventRow {
  /** What its object shows when it is triggered. */
  readonly shown: Readonly<Record<string, unknown>>;
  /** The transitions that record it. @defaultValue none yet */
  readonly recordedBy?: readonly string[];
}

/** Every type of event, in the order of the catalogue. */
export const EVENTS: Readonly<Record<string, EventRow>> = {
  'charge.succeeded': {
    shown: { status: 'succeeded', paid: true, captured: true, amount_captured: 4200 },
    recordedBy: ['charges.sale_approved', 'charges.debit_cleared'],
  },
  'charge.failed': {
    shown: {
      status: 'failed',
      paid: false,
      captured: false,
      amount_captured: 0,
      failure_code: 'card_declined',
      failure_message: 'Your card has insufficient funds.',
      balance_transaction: null,
    },
    recordedBy: ['charges.declined', 'charges.debit_refused', 'charges.authorization_expired'],
  },
  'charge.captured': {
    shown: { status: 'succeeded', capture_method: 'manual', amount_captured: 4200 },
    recordedBy: ['charges.capture'],
  },
  'charge.refunded': {
    shown: { status: 'succeeded', refunded: true, amount_refunded: 4200 },
    recordedBy: ['refunds.confirmed'],
  },
  'charge.pending': {
    shown: { status: 'pending', paid: false, captured: false, balance_transaction: null },
    recordedBy: ['charges.debit_submitted'],
  },
  'subscription.created': {
    shown: { status: 'active', period_index: 0, dunning: null },
    recordedBy: ['subscriptions.first_paid', 'subscriptions.first_paid_in_trial'],
  },
  'subscription.renewed': {
    shown: { status: 'active', period_index: 1, dunning: null },
    recordedBy: ['subscriptions.renewal_paid'],
  },
  'subscription.payment_failed': {
    shown: { status: 'past_due', period_index: 1 },
    recordedBy: ['subscriptions.renewal_failed'],
  },
  'subscription.recovered': {
    shown: { status: 'active', period_index: 1, dunning: null },
    recordedBy: ['subscriptions.recovered'],
  },
  'subscription.canceled': {
    shown: { status: 'canceled', period_index: 0 },
    recordedBy: ['subscriptions.given_up', 'subscriptions.canceled'],
  },
  'dispute.created': {
    shown: { status: 'needs_response', closed_reason: null, is_charge_refundable: false },
    recordedBy: ['disputes.chargeback', 'disputes.reopened'],
  },
  'dispute.alert': {
    shown: { status: 'warning_needs_response', balance_transactions: [] },
    recordedBy: ['disputes.alert'],
  },
  'dispute.won': {
    shown: { status: 'won', closed_reason: 'ruling' },
    recordedBy: ['disputes.ruled_won'],
  },
  'dispute.lost': {
    shown: { status: 'lost', closed_reason: 'ruling' },
    recordedBy: [
      'disputes.accepted',
      'disputes.expired',
      'disputes.not_contestable',
      'disputes.ruled_lost',
      'disputes.win_reversed',
    ],
  },
  'payout.paid': {
    shown: { status: 'paid', failure_code: null },
    recordedBy: ['payouts.handed_over'],
  },
  'payout.failed': {
    shown: { status: 'failed', failure_code: 'account_closed' },
    recordedBy: ['payouts.rejected', 'payouts.returned'],
  },
};

/** Every family: the prefix of the ids of its resource, and the name of its schema. */
export const EVENT_FAMILIES: Readonly<Record<string, { prefix: string; schema: string }>> = {
  charge: { prefix: 'ch', schema: 'ChargeEvent' },
  subscription: { prefix: 'sub', schema: 'SubscriptionEvent' },
  dispute: { prefix: 'dp', schema: 'DisputeEvent' },
  payout: { prefix: 'po', schema: 'PayoutEvent' },
};
