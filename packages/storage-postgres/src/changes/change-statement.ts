import type { ChangeResult } from '@paymount/core/changes';
import { missing, PaymountError } from '@paymount/core/kernel';
import type { StoredChange } from '@paymount/core/store';
import { COMMIT_SOON, failedCast, isFailedCast, LATE } from '../commit-limit.ts';
import { IS_JOINED } from '../joined-transaction.ts';
import type { OpenTransaction } from '../session.ts';
import { isUnknownAccount } from '../shared/sql-errors.ts';
import { type Statement, statement } from '../shared/statement.ts';
import { ENDED } from '../transaction-level.ts';
import type { Part, Place } from './part.ts';

/** How long a statement waits for one lock, by the letter that its name has for it. */
const LOCK_LIMITS_MS = {
  /** It is a transaction of its own. */
  a: 3_000,
  /** The caller's credential was judged before the wait, and may be revoked during it. */
  c: 250,
  /** The same in a transaction of ours, which has to be committed soon after. */
  d: 250,
  /** As its transaction says, or it waits for nobody. */
  t: undefined,
  /** The same in a host's transaction, and in no other. */
  h: undefined,
} as const;
type LockLimit = keyof typeof LOCK_LIMITS_MS;
/**
 * Each lock has that limit, and a statement may wait for several: so long it may take in all, from
 * when the credential was judged until the last guard has passed.
 */
const GUARDS_LIMIT_MS = 400;

/** Appears in the error of a change that must be undone because a later guard failed. */
const RACED = 'paymount: raced';
/** The same because the host's transaction ended before: it would be committed by itself. */
const ALONE = 'paymount: alone';

/** The outcome of a change, and its time. */
export interface Applied {
  readonly result: ChangeResult;
  readonly at: Date;
}

/** What the statement of a change answers. */
export interface ChangeRow {
  readonly result: ChangeResult | 'hook_missing';
  readonly at: Date;
}

/** One statement for the whole of a change, and its values. */
export interface ChangeStatement {
  readonly statement: Statement;
  readonly values: unknown[];
}

/**
 * Puts the parts of a change into one data-modifying statement: guards first, each waiting for
 * the one before, then what depends on all of them. When a guard before anything was written does
 * not pass, nothing is; when a later one does not, the statement fails and so writes nothing either.
 * @param open whose transaction it runs in; without one it is its own
 */
export function changeStatement(
  owner: readonly [accountId: string, livemode: boolean],
  parts: readonly Part[],
  open?: OpenTransaction['kind'],
): ChangeStatement {
  const guards = parts.filter(({ guard }) => guard !== undefined);
  const limit = chooseLockLimit(guards, open);
  const ordered = [...guards, ...parts.filter(({ guard }) => guard === undefined)];
  const values = ordered.flatMap((part) => part.values);
  const code = ordered.map((part) => part.code).join('');
  return {
    statement: statement(`pm_changes_apply_${limit}${code}_v3`, (schema) =>
      buildText(schema, ordered, guards, limit),
    ),
    // A change that leaves an audit row alone has no parts that name an owner.
    values: values.length === 0 ? [] : [...owner, ...values],
  };
}

/**
 * What the failure of the statement means.
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

/** What a host's transaction waits for is the host's to say. */
function chooseLockLimit(
  guards: readonly Part[],
  open: OpenTransaction['kind'] | undefined,
): LockLimit {
  if (open === 'host') return 'h';
  if (guards.some(({ guard }) => guard === 'access_changed')) return open === 'own' ? 'd' : 'c';
  return open === undefined && guards.length > 0 ? 'a' : 't';
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
  return `${using}SELECT ${buildResult(guards, limit)} AS result, now() AS at`;
}

function buildSettings(limitMs: number, commitsSoon: boolean): string {
  const lockTimeout = `set_config('lock_timeout', '${limitMs}', true)`;
  return commitsSoon ? `${lockTimeout} || ${COMMIT_SOON}` : lockTimeout;
}

/**
 * Guards up to the first that writes are answered as they are; a later one undoes what was written,
 * and so does the end of the time that all of them have.
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
  // The branches before have waited for every guard.
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
