import { isError, PaymountError } from '@paymount/core/kernel';

interface SqlError extends Error {
  readonly code: string;
  readonly severity: string;
  readonly constraint?: string;
  readonly table?: string;
}

/** One of our own, of PostgreSQL's class "insufficient resources". */
export const SESSION_HELD = '53PM1';
const RETRY_AFTER_SECONDS = 1;

/** The server refused one statement; the connection is as good as before. */
export function isSqlError(value: unknown): value is SqlError {
  return (
    isError(value) &&
    'code' in value &&
    typeof value.code === 'string' &&
    'severity' in value &&
    value.severity === 'ERROR'
  );
}

/** A statement that needs a transaction found none open. */
export function isOutsideTransaction(value: unknown): boolean {
  return isSqlError(value) && value.code === '25P01';
}

/** A statement failed in this transaction before, so that it takes no other. */
export function isAborted(value: unknown): boolean {
  return isSqlError(value) && value.code === '25P02';
}

/** A read-only transaction refused to write; or what was thrown because of that. */
export function isReadOnly(value: unknown): boolean {
  const error = PaymountError.is(value) ? value.cause : value;
  return isSqlError(error) && error.code === '25006';
}

/** A statement names a table of a schema that is not there, or has not that table. */
export function isTableMissing(value: unknown, schema: string): boolean {
  return isSqlError(value) && value.code === '42P01' && value.message.includes(`${schema}.`);
}

/** A savepoint ended with its transaction, or with one around it. */
export function isSavepointLost(value: unknown): boolean {
  return isOutsideTransaction(value) || (isSqlError(value) && value.code === '3B001');
}

/**
 * Serialization failures, deadlocks, and ledger accounts that are opened by the next try: running
 * the same work again is the cure.
 */
export function isRerunnable(value: unknown): boolean {
  if (!isSqlError(value)) return false;
  return value.code === '40001' || value.code === '40P01' || isLostLedger(value);
}

/** An entry of the ledger named an account that is not there. */
export function isLostLedger(value: unknown): boolean {
  return isSqlError(value) && value.code === '23502' && value.table === 'ledger_entry';
}

/** PGlite's one session is held by a transaction; the message says by which, and what to do. */
function isHeld(value: unknown): value is Error {
  return isError(value) && 'code' in value && value.code === SESSION_HELD;
}

/** A row names an account that is not there; as PostgreSQL names the constraint for it. */
export function isUnknownAccount(value: unknown): boolean {
  return isSqlError(value) && /_account_id_fkey$/.test(value.constraint ?? '');
}

/** Errors of a host may name themselves as their cause. */
const MAX_CAUSES = 10;

/** A statement waited for a lock for as long as it may; or what was thrown because of that. */
export function isLockedOut(value: unknown): boolean {
  let cause = value;
  for (let depth = 0; depth < MAX_CAUSES && isError(cause); depth += 1) {
    if (isSqlError(cause)) return cause.code === '55P03';
    ({ cause } = cause);
  }
  return false;
}

/** A lock's limit; and a statement's, which it reaches by waiting in a queue for a lock. */
const LOCKED = new Set(['55P03', '57014']);
/** SQLSTATEs that mean "not now": connection lost, no room, read-only, shutting down. */
const UNAVAILABLE = /^(?:08|53|57|58|25006)/;

/**
 * Names a failed statement in the words of the error table. Deadlocks stay as they are, because
 * their cure is to run the transaction again, and what is unforeseen stays for the log.
 */
export function translated(error: unknown): unknown {
  if (!isSqlError(error)) return unavailable(error);
  if (LOCKED.has(error.code)) return new PaymountError('lock_timeout', undefined, { cause: error });
  if (error.constraint === 'operations_one_unresolved') {
    return new PaymountError('operation_in_progress', undefined, { cause: error });
  }
  if (error.constraint === 'ledger_account_available_covered') {
    return new PaymountError('balance_insufficient', undefined, { cause: error });
  }
  return UNAVAILABLE.test(error.code) ? unavailable(error) : error;
}

/** 503: the database gave no answer in time, or none at all. */
export function unavailable(cause: unknown): PaymountError {
  return new PaymountError('unavailable', isHeld(cause) ? cause.message : undefined, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}
