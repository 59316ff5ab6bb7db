// Generated from the core's schemas by `npm run docs`; do not edit.
// biome-ignore-all format: it is as it was generated
/** `data.object` of its events. */
export type Charge = {
  readonly id: string;
  readonly object: 'charge';
  readonly livemode: boolean;
  /** ISO 8601 UTC with milliseconds. */
  readonly created: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly amount: number;
  readonly amount_captured: number;
  readonly amount_refunded: number;
  readonly currency: string;
  readonly status:
    | 'pending'
    | 'authorized'
    | 'succeeded'
    | 'failed'
    | 'canceled';
  readonly paid: boolean;
  readonly captured: boolean;
  readonly refunded: boolean;
  /** Whether there was a chargeback; an alert does not count. */
  readonly disputed: boolean;
  readonly capture_method:
    | 'automatic'
    | 'manual';
  readonly capture_before: string | null;
  /** Expandable. */
  readonly customer: string | null;
  /** Expandable. */
  readonly payment_method: string;
  /** Expandable. */
  readonly balance_transaction: string | null;
  readonly subscription: null;
  /** What it pays. Expandable. */
  readonly invoice: string | null;
  /** The newest one. Expandable. */
  readonly dispute: string | null;
  readonly payment_method_details: {
    readonly type:
      | 'card'
      | 'us_bank_account';
    readonly card?: {
      readonly brand: string;
      readonly last4: string;
      readonly exp_month: number;
      readonly exp_year: number;
      readonly fingerprint: string;
      readonly funding:
        | 'credit'
        | 'debit'
        | 'prepaid'
        | 'unknown';
      readonly country: string;
      readonly checks: {
        readonly cvc_check:
          | 'pass'
          | 'fail'
          | 'unavailable'
          | 'unchecked' | null;
        readonly address_postal_code_check:
          | 'pass'
          | 'fail'
          | 'unavailable'
          | 'unchecked' | null;
      };
      readonly network_transaction_id: string | null;
    };
    readonly us_bank_account?: {
      readonly bank_name: string | null;
      readonly last4: string;
      readonly routing_number: string;
      readonly account_type:
        | 'checking'
        | 'savings';
      readonly account_holder_type:
        | 'individual'
        | 'company';
      /** The same for the same account number. */
      readonly fingerprint: string;
      readonly trace_number: string | null;
    };
  };
  readonly billing_details: {
    readonly name: string | null;
    readonly email: string | null;
    readonly phone: string | null;
    readonly address: {
      readonly city: string | null;
      readonly country: string | null;
      readonly line1: string | null;
      readonly line2: string | null;
      readonly postal_code: string | null;
      readonly state: string | null;
    } | null;
  };
  readonly failure_code: string | null;
  readonly failure_message: string | null;
  readonly outcome: {
    readonly type:
      | 'authorized'
      | 'issuer_declined'
      | 'blocked'
      | 'invalid'
      | 'unknown';
    readonly network_status: string;
    readonly reason: string | null;
    readonly risk_level:
      | 'normal'
      | 'elevated'
      | 'highest'
      | 'unknown';
    readonly advice_code: string | null;
  } | null;
  readonly processor: {
    readonly name: string;
    readonly reference: string | null;
  };
  readonly description: string | null;
  readonly statement_descriptor: string | null;
  readonly receipt_email: string | null;
  readonly shipping: {
    readonly name: string;
    readonly phone: string | null;
    readonly address: {
      readonly city: string | null;
      readonly country: string | null;
      readonly line1: string | null;
      readonly line2: string | null;
      readonly postal_code: string | null;
      readonly state: string | null;
    };
  } | null;
};

/** `data.object` of its events. */
export type Subscription = {
  readonly id: string;
  readonly object: 'subscription';
  readonly livemode: boolean;
  /** ISO 8601 UTC with milliseconds. */
  readonly created: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Expandable. */
  readonly customer: string;
  readonly status:
    | 'incomplete'
    | 'incomplete_expired'
    | 'trialing'
    | 'active'
    | 'past_due'
    | 'unpaid'
    | 'paused'
    | 'canceled';
  readonly items: {
    readonly object: 'list';
    readonly url: string;
    readonly has_more: boolean;
    readonly data: ReadonlyArray<{
      readonly id: string;
      readonly object: 'subscription_item';
      readonly livemode: boolean;
      /** ISO 8601 UTC with milliseconds. */
      readonly created: string;
      readonly metadata: Readonly<Record<string, string>>;
      readonly subscription: string;
      readonly price: {
        readonly id: string;
        readonly object: 'price';
        readonly livemode: boolean;
        /** ISO 8601 UTC with milliseconds. */
        readonly created: string;
        readonly metadata: Readonly<Record<string, string>>;
        /** Expandable. */
        readonly product: string;
        readonly active: boolean;
        readonly currency: string;
        readonly unit_amount: number;
        readonly type:
          | 'one_time'
          | 'recurring';
        readonly recurring: {
          readonly interval:
            | 'day'
            | 'week'
            | 'month'
            | 'year';
          readonly interval_count: number;
          readonly trial_period_days: number | null;
        } | null;
        readonly lookup_key: string | null;
        readonly nickname: string | null;
      };
      readonly quantity: number;
      /** ISO 8601 UTC with milliseconds. */
      readonly current_period_start: string;
      /** ISO 8601 UTC with milliseconds. */
      readonly current_period_end: string;
    }>;
  };
  readonly currency: string;
  readonly collection_method:
    | 'charge_automatically'
    | 'send_invoice';
  readonly days_until_due: number | null;
  /** Expandable. */
  readonly default_payment_method: string | null;
  readonly description: string | null;
  /** ISO 8601 UTC with milliseconds. */
  readonly start_date: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly billing_cycle_anchor: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly current_period_start: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly current_period_end: string;
  readonly billing_timezone: string;
  readonly period_index: number;
  readonly trial_start: string | null;
  readonly trial_end: string | null;
  readonly cancel_at: string | null;
  readonly canceled_at: string | null;
  readonly ended_at: string | null;
  readonly cancel_at_period_end: boolean;
  readonly trial_settings: {
    readonly end_behavior: {
      readonly missing_payment_method:
        | 'create_invoice'
        | 'cancel'
        | 'pause';
    };
  };
  readonly cancellation_details: {
    readonly reason:
      | 'cancellation_requested'
      | 'payment_failed'
      | 'payment_disputed' | null;
    readonly comment: string | null;
    readonly feedback: string | null;
  };
  readonly pause_collection: {
    readonly behavior:
      | 'void'
      | 'keep_as_draft'
      | 'mark_uncollectible';
    readonly resumes_at: string | null;
  } | null;
  readonly pending_update: {
    /** ISO 8601 UTC with milliseconds. */
    readonly applies_at: string;
    readonly items: ReadonlyArray<{
      readonly id: string;
      readonly price: string;
      readonly quantity: number;
    }>;
  } | null;
  /** Expandable. */
  readonly latest_invoice: string | null;
  readonly dunning: {
    readonly attempt: number;
    readonly max_attempts: number;
    readonly next_attempt_at: string | null;
    readonly last_failure_code: string | null;
  } | null;
  readonly test_clock: string | null;
};

/** `data.object` of its events. */
export type Dispute = {
  readonly id: string;
  readonly object: 'dispute';
  readonly livemode: boolean;
  /** ISO 8601 UTC with milliseconds. */
  readonly created: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Expandable. */
  readonly charge: string;
  readonly amount: number;
  readonly currency: string;
  readonly status:
    | 'warning_needs_response'
    | 'warning_closed'
    | 'prevented'
    | 'needs_response'
    | 'under_review'
    | 'won'
    | 'lost';
  readonly reason:
    | 'bank_cannot_process'
    | 'check_returned'
    | 'credit_not_processed'
    | 'customer_initiated'
    | 'debit_not_authorized'
    | 'duplicate'
    | 'fraudulent'
    | 'general'
    | 'incorrect_account_details'
    | 'insufficient_funds'
    | 'noncompliant'
    | 'product_not_received'
    | 'product_unacceptable'
    | 'subscription_canceled'
    | 'unrecognized';
  readonly network_reason_code: string | null;
  readonly evidence: {
    readonly access_activity_log: string | null;
    readonly billing_address: string | null;
    readonly cancellation_policy: string | null;
    readonly cancellation_policy_disclosure: string | null;
    readonly cancellation_rebuttal: string | null;
    readonly customer_communication: string | null;
    readonly customer_email_address: string | null;
    readonly customer_name: string | null;
    readonly customer_purchase_ip: string | null;
    readonly customer_signature: string | null;
    readonly duplicate_charge_documentation: string | null;
    readonly duplicate_charge_explanation: string | null;
    readonly duplicate_charge_id: string | null;
    readonly product_description: string | null;
    readonly receipt: string | null;
    readonly refund_policy: string | null;
    readonly refund_policy_disclosure: string | null;
    readonly refund_refusal_explanation: string | null;
    readonly service_date: string | null;
    readonly service_documentation: string | null;
    readonly shipping_address: string | null;
    readonly shipping_carrier: string | null;
    readonly shipping_date: string | null;
    readonly shipping_documentation: string | null;
    readonly shipping_tracking_number: string | null;
    readonly uncategorized_file: string | null;
    readonly uncategorized_text: string | null;
  };
  readonly evidence_details: {
    /** ISO 8601 UTC with milliseconds. */
    readonly due_by: string;
    readonly has_evidence: boolean;
    readonly past_due: boolean;
    readonly submission_count: number;
  };
  readonly is_charge_refundable: boolean;
  readonly balance_transactions: ReadonlyArray<{
    readonly id: string;
    readonly object: 'balance_transaction';
    readonly livemode: boolean;
    /** ISO 8601 UTC with milliseconds. */
    readonly created: string;
    readonly amount: number;
    readonly fee: number;
    readonly net: number;
    readonly fee_details: ReadonlyArray<{
      readonly amount: number;
      readonly currency: string;
      readonly type: string;
      readonly description: string;
    }>;
    readonly currency: string;
    readonly type: 'adjustment';
    /** Expandable. */
    readonly source: string;
    readonly status:
      | 'pending'
      | 'available';
    /** ISO 8601 UTC with milliseconds. */
    readonly available_on: string;
  }>;
  readonly closed_reason:
    | 'ruling'
    | 'accepted'
    | 'expired'
    | 'not_contestable'
    | 'refunded' | null;
  /** 1 for an alert and its chargeback. Each time a ruling is reversed, such as in pre-arbitration or arbitration, the next round begins. */
  readonly round: number;
};

/** `data.object` of its events. */
export type Payout = {
  readonly id: string;
  readonly object: 'payout';
  readonly livemode: boolean;
  /** ISO 8601 UTC with milliseconds. */
  readonly created: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly amount: number;
  readonly currency: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly arrival_date: string;
  readonly automatic: boolean;
  /** Expandable. */
  readonly destination: string;
  readonly status:
    | 'pending'
    | 'in_transit'
    | 'paid'
    | 'failed'
    | 'canceled';
  /** Expandable. */
  readonly balance_transaction: string;
  readonly failure_code: string | null;
  readonly failure_message: string | null;
  /** Expandable. */
  readonly failure_balance_transaction: string | null;
  readonly statement_descriptor: string | null;
  readonly description: string | null;
};

/** What each type of event is about. */
export interface EventObjects {
  readonly 'charge.succeeded': Charge;
  readonly 'charge.failed': Charge;
  readonly 'charge.captured': Charge;
  readonly 'charge.refunded': Charge;
  readonly 'charge.pending': Charge;
  readonly 'subscription.created': Subscription;
  readonly 'subscription.renewed': Subscription;
  readonly 'subscription.payment_failed': Subscription;
  readonly 'subscription.recovered': Subscription;
  readonly 'subscription.canceled': Subscription;
  readonly 'dispute.created': Dispute;
  readonly 'dispute.alert': Dispute;
  readonly 'dispute.won': Dispute;
  readonly 'dispute.lost': Dispute;
  readonly 'payout.paid': Payout;
  readonly 'payout.failed': Payout;
}
