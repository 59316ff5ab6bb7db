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

/** The server refused one statement; the connection is still usable. */
export function isSqlError(value: unknown): value is SqlError {
  return (
    isError(value) &&
    'code' in value &&
    typeof value.code === 'string' &&
    'severity' in value &&
    value.severity === 'ERROR'
  );
}

/** A statement that needs a transaction ran outside one. */
export function isOutsideTransaction(value: unknown): boolean {
  return isSqlError(value) && value.code === '25P01';
}

/** An earlier statement of this transaction failed, so it accepts no further ones. */
export function isAborted(value: unknown): boolean {
  return isSqlError(value) && value.code === '25P02';
}

/** A read-only transaction refused to write; or an error with that as its cause. */
export function isReadOnly(value: unknown): boolean {
  const error = PaymountError.is(value) ? value.cause : value;
  return isSqlError(error) && error.code === '25006';
}

/** The schema of a table, or the table, does not exist. @param schemaName not quoted */
export function isTableMissing(value: unknown, schemaName: string): boolean {
  return isSqlError(value) && value.code === '42P01' && value.message.includes(`${schemaName}.`);
}

/** A savepoint ended together with its transaction or an outer savepoint. */
export function isSavepointLost(value: unknown): boolean {
  return isOutsideTransaction(value) || (isSqlError(value) && value.code === '3B001');
}

/**
 * Serialization failures, deadlocks, and missing ledger accounts that the next try opens: the same
 * work can be run again.
 */
export function isRerunnable(value: unknown): boolean {
  if (!isSqlError(value)) return false;
  return value.code === '40001' || value.code === '40P01' || isLostLedger(value);
}

/** A ledger entry refers to an account that does not exist. */
export function isLostLedger(value: unknown): boolean {
  return isSqlError(value) && value.code === '23502' && value.table === 'ledger_entry';
}

/** A transaction holds the only session of PGlite; the message says which one, and what to do. */
function isHeld(value: unknown): value is Error {
  return isError(value) && 'code' in value && value.code === SESSION_HELD;
}

/**
 * A row refers to an account that does not exist; the name is PostgreSQL's default for the
 * constraint.
 */
export function isUnknownAccount(value: unknown): boolean {
  return isSqlError(value) && /_account_id_fkey$/.test(value.constraint ?? '');
}

/** SQLSTATEs of values that the database refuses: the same statement fails each time. */
const REFUSED = /^2[23]/;

/**
 * Why a statement would fail again: a value that the database refuses.
 * @returns a sentence without values of rows; undefined for errors that may pass
 */
export function whyRefused(value: unknown): string | undefined {
  if (!isSqlError(value) || !REFUSED.test(value.code)) return undefined;
  const table = value.table === undefined ? '' : ` of table ${value.table}`;
  const what = value.constraint === undefined ? 'a value' : `constraint ${value.constraint}`;
  return `The database refused a step: ${what}${table} (SQLSTATE ${value.code}).`;
}

/** An error of a host may be its own cause. */
const MAX_CAUSES = 10;

/** A statement waited too long for a lock; or an error with that as its cause. */
export function isLockedOut(value: unknown): boolean {
  let cause = value;
  for (let depth = 0; depth < MAX_CAUSES && isError(cause); depth += 1) {
    if (isSqlError(cause)) return cause.code === '55P03';
    ({ cause } = cause);
  }
  return false;
}

/**
 * The lock timeout, and the statement timeout, which a statement reaches while it waits for locks.
 */
const LOCKED = new Set(['55P03', '57014']);
/** What refuses a payment out that the balance does not cover. */
const UNCOVERED = new Set(['ledger_account_available_covered', 'balance_refunds_covered']);
/** SQLSTATEs that mean "not now": connection lost, no room, read-only, shutting down. */
const UNAVAILABLE = /^(?:08|53|57|58|25006)/;

/**
 * Converts the error of a failed statement to a code of the error table. Deadlocks stay as they
 * are, because the transaction must run again. Unknown errors also stay, for the log.
 */
export function translated(error: unknown): unknown {
  if (!isSqlError(error)) return unavailable(error);
  if (LOCKED.has(error.code)) return new PaymountError('lock_timeout', undefined, { cause: error });
  if (error.constraint === 'operations_one_unresolved') {
    return new PaymountError('operation_in_progress', undefined, { cause: error });
  }
  if (error.constraint !== undefined && UNCOVERED.has(error.constraint)) {
    return new PaymountError('balance_insufficient', undefined, { cause: error });
  }
  return UNAVAILABLE.test(error.code) ? unavailable(error) : error;
}

/** 503: the database did not respond, or not in time. */
export function unavailable(cause: unknown): PaymountError {
  return new PaymountError('unavailable', isHeld(cause) ? cause.message : undefined, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}
