import type { LockHolder } from '@paymount/core/events';
import type { EndpointId, Environment } from '@paymount/core/kernel';
import type { DueSubscriptions, WaitingPayouts } from '@paymount/core/store';

/** The number of operations of an environment that a person must look at. */
export interface Waiting {
  readonly underReview: number;
  /** How many of them have a result that has waited for the hook for more than 5 minutes. */
  readonly hookWaits: number;
  /** How long the oldest has waited, in milliseconds; absent if there is none. */
  readonly oldestMs?: number;
}

/** The number of notices of an environment that a person must look at. */
export interface WaitingNotices {
  readonly underReview: number;
  /** How long the oldest has waited, in milliseconds; absent if there is none. */
  readonly oldestMs?: number;
}

/** An endpoint whose results wait for a lock of another session of the database. */
export interface LockedEndpointHealth {
  readonly endpoint: EndpointId;
  readonly waitingMs: number;
  readonly holders: readonly LockHolder[];
}

/** The health of the service, as far as an operator can act on it. Absent facts are unknown. */
export interface Health {
  readonly database: {
    readonly reachable: boolean;
    /** Milliseconds of one round trip. */
    readonly latencyMs?: number;
  };
  /** Whether this version can use the tables as they are now. */
  readonly schema?: 'current' | 'unusable';
  /** The generation of access changes. */
  readonly epoch?: { readonly gen: bigint; readonly inRecovery: boolean };
  /** Redis. Without it retries use the database; `evicting` if it may drop them. */
  readonly queue: 'absent' | 'reachable' | 'unreachable' | 'evicting';
  /** The worker of this process; absent if it has none. */
  readonly worker?: {
    /** How long ago it last looked for due deliveries. */
    readonly pollAgeMs: number;
    /** How far the database's clock is ahead of this machine's. */
    readonly clockOffsetMs: number;
    /** Nothing is sent, because results of attempts cannot be recorded. */
    readonly sendingHeld: boolean;
    /** Endpoints whose results have waited for over a second for a lock of another session. */
    readonly lockedEndpoints: readonly LockedEndpointHealth[];
    /** Delivery attempts that run now, by lane. */
    readonly inFlight: Readonly<Record<string, number>>;
    /** Names of scheduled tasks whose last run failed. */
    readonly failingTasks: readonly string[];
  };
  /** How late the most overdue delivery of a fresh event is, by lane of its endpoint. */
  readonly overdueMs?: Readonly<Record<'fast' | 'slow', number>>;
  /** For how many days after today the log of attempts has partitions. */
  readonly logDaysAhead?: number;
  /** E-mails that are not sent yet, how long the oldest has waited, and those of a day given up. */
  readonly mails?: {
    readonly waiting: number;
    readonly oldestMs?: number;
    readonly givenUp: number;
  };
  /** Webhook endpoints that are not deleted, by status and lane. */
  readonly endpoints?: Readonly<
    Record<'enabled' | 'disabled', Readonly<Record<'fast' | 'slow', number>>>
  > & {
    /** The enabled ones whose last attempt failed. */
    readonly failing: number;
  };
  /** Operations that a person must look at. */
  readonly operations?: Readonly<Record<Environment, Waiting>>;
  /** Notices of processors that a person must look at. */
  readonly notices?: Readonly<Record<Environment, WaitingNotices>>;
  /** Automatic payouts that are due and wait, by what they wait for. */
  readonly waitingPayouts?: WaitingPayouts;
  /** Subscriptions that are due, how long the oldest is, and those that are past due, by class. */
  readonly subscriptions?: Pick<DueSubscriptions, 'due' | 'pastDue' | 'failing'> & {
    readonly oldestMs: number;
    /** Reminders of customers that are due, how long the oldest is, and those that could not be written. */
    readonly reminders: Pick<DueSubscriptions['reminders'], 'due' | 'failing'> & {
      readonly oldestMs: number;
    };
  };
  /**
   * `present`: this process has a hook; `none`: no process has one; `missing`: others have one, so
   * this process records no results.
   */
  readonly hook?: 'present' | 'none' | 'missing';
  /** The key that seals new secrets. */
  readonly sealingKey?: string;
  /**
   * Names of keys that sealed stored secrets, and that this process does not have or has with other
   * bytes.
   */
  readonly missingSealingKeys?: readonly string[];
}

/** Checks each part once. Never rejects: unreachable parts are reported. */
export type CheckHealth = () => Promise<Health>;
