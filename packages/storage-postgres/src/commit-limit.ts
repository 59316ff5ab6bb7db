import { isError } from '@paymount/core/kernel';

/**
 * A credential that was judged in a transaction may be revoked before its COMMIT arrives: the
 * process may stand still, or the network. So the server itself, on its own clock, commits within
 * 500 ms of the judgement, or not at all.
 */
const LIMIT_SECONDS = 0.5;
const SETTING = 'paymount.commit_by';
/** Null where no credential was judged; the setting is empty after the transaction that made it. */
const COMMIT_BY = `NULLIF(current_setting('${SETTING}', true), '')`;

/** Appears in the error of what came too late. */
export const LATE = 'paymount: late';
const ERROR_INVALID_TEXT = '22P02';

/** An expression of the statement that judges. The first judgement of a transaction counts. */
export const COMMIT_SOON = `set_config('${SETTING}', COALESCE(${COMMIT_BY},
    (extract(epoch FROM statement_timestamp()) + ${LIMIT_SECONDS})::text), true)`;

/** COMMIT in the message that looks at the clock, so that nothing comes between. */
export const COMMIT_IN_TIME = `SELECT CASE
  WHEN extract(epoch FROM clock_timestamp()) > ${COMMIT_BY}::numeric
  THEN ${failedCast(LATE, 'pg_backend_pid()')} END; COMMIT`;

/**
 * An expression that fails when it is reached.
 * @param something SQL that the planner cannot work out, and so fail, beforehand
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
