import { isError } from '@paymount/core/kernel';

/**
 * A credential that was checked in a transaction may be revoked before the COMMIT arrives: the
 * process or the network may stall. So the server itself checks, by its own clock, that it commits
 * within 500 ms of the check, and otherwise rolls back.
 */
const LIMIT_SECONDS = 0.5;
const SETTING = 'paymount.commit_by';
/** Null if no credential was checked. The setting is empty after the transaction that set it. */
const COMMIT_BY = `NULLIF(current_setting('${SETTING}', true), '')`;

/** Appears in the error of a commit that came too late. */
export const LATE = 'paymount: late';
const ERROR_INVALID_TEXT = '22P02';

/**
 * An expression in the statement that checks the credential. The first check of a transaction
 * counts.
 */
export const COMMIT_SOON = `set_config('${SETTING}', COALESCE(${COMMIT_BY},
    (extract(epoch FROM statement_timestamp()) + ${LIMIT_SECONDS})::text), true)`;

/** COMMIT in the same message as the check of the clock, so that no time passes in between. */
export const COMMIT_IN_TIME = `SELECT CASE
  WHEN extract(epoch FROM clock_timestamp()) > ${COMMIT_BY}::numeric
  THEN ${failedCast(LATE, 'pg_backend_pid()')} END; COMMIT`;

/**
 * An expression that fails when it is reached.
 * @param something SQL that the planner cannot evaluate in advance, because that would fail
 */
export function failedCast(of: string, something: string): string {
  return `('${of} ' || ${something})::integer`;
}

/** Whether that is why a statement failed. */
export function isFailedCast(error: unknown, of: string): boolean {
  return (
    isError(error) &&
    'code' in error &&
    error.code === ERROR_INVALID_TEXT &&
    error.message.includes(of)
  );
}
