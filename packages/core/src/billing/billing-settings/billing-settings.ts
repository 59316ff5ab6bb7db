import type { AccountId } from '../../kernel/basics/id.ts';

/** What is done with a subscription that was not paid until the last day of collection. */
export const AFTER_LAST_ATTEMPT = ['cancel', 'leave_unpaid'] as const;
/** Which of the periods that nobody billed in time are charged: each, or the newest only. */
export const CATCH_UP = ['bill_all', 'bill_latest'] as const;
/** The most charges of one account in a second that an admin may allow: as many as one pass of a worker has. */
export const MAX_CHARGES_PER_SECOND = 200;

/** How the subscriptions of an account are billed. */
export interface BillingSettings {
  readonly accountId: AccountId;
  readonly afterLastAttempt: (typeof AFTER_LAST_ATTEMPT)[number];
  readonly catchUp: (typeof CATCH_UP)[number];
  /** Whether a dispute that is lost about a charge of a subscription ends the subscription. */
  readonly cancelsOnDispute: boolean;
  /** As much of the account each worker bills in a second; only an admin changes it. */
  readonly chargesPerSecond: number;
}
