/** Facts about an installation that only its data can tell. */
export interface StoredState {
  /** For how many days after today the log of attempts is ready; below 0 it cannot take attempts. */
  readonly logDaysAhead: number;
  readonly mails: {
    /** The e-mails that are due and not sent. */
    readonly waiting: number;
    /** When the oldest of them was written. */
    readonly since?: Date;
  };
  readonly endpoints: Readonly<Record<'enabled' | 'disabled', number>>;
}

/** Reads what an operator must know. */
export interface StateReader {
  /** @param now business time */
  read(now: Date): Promise<StoredState>;
}
