import type { Environment } from '@paymount/core/kernel';

/** The number of operations of an environment that a person must look at. */
export interface Waiting {
  readonly underReview: number;
  /** How many of them have a result that has waited for the hook for more than 5 minutes. */
  readonly hookWaits: number;
  /** How long the oldest has waited, in milliseconds; absent if there is none. */
  readonly oldestMs?: number;
}

/** The health of the service, as far as an operator can act on it. */
export interface Health {
  readonly database: {
    readonly reachable: boolean;
    /** Milliseconds of one round trip. */
    readonly latencyMs?: number;
  };
  /** The generation of access changes; absent if the database cannot be reached. */
  readonly epoch?: { readonly gen: bigint; readonly inRecovery: boolean };
  /** Redis. Without it retries use the database. */
  readonly queue: 'absent' | 'reachable' | 'unreachable';
  /**
   * How late the most overdue delivery of a fresh event is; absent if the database cannot be
   * reached.
   */
  readonly overdueMs?: number;
  /** Operations that a person must look at; absent if the database cannot be reached. */
  readonly operations?: Readonly<Record<Environment, Waiting>>;
  /**
   * `present`: this process has a hook; `none`: no process has one; `missing`: others have one, so
   * this process records no results. Absent if the database cannot be reached.
   */
  readonly hook?: 'present' | 'none' | 'missing';
  /** The key that seals new secrets; absent if it cannot be reached. */
  readonly sealingKey?: string;
  /**
   * Names of keys that sealed stored secrets, and that this process does not have or has with other
   * bytes; absent if the secrets or the keys cannot be reached.
   */
  readonly missingSealingKeys?: readonly string[];
}

/** Checks each part once. Never rejects: unreachable parts are reported. */
export type CheckHealth = () => Promise<Health>;
