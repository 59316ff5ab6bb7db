import type { DeclineClass } from '../../billing/subscriptions/decline-class.ts';
import type { EndpointLane } from '../../events/deliveries/delivery.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import type { PayoutObstacle } from '../../payments/payouts/payout-run.ts';

/** Facts about an installation that only its data can tell. */
export interface StoredState {
  /**
   * For how many days after today the log of attempts is ready without a gap; below 0 it cannot take
   * attempts.
   */
  readonly logDaysAhead: number;
  /** UTC days such as `2026-11-23` from today on that have no partition, though later days have one. */
  readonly missingLogDays: readonly string[];
  readonly mails: {
    /** The e-mails of the last 7 days that are not sent, and not given up. */
    readonly waiting: number;
    /** When the oldest of them was written. */
    readonly since?: Date;
    /** Those that were given up in the last 24 hours. */
    readonly givenUp: number;
  };
  /** Webhook endpoints that are not deleted, by status and lane. */
  readonly endpoints: Readonly<
    Record<'enabled' | 'disabled', Readonly<Record<EndpointLane, number>>>
  > & {
    /** The enabled ones whose last attempt failed. */
    readonly failing: number;
  };
}

/** How many automatic payouts that are due wait, by what they wait for; a reason without any is absent. */
export type WaitingPayouts = Readonly<
  Record<Environment, Readonly<Partial<Record<PayoutObstacle, number>>>>
>;

/** Subscriptions of all accounts that a worker must look at, and those that are not paid. */
export interface DueSubscriptions {
  /** How many are due now, on no test clock; at most 100,000. */
  readonly due: number;
  /** Since when the oldest of them is. */
  readonly since?: Date;
  /** Those that are past due, by why the last payment failed. */
  readonly pastDue: Readonly<Record<DeclineClass, number>>;
  /** Subscriptions and invoices that a worker cannot bill, at most 100,000 of each. */
  readonly failing: number;
  /** Reminders of customers that are due, on no test clock. */
  readonly reminders: {
    /** At most 100,000. */
    readonly due: number;
    /** Since when the oldest of them is. */
    readonly since?: Date;
    /** Those that a worker could not write. */
    readonly failing: number;
  };
}

/** One thing that an operator should know about the server of the data. */
export interface Finding {
  /** What was looked at, in a word or two, such as `connections`. */
  readonly subject: string;
  readonly verdict: 'ok' | 'warning' | 'problem';
  /** A sentence; for a warning or a problem it says what to do. */
  readonly message: string;
}

/** Reads what an operator must know. */
export interface StateReader {
  /** @param now business time */
  read(now: Date): Promise<StoredState>;
  /** Of all accounts. */
  countWaitingPayouts(): Promise<WaitingPayouts>;
  /** @param now business time */
  countDueSubscriptions(now: Date): Promise<DueSubscriptions>;
  /** Looks at the schema, and at the server itself: its version, settings, load and locks. */
  inspect(): Promise<readonly Finding[]>;
}
