import type { ChangeResult } from '@paymount/core';
import type { OpenTransaction } from '../open-transaction.ts';
import { type Statement, statement } from '../shared/statement.ts';
import type { Part, Place } from './part.ts';

/** How long a statement waits for one lock, by the letter that its name has for it. */
const LOCK_LIMITS_MS = {
  /** It is a transaction of its own. */
  a: 3_000,
  /** The caller's credential was judged before the wait, and may be revoked during it. */
  c: 250,
  /** As its transaction says, or it waits for nobody. */
  t: undefined,
} as const;
type LockLimit = keyof typeof LOCK_LIMITS_MS;

/** Appears in the error of a change that must be undone because a later guard failed. */
const RACED = 'paymount: raced';
const ERROR_INVALID_TEXT = '22P02';

/** What the statement of a change answers. */
export interface ChangeRow {
  readonly result: ChangeResult;
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
  const limit = lockLimitOf(guards, open);
  const ordered = [...guards, ...parts.filter(({ guard }) => guard === undefined)];
  const code = ordered.map((part) => part.code).join('');
  return {
    statement: statement(`pm_changes_apply_${limit}${code}_v1`, (schema) =>
      textOf(schema, ordered, guards, LOCK_LIMITS_MS[limit]),
    ),
    // A change that leaves an audit row alone has no parts, and so names no owner.
    values: parts.length === 0 ? [] : [...owner, ...ordered.flatMap(({ values }) => values)],
  };
}

/** Whether the statement failed because a guard after the first did not pass. */
export function isRacedFailure(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === ERROR_INVALID_TEXT &&
    error.message.includes(RACED)
  );
}

/** What a host's transaction waits for is the host's to say. */
function lockLimitOf(
  guards: readonly Part[],
  open: OpenTransaction['kind'] | undefined,
): LockLimit {
  if (open === 'host') return 't';
  if (guards.some(({ guard }) => guard === 'access_changed')) return 'c';
  return open === undefined && guards.length > 0 ? 'a' : 't';
}

function textOf(
  schema: string,
  parts: readonly Part[],
  guards: readonly Part[],
  limitMs: number | undefined,
): string {
  const limited = limitMs !== undefined;
  const ctes = limited
    ? [`settings AS (SELECT set_config('lock_timeout', '${limitMs}', true) AS set)`]
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
  return `${using}SELECT ${resultOf(guards)} AS result, now() AS at`;
}

/** Guards up to the first that writes are answered as they are; a later one undoes what was written. */
function resultOf(guards: readonly Part[]): string {
  if (guards.length === 0) return `'applied'`;
  const firstWriter = guards.findIndex(({ reads }) => reads !== true);
  const clean = firstWriter < 0 ? guards : guards.slice(0, firstWriter + 1);
  const whens = clean.map(
    ({ guard }, index) => `WHEN NOT EXISTS (SELECT FROM p${index}) THEN '${guard}'`,
  );
  if (clean.length < guards.length) {
    // The failing cast names a count so that the planner cannot work it out, and fail, beforehand.
    whens.push(`WHEN NOT EXISTS (SELECT FROM p${guards.length - 1})
    THEN ('${RACED} ' || (SELECT count(*) FROM p0))::integer::text`);
  }
  return `CASE ${whens.join('\n    ')} ELSE 'applied' END`;
}
