import type { Acting } from 'paymount';

/** What a merchant's server or the host itself asked for, and the last word that it got. */
export interface Asked {
  readonly acting: Acting;
  /** `using`: by the host's own code, in a transaction of its own. */
  readonly via: 'http' | 'using';
  readonly what: 'charge' | 'capture' | 'cancel' | 'refund' | 'payout' | 'answer';
  /**
   * How it is known to whoever asked: in the metadata of a charge `order`, of a refund or payout `call`.
   * An answer to a dispute makes nothing that has a name.
   */
  readonly names: readonly string[];
  /** An answer was lost on the way: a request of it may have been carried out unheard. */
  readonly wasCut?: true;
  /** Absent as long as nobody knows. */
  readonly answer?: FinalAnswer;
}

/** An answer after which nobody asks again. */
export type FinalAnswer =
  /** `ids`: of the charges or the refund; `status` only where the answer shows it. */
  | { readonly verdict: 'done'; readonly ids: readonly string[]; readonly status?: string }
  /** 402 or 502: the charge was made, and has failed. */
  | { readonly verdict: 'failed'; readonly code: string }
  | { readonly verdict: 'refused'; readonly code: string }
  /** By the host's own will. */
  | { readonly verdict: 'rolled back' };
