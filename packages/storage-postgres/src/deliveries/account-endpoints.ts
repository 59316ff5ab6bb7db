import type { EndpointLane } from '@paymount/core/events';
import { type EndpointId, ExpiringMap, livemode, type Owner } from '@paymount/core/kernel';
import { OWNER_COLUMNS } from '../changes/owner-columns.ts';
import type { Part } from '../changes/part.ts';
import { partCode } from '../changes/part-codes.ts';
import { rowSource, type ToRows } from '../changes/row-source.ts';
import { statement } from '../connection/statement.ts';
import { signsAt } from '../endpoints/signs-at.ts';
import { type Column, fixed } from '../shared/columns.ts';
import type { Session } from '../transaction/session.ts';

/** After a restored backup, an endpoint may have a version again that it had before. */
const LIFE_MS = 60_000;
/** The account that was read first makes room. */
const MAX_ACCOUNTS = 10_000;

/** A signing secret, and until when it signs. */
export interface SealedSecret {
  readonly id: string;
  readonly sealed: string;
  /** Unix milliseconds; infinite for the newest. */
  readonly expiresAtMs: number;
}

/** An endpoint, as far as an attempt needs it. */
export interface AccountEndpoint {
  readonly id: EndpointId;
  readonly url: string;
  readonly lane: EndpointLane;
  readonly status: 'enabled' | 'disabled';
  readonly enabledEvents: readonly string[];
  readonly secretVersion: number;
  readonly apiVersion: string;
  /** Newest first. */
  readonly secrets: readonly SealedSecret[];
}

/** The endpoints of an account in one environment. */
export interface AccountEndpoints extends Owner {
  readonly endpoints: readonly AccountEndpoint[];
  /** Differs once an endpoint has been added, changed or deleted, or has moved to another lane. */
  readonly stamp: string;
}

interface EndpointRow {
  readonly id: EndpointId;
  readonly url: string;
  readonly lane: EndpointLane;
  readonly status: 'enabled' | 'disabled';
  readonly enabled_events: readonly string[];
  readonly secret_version: number;
  readonly api_version: string;
  readonly secrets: readonly {
    readonly id: string;
    readonly sealed: string;
    readonly expires_at: string | null;
  }[];
  readonly stamp: string;
}

/** Sorted by itself: for the order of ids, a plan might walk all endpoints of all accounts. */
const STAMP = `e.id || ' ' || e.version || ' ' || e.lane`;
const SEPARATOR = ', ';

const read = statement(
  'pm_endpoints_of_account_v2',
  (s) => `SELECT e.id, e.url, e.lane, e.status, e.enabled_events, e.secret_version, e.api_version,
      (SELECT COALESCE(jsonb_agg(
         jsonb_build_object('id', k.id, 'sealed', k.sealed, 'expires_at', k.expires_at)
         ORDER BY k.created DESC, k.id DESC), '[]')
       FROM ${s}.endpoint_secrets k
       WHERE k.endpoint_id = e.id AND ${signsAt('k', '$3::timestamptz')}) AS secrets,
      ${STAMP} AS stamp
    FROM ${s}.webhook_endpoints e
    WHERE e.account_id = $1 AND e.livemode = $2 AND e.status <> 'deleted'`,
);

/**
 * Reads all endpoints of an account, at most 50.
 * @param now secrets that have expired by then are left out
 */
export async function readEndpoints(
  session: Session,
  owner: Owner,
  now: Date,
): Promise<AccountEndpoints> {
  const values = [owner.accountId, livemode(owner.environment), now];
  const { rows } = await session.query<EndpointRow>(read, values);
  const stamps = rows.map((row) => row.stamp).toSorted();
  const { accountId, environment } = owner;
  const stamp = stamps.join(SEPARATOR);
  return { accountId, environment, endpoints: rows.map(toEndpoint), stamp };
}

function toEndpoint(row: EndpointRow): AccountEndpoint {
  return {
    id: row.id,
    url: row.url,
    lane: row.lane,
    status: row.status,
    enabledEvents: row.enabled_events,
    secretVersion: row.secret_version,
    apiVersion: row.api_version,
    secrets: row.secrets.map(({ id, sealed, expires_at }) => ({
      id,
      sealed,
      expiresAtMs: expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at),
    })),
  };
}

const STAMP_COLUMNS: readonly Column<AccountEndpoints>[] = [
  ...OWNER_COLUMNS,
  fixed('stamp', 'text', ({ stamp }) => stamp),
];

/** Passes if the endpoints of each account are those that were read, in the same state. */
export function endpointsPart(
  known: readonly AccountEndpoints[],
  toRows: ToRows = rowSource,
): Part {
  const rows = toRows(STAMP_COLUMNS, known);
  return {
    code: partCode('endpoints', rows.code),
    guard: 'endpoints_changed',
    reads: true,
    values: rows.values,
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  SELECT WHERE ${when} AND NOT EXISTS (SELECT FROM ${rows.sql(at)}
    WHERE n.stamp <> COALESCE((SELECT string_agg(${STAMP}, '${SEPARATOR}' ORDER BY ${STAMP})
      FROM ${schema}.webhook_endpoints e
      WHERE e.account_id = n.account_id AND e.livemode = n.livemode
        AND e.status <> 'deleted'), '')))`,
  };
}

/**
 * The endpoints that this process read last, of the accounts that had events in the last minute. A
 * change that relies on them checks them by `endpointsPart`.
 */
export class KnownEndpoints {
  readonly #known = new ExpiringMap<string, AccountEndpoints>({
    clock: { monotonicMs: () => performance.now() },
    lifeMs: LIFE_MS,
    max: MAX_ACCOUNTS,
  });

  get(owner: Owner): AccountEndpoints | undefined {
    return this.#known.get(keyOf(owner));
  }

  set(owner: Owner, endpoints: AccountEndpoints): void {
    this.#known.set(keyOf(owner), endpoints, performance.now());
  }
}

function keyOf({ accountId, environment }: Owner): string {
  return `${accountId} ${environment}`;
}
