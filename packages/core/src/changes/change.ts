import type { Owner } from '../kernel/basics/environment.ts';
import type { CredentialSnapshot, IdempotencyClaim } from '../kernel/callers/principal.ts';
import { isError } from '../kernel/errors/is-error.ts';
import type { AuditEntry } from './audit/audit.ts';
import type { Event } from './events/event.ts';
import type { StoredResponse } from './idempotency/idempotency.ts';
import type { WrittenMail } from './mails/mail.ts';

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
 * The change that a service computed. Storage commits all of it or nothing. The event is one of its
 * fields: an event cannot be recorded without its cause. Each area adds the other fields of its own
 * changes: `PaymentChange`, `WebhookChange`.
 */
export interface Change<Row = never> extends Owner {
  /**
   * Business time of the change. `deadlineAt` and `nextLookupAt` of an operation are stored
   * relative to the database's time, with the same distance as from this time.
   */
  readonly at: Date;
  /** Inserted first; if the key already has a row, nothing is written: `claimed`. */
  readonly claim?: IdempotencyClaim;
  /**
   * The state of the caller's credential when it was accepted. If it has changed, or the key has
   * expired, nothing is written: `access_changed`. Given by every change that moves money or says
   * where events go.
   */
  readonly credential?: CredentialSnapshot;
  readonly writes: readonly Row[];
  readonly events?: readonly Event[];
  /** Finishes the key of `claim`, or of the operation whose result is recorded. */
  readonly response?: { readonly key: string; readonly response: StoredResponse };
  /** Written into the outbox; a mail whose `dedupeKey` already exists is left out. */
  readonly mails?: readonly WrittenMail[];
  /** Added to the audit chain and written with everything else. */
  readonly audit?: AuditEntry;
}

/**
 * - `applied`: everything is committed (or will be, with the host's transaction)
 * - `raced`: a row had left the expected version; nothing was written
 * - `claimed`: the idempotency key has a row; nothing was written
 * - `access_changed`: the caller's credential must be checked again; nothing was written
 */
export type ChangeResult = 'applied' | 'raced' | 'claimed' | 'access_changed';

const HOOK = 'PaymountHookError';

/**
 * The result waits for the host's hook: the hook refused it, or this process does not have the hook
 * while others do (`isMissing`). The resolver offers the result again.
 */
export class HookError extends Error {
  override readonly name = HOOK;
  readonly isMissing: boolean;

  /**
   * @param options `isMissing`: this process has no hook. @defaultValue the hook was called, and
   *   failed
   */
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
 * Thrown by services if the answer is, or will be, the one stored under the idempotency key:
 * another request claimed it first, or another process records this result. The HTTP layer catches
 * it and reads the key's row again.
 */
export class ClaimedError extends Error {
  override readonly name = CLAIMED;

  static is(value: unknown): value is ClaimedError {
    return isError(value) && value.name === CLAIMED;
  }
}

const ACCESS_CHANGED = 'PaymountAccessChangedError';

/**
 * Thrown by services if the caller's credential changed between the guard and the commit. The HTTP
 * layer asks the guard again, past its cache, and then either refuses or starts over.
 */
export class AccessChangedError extends Error {
  override readonly name = ACCESS_CHANGED;

  static is(value: unknown): value is AccessChangedError {
    return isError(value) && value.name === ACCESS_CHANGED;
  }
}
