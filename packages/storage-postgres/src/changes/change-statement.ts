import type { ChangeResult } from '@paymount/core';
import { type Statement, statement } from '../shared/statement.ts';
import type { Part, Place } from './part.ts';

const LOCK_LIMIT_MS = 3_000;
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
 * @param alone the statement is a transaction of its own, so it brings its own lock limit
 */
export function changeStatement(
  owner: readonly [accountId: string, livemode: boolean],
  parts: readonly Part[],
  alone: boolean,
): ChangeStatement {
  const guards = parts.filter(({ guard }) => guard !== undefined);
  const limited = alone && guards.length > 0;
  const ordered = [...guards, ...parts.filter(({ guard }) => guard === undefined)];
  const code = ordered.map((part) => part.code).join('');
  return {
    statement: statement(`pm_changes_apply_${limited ? 'a' : 't'}${code}_v1`, (schema) =>
      textOf(schema, ordered, guards, limited),
    ),
    values: [...owner, ...ordered.flatMap(({ values }) => values)],
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

function textOf(
  schema: string,
  parts: readonly Part[],
  guards: readonly Part[],
  limited: boolean,
): string {
  const ctes = limited
    ? [`settings AS (SELECT set_config('lock_timeout', '${LOCK_LIMIT_MS}', true) AS set)`]
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
