import type { ChangeResult } from '@paymount/core/changes';
import { missing, PaymountError } from '@paymount/core/kernel';
import type { StoredChange } from '@paymount/core/store';
import { isUnknownAccount } from '../connection/sql-errors.ts';
import { type Statement, statement } from '../connection/statement.ts';
import { IS_JOINED } from '../host-transaction/joined-transaction.ts';
import { COMMIT_SOON, failedCast, isFailedCast, LATE } from '../transaction/commit-limit.ts';
import type { OpenTransaction } from '../transaction/session.ts';
import { ENDED } from '../transaction/transaction-level.ts';
import { OWNER, type Part, type Place } from './part.ts';

/** How long a statement waits for one lock, by the letter that its name contains. */
const LOCK_LIMITS_MS = {
  /** It is a transaction of its own. */
  a: 3_000,
  /**
   * The caller's credential was checked before the wait, and may be revoked during it; or several
   * changes share the statement, and all would wait for one.
   */
  c: 250,
  /** The same in one of our transactions, which must commit soon after. */
  d: 250,
  /** The limit of its transaction applies, or it does not wait. */
  t: undefined,
  /** The same, in a host's transaction only. */
  h: undefined,
} as const;
type LockLimit = keyof typeof LOCK_LIMITS_MS;
type Within = OpenTransaction['kind'] | 'shared';
/**
 * That limit is per lock, and a statement may wait for several locks. This is the limit for all of
 * them, from the check of the credential until the last guard has passed.
 */
const GUARDS_LIMIT_MS = 400;

/** Appears in the error of a change that must be undone because a later guard failed. */
const RACED = 'paymount: raced';
/**
 * The same, because the host's transaction has already ended: the change would commit on its own.
 */
const ALONE = 'paymount: alone';

/** The outcome of a change, and its time. */
export interface Applied {
  readonly result: ChangeResult;
  readonly at: Date;
}

/** The result row of the statement of a change. */
export interface ChangeRow {
  readonly result: ChangeResult | 'endpoints_changed' | 'hook_missing';
  readonly at: Date;
}

/** The single statement of a change, and its values. */
export interface ChangeStatement {
  readonly statement: Statement;
  readonly values: unknown[];
}

/**
 * Puts the parts of a change into one data-modifying statement: guards first, each after the
 * previous one, then the parts that depend on all of them. If a guard does not pass before anything
 * was written, nothing is written. If a later one does not pass, the statement fails, so that
 * nothing is written either.
 * @param within the owner of the transaction in which it runs; if absent, the statement is its own
 * transaction, and `shared` if that is one of several changes
 */
export function changeStatement(
  owner: readonly [accountId: string, livemode: boolean],
  parts: readonly Part[],
  within?: Within,
): ChangeStatement {
  const guards = parts.filter(({ guard }) => guard !== undefined);
  const limit = chooseLockLimit(guards, within);
  const ordered = [...guards, ...parts.filter(({ guard }) => guard === undefined)];
  const values = ordered.flatMap((part) => part.values);
  const code = ordered.map((part) => part.code).join('');
  return {
    statement: statement(`pm_changes_apply_${limit}${code}_v13`, (schema) =>
      buildText(schema, ordered, guards, limit),
    ),
    // A change that writes only an audit row has no parts with an owner.
    values: values.length === 0 ? [] : [...owner, ...values],
  };
}

/**
 * Interprets the failure of the statement.
 * @returns 'raced' when a guard after the first did not pass
 * @throws PaymountError `lock_timeout` when the guards passed too late, `resource_missing` when
 *   there is no such account; else what was thrown
 */
export function failedRow(
  error: unknown,
  { at, accountId }: Pick<StoredChange, 'at' | 'accountId'>,
): Applied {
  if (isFailedCast(error, RACED)) return { result: 'raced', at };
  if (isFailedCast(error, ALONE)) throw new Error(ENDED, { cause: error });
  if (isFailedCast(error, LATE))
    throw new PaymountError('lock_timeout', undefined, { cause: error });
  if (isUnknownAccount(error)) throw missing('account', accountId, 'account');
  throw error;
}

/** The host decides how long its own transaction waits. */
function chooseLockLimit(guards: readonly Part[], within: Within | undefined): LockLimit {
  if (within === 'host') return 'h';
  if (within === 'shared') return 'c';
  if (guards.some(({ guard }) => guard === 'access_changed')) return within === 'own' ? 'd' : 'c';
  return within === undefined && guards.some(({ reads }) => reads !== true) ? 'a' : 't';
}

function buildText(
  schema: string,
  parts: readonly Part[],
  guards: readonly Part[],
  limit: LockLimit,
): string {
  const limitMs = LOCK_LIMITS_MS[limit];
  const limited = limitMs !== undefined;
  const ctes = limited
    ? [`settings AS (SELECT ${buildSettings(limitMs, limit === 'd')} AS set)`]
    : [];
  let first = 3;
  let when = limited ? 'EXISTS (SELECT set FROM settings)' : 'true';
  parts.forEach((part, index) => {
    const start = first;
    const alias = `p${index}`;
    const place: Place = { schema, alias, when, at: (value) => `$${start + value}` };
    ctes.push(part.sql(place));
    if (part.guard) when = `EXISTS (SELECT FROM ${alias})`;
    first += part.values.length;
  });
  const using = ctes.length > 0 ? `WITH ${ctes.join(',\n')}\n` : '';
  // The text must use every parameter.
  const owned = first > 3 ? ` WHERE (${OWNER}) IS NOT NULL` : '';
  return `${using}SELECT ${buildResult(guards, limit)} AS result, now() AS at${owned}`;
}

function buildSettings(limitMs: number, commitsSoon: boolean): string {
  const lockTimeout = `set_config('lock_timeout', '${limitMs}', true)`;
  return commitsSoon ? `${lockTimeout} || ${COMMIT_SOON}` : lockTimeout;
}

/**
 * The results of the guards up to the first that writes are returned as they are. If a later guard
 * does not pass, or the time for all guards is over, everything is rolled back.
 */
function buildResult(guards: readonly Part[], limit: LockLimit): string {
  const firstWriter = guards.findIndex(({ reads }) => reads !== true);
  const clean = firstWriter < 0 ? guards : guards.slice(0, firstWriter + 1);
  const whens = clean.map(
    ({ guard }, index) => `WHEN NOT EXISTS (SELECT FROM p${index}) THEN '${guard}'`,
  );
  if (limit === 'h') {
    whens.unshift(`WHEN ${IS_JOINED} IS NULL THEN ${failedCast(ALONE, 'pg_backend_pid()')}::text`);
  }
  if (clean.length < guards.length) {
    whens.push(`WHEN NOT EXISTS (SELECT FROM p${guards.length - 1}) THEN ${failure(RACED)}`);
  }
  // The earlier branches have waited for every guard.
  if (limit === 'c' || limit === 'd') {
    whens.push(`WHEN clock_timestamp() > statement_timestamp() + interval '${GUARDS_LIMIT_MS} ms'
    THEN ${failure(LATE)}`);
  }
  if (whens.length === 0) return `'applied'`;
  return `CASE ${whens.join('\n    ')} ELSE 'applied' END`;
}

function failure(of: string): string {
  return `${failedCast(of, '(SELECT count(*) FROM p0)')}::text`;
}
