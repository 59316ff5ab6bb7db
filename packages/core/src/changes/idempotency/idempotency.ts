import type { OperationId, RequestId } from '../../kernel/basics/id.ts';
import type { IdempotencyClaim } from '../../kernel/callers/principal.ts';

/** An answer as it was sent, stored for replays. */
export interface StoredResponse {
  readonly status: number;
  /** The exact body; JSON text, sealed if it contains a secret. */
  readonly body: string;
  /** The name of the key that sealed the body; absent if it is not sealed. */
  readonly kid?: string;
}

/** The row of one `Idempotency-Key` of an account and environment. */
export type IdempotencyRecord = {
  readonly fingerprint: string;
  readonly requestId: RequestId;
  /** Who stored it, as the claim says; absent: a process of an earlier version. */
  readonly credential?: string;
} & (
  | { readonly state: 'running'; readonly lockedUntil: Date; readonly operationId?: OperationId }
  | { readonly state: 'done'; readonly response: StoredResponse }
);

/** Finishes an idempotency key in the commit of its request. */
export interface ClaimedResponse {
  readonly claim: IdempotencyClaim;
  readonly response: StoredResponse;
}
