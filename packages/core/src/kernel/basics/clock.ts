/** The one source of time. Business time is read here and passed on, never taken from SQL. */
export interface Clock {
  /** Business time. */
  now(): Date;
  /** Milliseconds of a monotonic clock. Only differences between two values have a meaning. */
  monotonicMs(): number;
  /**
   * How far `now()` is ahead of the machine's wall clock, in milliseconds: 0 except with a fake
   * clock. SQL that compares due times adds it to the database's time.
   */
  readonly shiftMs: number;
}
