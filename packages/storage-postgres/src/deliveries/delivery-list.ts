import {
  DELIVERY_ERRORS,
  DELIVERY_STATES,
  type DeliveryError,
  type DeliveryFilter,
  type DeliveryState,
  type StatusClass,
} from '@paymount/core/events';
import { type AdminScope, livemode } from '@paymount/core/kernel';
import type { Knex } from 'knex';
import {
  type Listed,
  type Ranges,
  whereCreated,
  whereEqual,
  whereInAdminScope,
} from '../shared/list-page.ts';
import { ANY_ORIGIN } from './any-origin.ts';

/** How to read a list of deliveries: by the index of its most selective filter. */
type ReadingPlan = Pick<Listed, 'order' | 'ranges' | 'source'>;

interface Asked {
  readonly schema: string;
  readonly scope: AdminScope;
  readonly filter: DeliveryFilter;
}

/**
 * The list of the deliveries in a scope. Every filter has an index in the order of the list; a
 * second filter is read past. Only lists of all accounts have none, and are read by id.
 */
export function listedDeliveries(asked: Asked): Omit<Listed, 'columns'> {
  const { scope, filter } = asked;
  return {
    table: 'deliveries',
    within: (query) => whereInAdminScope(query, scope),
    narrow: (query) => narrow(query, asked),
    order: 'created',
    ...readingPlan(asked, filter),
  };
}

/**
 * Whether a delivery (`t`) goes to an endpoint whose URL a platform set.
 * @param platform its id, as SQL
 */
export function isToSetter(schema: string, platform: string): string {
  return `EXISTS (SELECT FROM ${schema}.webhook_endpoints e
    WHERE e.id = t.endpoint_id AND e.url_set_by ->> 'id' = ${platform})`;
}

function narrow(query: Knex.QueryBuilder, { schema, filter }: Asked): void {
  const { statusClass } = filter;
  whereEqual(query, 'state', filter.status);
  whereEqual(query, 'endpoint_id', filter.endpoint);
  whereEqual(query, 'replay_id', filter.replay);
  whereEqual(query, 'event_type', filter.type);
  whereEqual(query, 'last_error', filter.error);
  whereCreated(query, filter.created);
  if (filter.urlSetBy !== undefined) query.whereRaw(isToSetter(schema, '?'), [filter.urlSetBy]);
  // Statistics of the class come from the index of errors alone: 2xx would seem to be rare.
  if (statusClass === '2xx') whereEqual(query, 'state', 'succeeded');
  else if (statusClass !== undefined) {
    query.whereRaw(`${CLASS} = ?`, [classNumber(statusClass)]);
  }
  if (filter.event !== undefined && filter.objectId !== undefined) {
    query.whereRaw(
      `EXISTS (SELECT FROM ${schema}.events v WHERE v.account_id = t.account_id
        AND v.livemode = t.livemode AND v.id = t.event_id AND v.object_id = ?)`,
      [filter.objectId],
    );
  }
}

function readingPlan(asked: Asked, filter: DeliveryFilter): ReadingPlan {
  if (filter.event !== undefined) return { source: eventSource(asked.schema, filter.event) };
  if (filter.objectId !== undefined) return { source: objectSource(asked, filter.objectId) };
  if (filter.replay !== undefined) return { order: 'id', ranges: replayRanges(asked, filter) };
  if (filter.endpoint !== undefined || filter.urlSetBy !== undefined) {
    return { ranges: endpointPlan(asked, filter.endpoint) };
  }
  if (asked.scope.accounts === 'all') return { order: 'id' };
  if (isOfErrors(filter)) return { ranges: errorRanges(asked) };
  if (isOfType(filter)) return { ranges: typeRanges(asked) };
  return { ranges: stateRanges(asked) };
}

function endpointPlan(asked: Asked, endpoint: string | undefined): Ranges {
  if (isOfErrors(asked.filter)) return errorRanges(asked, endpoint);
  return isOfType(asked.filter) ? typeRanges(asked, endpoint) : stateRanges(asked, endpoint);
}

/** Whether the last attempt of each has failed: an index has these alone. */
function isOfErrors({ error, statusClass }: DeliveryFilter): boolean {
  return error !== undefined || (statusClass !== undefined && statusClass !== '2xx');
}

/** Of the states, only `succeeded` is that of most deliveries. */
function isOfType({ type, status = 'succeeded' }: DeliveryFilter): boolean {
  return type !== undefined && status === 'succeeded';
}

/** The first digit of the status, 0 without one; also in the indexes of failed attempts. */
const CLASS = 'COALESCE(t.last_status, 0) / 100';

function classNumber(statusClass: StatusClass): number {
  return Number.parseInt(statusClass, 10);
}

const NO_STATUS = 0;
const UNUSUAL = [1, 6, 7, 8, 9];
/** Classes of the status that a delivery with this error may have. */
const CLASSES: Readonly<Record<DeliveryError, readonly number[]>> = {
  timeout: [NO_STATUS],
  connection: [NO_STATUS],
  tls: [NO_STATUS],
  dns: [NO_STATUS],
  blocked_address: [NO_STATUS],
  invalid_response: [NO_STATUS],
  redirect: [3],
  http_status: [3, 4, 5, ...UNUSUAL],
  // Its status is that of an earlier attempt.
  unsendable: [NO_STATUS, 3, 4, 5, ...UNUSUAL],
  event_expunged: [NO_STATUS, 3, 4, 5, ...UNUSUAL],
};

function errorRanges(asked: Asked, endpoint?: string): Ranges {
  const { error, statusClass } = asked.filter;
  const wanted = statusClass && classNumber(statusClass);
  const pairs = (error === undefined ? DELIVERY_ERRORS : [error]).flatMap((name) =>
    CLASSES[name]
      .filter((each) => wanted === undefined || each === wanted)
      .map((each) => [name, each] as const),
  );
  const each = {
    sql: 'unnest(?::text[], ?::integer[]) AS y (error, class)',
    bindings: [pairs.map(([name]) => name), pairs.map(([, number]) => number)],
  };
  return ranges(asked, each, {
    endpoint,
    on: `t.last_error = p.error AND ${CLASS} = p.class`,
  });
}

function stateRanges(asked: Asked, endpoint?: string): Ranges {
  const each = { sql: 'unnest(?::text[]) AS y (state)', bindings: [statesOf(asked.filter)] };
  return ranges(asked, each, { endpoint, on: 't.state = p.state' });
}

/** Those with a 2xx as their last answer have succeeded. */
function statesOf({ status, statusClass }: DeliveryFilter): DeliveryState[] {
  if (status !== undefined) return [status];
  return statusClass === '2xx' ? ['succeeded'] : [...DELIVERY_STATES];
}

/** One range for each endpoint: the index of types begins with the endpoint. */
function typeRanges(asked: Asked, endpoint?: string): Ranges {
  const each = { sql: '(SELECT ?::text) AS y (event_type)', bindings: [asked.filter.type ?? ''] };
  return ranges(asked, each, { endpoint, on: 't.event_type = p.event_type', byEndpoint: true });
}

/** A row of `each` for each account and environment, or for each endpoint. */
function ranges(
  { schema, scope, filter }: Asked,
  each: Pick<Ranges, 'sql' | 'bindings'>,
  {
    endpoint,
    byEndpoint = endpoint !== undefined || filter.urlSetBy !== undefined,
    on,
  }: {
    readonly endpoint: string | undefined;
    readonly byEndpoint?: boolean;
    readonly on: string;
  },
): Ranges {
  const areWithin = true;
  if (!byEndpoint) {
    const { accounts, environments } = scope;
    return {
      sql: `SELECT o.account_id, l.livemode, y.* FROM unnest(?::text[]) AS o (account_id)
        CROSS JOIN unnest(?::boolean[]) AS l (livemode) CROSS JOIN ${each.sql}`,
      bindings: [[...accounts], environments.map(livemode), ...each.bindings],
      on: `t.account_id = p.account_id AND t.livemode = p.livemode AND ${on}`,
      areWithin,
    };
  }
  const owned = inScope('e', scope);
  const named = [endpoint ?? [], filter.urlSetBy ?? []].flat();
  const only = [
    endpoint === undefined ? '' : ' AND e.id = ?',
    filter.urlSetBy === undefined ? '' : " AND e.url_set_by ->> 'id' = ?",
  ];
  return {
    sql: `SELECT e.id AS endpoint_id, y.* FROM ${schema}.webhook_endpoints e
      CROSS JOIN ${each.sql} WHERE ${owned.sql}${only.join('')}`,
    bindings: [...each.bindings, ...owned.bindings, ...named],
    on: `t.endpoint_id = p.endpoint_id AND ${on}`,
    areWithin,
  };
}

function replayRanges({ schema, scope, filter }: Asked, { replay }: DeliveryFilter): Ranges {
  const owned = inScope('r', scope);
  return {
    sql: `SELECT r.id AS replay_id, y.state FROM ${schema}.replays r
      CROSS JOIN unnest(?::text[]) AS y (state) WHERE r.id = ? AND ${owned.sql}`,
    bindings: [statesOf(filter), replay ?? '', ...owned.bindings],
    on: 't.replay_id = p.replay_id AND t.state = p.state',
    areWithin: true,
  };
}

/** An event has few deliveries, replays included. */
function eventSource(schema: string, event: string): Pick<Ranges, 'sql' | 'bindings'> {
  return {
    sql: `SELECT * FROM ${schema}.deliveries WHERE event_id = ? AND ${ANY_ORIGIN} OFFSET 0`,
    bindings: [event],
  };
}

/** An object has few events. */
function objectSource(
  { schema, scope }: Asked,
  objectId: string,
): Pick<Ranges, 'sql' | 'bindings'> {
  const { accounts, environments } = scope;
  const some = accounts === 'all' ? '' : 'WHERE a.id = ANY (?::text[])';
  return {
    sql: `SELECT d.* FROM (
        SELECT v.id FROM ${schema}.accounts a CROSS JOIN unnest(?::boolean[]) AS l (livemode)
        CROSS JOIN LATERAL (SELECT id FROM ${schema}.events
          WHERE account_id = a.id AND livemode = l.livemode AND object_id = ? OFFSET 0) v
        ${some} OFFSET 0) v
      CROSS JOIN LATERAL (SELECT * FROM ${schema}.deliveries
        WHERE event_id = v.id AND ${ANY_ORIGIN} OFFSET 0) d OFFSET 0`,
    bindings: [
      environments.map(livemode),
      objectId,
      ...(accounts === 'all' ? [] : [[...accounts]]),
    ],
  };
}

function inScope(
  alias: string,
  { accounts, environments }: AdminScope,
): Pick<Ranges, 'sql' | 'bindings'> {
  const lived = `${alias}.livemode = ANY (?::boolean[])`;
  const bindings = [environments.map(livemode)];
  if (accounts === 'all') return { sql: lived, bindings };
  return {
    sql: `${lived} AND ${alias}.account_id = ANY (?::text[])`,
    bindings: [...bindings, [...accounts]],
  };
}
