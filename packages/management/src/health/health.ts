import type { Environment } from '@paymount/core/kernel';

/** How many operations of an environment a person must look at. */
export interface Waiting {
  readonly underReview: number;
  /** How long the oldest waits, in milliseconds; absent when none does. */
  readonly oldestMs?: number;
}

/** How the service is, as far as an operator can do something about it. */
export interface Health {
  readonly database: {
    readonly reachable: boolean;
    /** Milliseconds of one round trip. */
    readonly latencyMs?: number;
  };
  /** The generation of access changes; absent when the database cannot be asked. */
  readonly epoch?: { readonly gen: bigint; readonly inRecovery: boolean };
  /** Redis. Without it the database drives the retries. */
  readonly queue: 'absent' | 'reachable' | 'unreachable';
  /** How late the most overdue delivery of a fresh event is; absent when the database cannot be asked. */
  readonly overdueMs?: number;
  /** Operations that a person must look at; absent when the database cannot be asked. */
  readonly operations?: Readonly<Record<Environment, Waiting>>;
  /**
   * `present`: this process has a hook; `none`: nobody has; `missing`: others have one, so that this
   * process records no results. Absent when the database cannot be asked.
   */
  readonly hook?: 'present' | 'none' | 'missing';
  /** The key that seals; absent when it cannot be reached. */
  readonly sealingKey?: string;
  /**
   * Names of keys that sealed stored secrets, and that this process lacks or holds with other
   * bytes; absent when the secrets or the keys cannot be reached.
   */
  readonly missingSealingKeys?: readonly string[];
}

/** Looks at each part once. Never rejects: what cannot be asked is told so. */
export type CheckHealth = () => Promise<Health>;
