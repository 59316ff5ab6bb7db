import {
  type AccountId,
  type Environment,
  type Event,
  type EventDirectory,
  type EventId,
  type EventReachFilter,
  livemode,
  type PageRequest,
  PaymountError,
  type Reach,
} from '@paymount/core';
import type { Session } from '../session.ts';
import { EVENT_COLUMNS, type EventRow, toEvent } from './event-rows.ts';

/** The pairs of account and environment that are asked. */
interface Asked {
  /** Null: all. */
  readonly accounts: readonly AccountId[] | null;
  readonly environments: readonly Environment[];
}

/** A condition on events; `place` takes a value and its type, and gives its placeholder. */
type Condition = (place: (value: unknown, type: string) => string) => string;

const NEWEST = { limit: 1, backwards: false } as const;

const idIs =
  (id: string): Condition =>
  (place) =>
    `e.id = ${place(id, 'text')}`;

/**
 * Events, as admins look through them. Their one index begins with account and environment, as all
 * else asks by these; so each pair is asked in its turn, which costs an admin some milliseconds and
 * the recording of events nothing.
 */
export function eventDirectory(session: Session): EventDirectory {
  const find = async (reach: Reach, id: EventId): Promise<Event | undefined> => {
    return (await eventsOf(session, within(reach), [idIs(id)], NEWEST))[0];
  };
  return {
    find,
    async list(reach, filter, page) {
      const asked = within(reach, filter);
      await assertCursor(session, asked, 'starting_after', page.startingAfter);
      await assertCursor(session, asked, 'ending_before', page.endingBefore);
      const backwards = page.endingBefore !== undefined && page.startingAfter === undefined;
      const found = await eventsOf(session, asked, conditionsOf(filter, page), {
        limit: page.limit + 1,
        backwards,
      });
      const data = found.slice(0, page.limit);
      return { data: backwards ? data.reverse() : data, hasMore: found.length > page.limit };
    },
  };
}

async function eventsOf(
  session: Session,
  { accounts, environments }: Asked,
  conditions: readonly Condition[],
  { limit, backwards }: { readonly limit: number; readonly backwards: boolean },
): Promise<Event[]> {
  const values: unknown[] = [accounts, environments.map(livemode), limit];
  const place = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
  const { schema: s } = session.statements;
  const where = conditions.map((condition) => `AND ${condition(place)}`).join(' ');
  const ordered = `ORDER BY id ${backwards ? 'ASC' : 'DESC'} LIMIT $3`;
  const { rows } = await session.plain<EventRow>(
    `SELECT found.* FROM ${s}.accounts a CROSS JOIN unnest($2::boolean[]) AS l (livemode)
      CROSS JOIN LATERAL (SELECT ${EVENT_COLUMNS.join(', ')} FROM ${s}.events e
        WHERE e.account_id = a.id AND e.livemode = l.livemode ${where} ${ordered}) found
      WHERE $1::text[] IS NULL OR a.id = ANY ($1) ${ordered.replace('id', 'found.id')}`,
    values,
  );
  return rows.map(toEvent);
}

function within(
  { accounts, environments }: Reach,
  { account, environment }: EventReachFilter = {},
): Asked {
  const reached = account === undefined || accounts === 'all' || accounts.includes(account);
  const all = accounts === 'all' ? null : accounts;
  return {
    accounts: account === undefined ? all : reached ? [account] : [],
    environments: environments.filter((each) => environment === undefined || each === environment),
  };
}

function conditionsOf(
  { types, objectId, created }: EventReachFilter,
  { startingAfter, endingBefore }: PageRequest,
): readonly Condition[] {
  const compared = (column: string, operator: string, value: unknown, type: string): Condition[] =>
    value === undefined ? [] : [(place) => `e.${column} ${operator} (${place(value, type)})`];
  return [
    ...compared('id', '<', startingAfter, 'text'),
    ...compared('id', '>', endingBefore, 'text'),
    ...compared('object_id', '=', objectId, 'text'),
    ...compared('created', '>', created?.gt, 'timestamptz'),
    ...compared('created', '>=', created?.gte, 'timestamptz'),
    ...compared('created', '<', created?.lt, 'timestamptz'),
    ...compared('created', '<=', created?.lte, 'timestamptz'),
    ...compared('type', '= ANY', types, 'text[]'),
  ];
}

async function assertCursor(
  session: Session,
  asked: Asked,
  param: string,
  id: string | undefined,
): Promise<void> {
  if (id === undefined) return;
  if ((await eventsOf(session, asked, [idIs(id)], NEWEST)).length > 0) return;
  throw new PaymountError('invalid_cursor', `${param} is not the id of an object of this list.`, {
    param,
  });
}
