import type { Owner } from '../../kernel/basics/environment.ts';
import type { IdempotencyClaim } from '../../kernel/callers/principal.ts';
import type { IdempotencyRecord, StoredResponse } from './idempotency.ts';

/** Idempotency keys and their stored answers. Each call commits by itself. */
export interface IdempotencyRepository {
  find(owner: Owner, key: string): Promise<IdempotencyRecord | undefined>;
  /**
   * Stores an answer without a `Change` (an error during execution). Does nothing if the key
   * already has a row.
   * @returns whether it was stored
   */
  record(claim: IdempotencyClaim, response: StoredResponse): Promise<boolean>;
  /**
   * Takes over an expired lock by compare-and-set on `seenLockedUntil`; of two callers one wins.
   * The winner resumes from the operation row; it never executes the request again.
   */
  takeOver(claim: IdempotencyClaim, seenLockedUntil: Date): Promise<boolean>;
  /**
   * Replaces the body of a finished key by compare-and-set on the body that was read (expanded
   * answers); of two callers one wins, and the other reads the new body. @returns whether it won
   */
  amend(owner: Owner, key: string, body: { seen: string; next: string }): Promise<boolean>;
  /** Deletes the row that this request stored, so that its key is free again. */
  forget(claim: IdempotencyClaim): Promise<void>;
  /**
   * Deletes rows created before `before`, at most `limit`, except those whose operation is
   * unresolved. @returns how many
   */
  purge(before: Date, limit: number): Promise<number>;
}
