import type { Owner } from '../../kernel/basics/environment.ts';
import type { OperationId, RequestId } from '../../kernel/basics/id.ts';
import type { IdempotencyClaim } from '../../kernel/callers/principal.ts';

/** An answer as it was sent, kept for replays. */
export interface StoredAnswer {
  readonly status: number;
  /** The exact body; JSON text, sealed when it shows a secret. */
  readonly body: string;
  /** Names the key that sealed the body; absent when it is not sealed. */
  readonly kid?: string;
}

/** What stands under one `Idempotency-Key` of an account and environment. */
export type IdempotencyRecord = {
  readonly fingerprint: string;
  readonly requestId: RequestId;
} & (
  | { readonly state: 'running'; readonly lockedUntil: Date; readonly operationId?: OperationId }
  | { readonly state: 'done'; readonly answer: StoredAnswer }
);

export interface IdempotencyRepository {
  find(owner: Owner, key: string): Promise<IdempotencyRecord | undefined>;
  /**
   * Stores an answer found without a `Change` (an error met in execution). Does nothing when
   * the key has a row already.
   * @returns whether it was stored
   */
  record(claim: IdempotencyClaim, answer: StoredAnswer): Promise<boolean>;
  /**
   * Takes an expired lock over by compare-and-set on `seenLockedUntil`; of two callers one wins.
   * The winner resumes from the operation row, it never executes anew.
   */
  takeOver(claim: IdempotencyClaim, seenLockedUntil: Date): Promise<boolean>;
  /**
   * Replaces the body of a finished key by compare-and-set on what was seen of it (expanded
   * answers); of two callers one wins, and the other finds its body. @returns whether it won
   */
  amend(owner: Owner, key: string, body: { seen: string; next: string }): Promise<boolean>;
  /** Deletes the row that this very request stored, so that its key is free again. */
  forget(claim: IdempotencyClaim): Promise<void>;
  /**
   * Deletes rows created before `before`, at most `limit`, but for those whose operation is
   * unresolved. @returns how many
   */
  purge(before: Date, limit: number): Promise<number>;
}

/** What finishes an idempotency key in the commit that does its work. */
export interface ClaimedAnswer {
  readonly claim: IdempotencyClaim;
  readonly answer: StoredAnswer;
}
