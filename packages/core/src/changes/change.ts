import type { Owner } from '../kernel/basics/environment.ts';
import type { CredentialSnapshot, IdempotencyClaim } from '../kernel/callers/principal.ts';
import { isError } from '../kernel/errors/is-error.ts';
import type { AuditEntry } from './audit/audit.ts';
import type { Event } from './events/event.ts';
import type { StoredAnswer } from './idempotency/idempotency.ts';
import type { Mail } from './mails/mail.ts';

/**
 * One guarded write. `insert` adds the row (version 1). `update` replaces it where the stored
 * version is `row.version - 1`; otherwise the change is `raced`.
 */
export interface Write<Kind extends string, Row> {
  readonly mode: 'insert' | 'update';
  readonly kind: Kind;
  readonly row: Row;
}

/**
 * What a service computed and storage commits, whole or not at all. The event is one of its
 * fields: never without its cause, and there is no other way to record one. Each area adds what
 * else its own changes may hold: `PaymentChange`, `WebhookChange`.
 */
export interface Change<Row = never> extends Owner {
  /**
   * Business time of the change. `deadlineAt` and `nextLookupAt` of an operation are written as far
   * after the database's time as they are after this.
   */
  readonly at: Date;
  /** Inserted first; when the key has a row already nothing is written: `claimed`. */
  readonly claim?: IdempotencyClaim;
  /**
   * What the caller's credential stood on when it was let in. When it stands otherwise now, or the
   * key has expired, nothing is written: `access_changed`. Given by whatever moves money, or says
   * where events go.
   */
  readonly credential?: CredentialSnapshot;
  readonly writes: readonly Row[];
  readonly events?: readonly Event[];
  /** Finishes the key: `claim`'s, or that of the operation being settled. */
  readonly answer?: { readonly key: string; readonly answer: StoredAnswer };
  /** Written into the outbox; one whose `dedupeKey` is there already is left out. */
  readonly mails?: readonly Mail[];
  /** Chained and written with everything else. */
  readonly audit?: AuditEntry;
}

/**
 * - `applied`: everything is committed (or will be, with the host's transaction)
 * - `raced`: a row had left the expected version; nothing was written
 * - `claimed`: the idempotency key has a row; nothing was written
 * - `access_changed`: the caller's credential must be judged again; nothing was written
 */
export type ChangeResult = 'applied' | 'raced' | 'claimed' | 'access_changed';

export interface Changes<Of extends Change<unknown>> {
  /**
   * @throws `HookError` when the host's hook threw, or is in use and not here
   * @throws PaymountError `operation_in_progress` when the subject has an unresolved operation,
   *   `resource_missing` when it inserts rows of an account that there is none
   */
  apply(change: Of): Promise<ChangeResult>;
}

const HOOK = 'PaymountHookError';

/**
 * The result waits for the host's hook, which refused it, or which this process does not have while
 * others do (`isMissing`); the resolver offers it again.
 */
export class HookError extends Error {
  override readonly name = HOOK;
  readonly isMissing: boolean;

  /** @param options `isMissing`: there was no hook to call. @defaultValue it was called, and failed */
  constructor(message: string, options: ErrorOptions & { readonly isMissing?: true } = {}) {
    super(message, options);
    this.isMissing = options.isMissing ?? false;
  }

  static is(value: unknown): value is HookError {
    return isError(value) && value.name === HOOK;
  }
}

const CLAIMED = 'PaymountClaimedError';

/**
 * Thrown by services when the answer is what stands, or will stand, under the idempotency key:
 * another request claimed it first, or this one's result is recorded by somebody else. The HTTP
 * layer catches it and judges the key's row again.
 */
export class ClaimedError extends Error {
  override readonly name = CLAIMED;

  static is(value: unknown): value is ClaimedError {
    return isError(value) && value.name === CLAIMED;
  }
}

const ACCESS_CHANGED = 'PaymountAccessChangedError';

/**
 * Thrown by services when the caller's credential changed between the guard and the commit. The
 * HTTP layer asks the guard again, past its cache, and then either refuses or starts over.
 */
export class AccessChangedError extends Error {
  override readonly name = ACCESS_CHANGED;

  static is(value: unknown): value is AccessChangedError {
    return isError(value) && value.name === ACCESS_CHANGED;
  }
}
