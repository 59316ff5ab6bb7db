/** The one source of time. Business time is read here and passed on, never taken from SQL. */
export interface Clock {
  /** Business time. */
  now(): Date;
  /** Milliseconds of a clock that never steps; only differences mean anything. */
  monotonicMs(): number;
  /**
   * How far `now()` runs ahead of the machine's wall clock, in milliseconds: 0 but under a fake
   * clock. SQL that compares due times adds it to the database's time.
   */
  readonly shiftMs: number;
}
