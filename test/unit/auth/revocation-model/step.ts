export const KEYS = 4;
export const ACCOUNTS = 2;

/** What may happen next. */
export type Step =
  /** As many requests at once: with a look-up under way they share it. */
  | { readonly do: 'request'; readonly key: number; readonly times: number }
  /** A transaction found that the credential stands otherwise now. */
  | { readonly do: 'askAgain'; readonly key: number }
  | {
      readonly do: 'change';
      readonly key: number;
      readonly to: 'revoked' | 'ended' | 'cut' | 'widened' | 'renamed' | 'created';
    }
  /** Suspends an account, or resumes it. */
  | { readonly do: 'switch'; readonly account: number }
  | { readonly do: 'step' | 'fail'; readonly query: number }
  | { readonly do: 'advance'; readonly ms: number }
  /** The wall clock is set; or the machine sleeps, which the monotonic clock does not count. */
  | { readonly do: 'stepWall' | 'sleep'; readonly ms: number }
  | { readonly do: 'failOver'; readonly lost: number }
  /** The database takes the snapshots for these questions; it answers them. */
  | { readonly do: 'execute' | 'answer'; readonly what: 'look-ups' | 'syncs' | 'all' }
  | { readonly do: 'purge' | 'recovery' | 'refresh' };
