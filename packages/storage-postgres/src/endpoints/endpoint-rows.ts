import { patternsFor } from '@paymount/core/changes';
import type { Endpoint, EndpointRepository, EndpointSecret } from '@paymount/core/events';
import type { AccountId, EndpointId } from '@paymount/core/kernel';
import { livemode } from '@paymount/core/kernel';
import type { StoredChange } from '@paymount/core/store';
import type { Knex } from 'knex';
import { OWNED, OWNER, type Part } from '../changes/part.ts';
import { partCode } from '../changes/part-codes.ts';
import { statement } from '../connection/statement.ts';
import { derived, type Table } from '../shared/columns.ts';
import { facts, type StoredRow } from '../shared/facts-of-row.ts';
import { readPage, whereOwned } from '../shared/list-page.ts';
import type { Session } from '../transaction/session.ts';
import { signsAt } from './signs-at.ts';

const STATUS = { type: 'text', of: (endpoint: Endpoint) => endpoint.status };

/** What the engine writes about attempts, and its value in an endpoint without a history. */
const AT_START = {
  failing_since: 'NULL',
  warning_queued_at: 'NULL',
  final_warning_queued_at: 'NULL',
  lane: "'fast'",
} as const;

/** Where events are sent to from now on. */
const TARGET = {
  type: 'text',
  of: ({ status, url }: Endpoint) => (status === 'enabled' ? url : null),
};

/** Another URL has no history yet, as an endpoint that was just enabled. */
function starting(name: string, value: string): (target: string) => string {
  return (target) =>
    `CASE WHEN status <> 'enabled' AND ${target} IS NOT NULL OR url <> ${target}
      THEN ${value} ELSE ${name} END`;
}

const endpointFacts = facts<Omit<Endpoint, 'failingSince'>>({
  url: 'text',
  enabledEvents: 'text[]',
  description: 'text',
  metadata: 'jsonb',
  apiVersion: 'text',
  status: 'text',
  disabledReason: 'optional text',
  disabledAt: 'optional timestamptz',
  secretVersion: 'integer',
  created: 'fixed timestamptz',
  createdBy: 'optional fixed jsonb',
  changedBy: 'optional jsonb',
  urlSetBy: 'optional jsonb',
});

export const endpointTable: Table<Endpoint> = {
  name: 'webhook_endpoints',
  code: 'w',
  columns: [
    ...endpointFacts.columns,
    derived('status_changed', STATUS, (status) => `status_changed OR status <> ${status}`),
    ...Object.entries(AT_START).map(([name, value]) =>
      derived(name, TARGET, starting(name, value)),
    ),
  ],
};

export interface EndpointRow extends StoredRow {
  readonly id: EndpointId;
  readonly account_id: AccountId;
  readonly failing_since: Date | null;
}

export const ENDPOINT_COLUMNS = ['account_id', 'livemode', 'id', 'version', 'failing_since'].concat(
  endpointTable.columns.filter(({ derived }) => derived === undefined).map(({ name }) => name),
);
const SELECT = `SELECT ${ENDPOINT_COLUMNS.join(', ')} FROM`;
const BY_ID = "WHERE account_id = $1 AND livemode = $2 AND id = $3 AND status <> 'deleted'";

const find = statement('pm_endpoints_find_v2', (s) => `${SELECT} ${s}.webhook_endpoints ${BY_ID}`);
const findForUpdate = statement(
  'pm_endpoints_lock_v2',
  (s) => `${SELECT} ${s}.webhook_endpoints ${BY_ID} FOR NO KEY UPDATE`,
);
const lockAccount = statement(
  'pm_accounts_lock_v1',
  (s) => `SELECT id FROM ${s}.accounts WHERE id = $1 FOR NO KEY UPDATE`,
);
const count = statement(
  'pm_endpoints_count_v1',
  (s) => `SELECT count(*)::integer AS count FROM ${s}.webhook_endpoints
    WHERE account_id = $1 AND livemode = $2 AND status <> 'deleted'`,
);

const enabledFor = statement(
  'pm_endpoints_enabled_for_v2',
  (s) => `${SELECT} ${s}.webhook_endpoints WHERE account_id = $1 AND livemode = $2
    AND status = 'enabled' AND enabled_events && $3::text[] ORDER BY id`,
);

/** Reads no more rows than the limit. */
const fullOfReplays = statement(
  'pm_endpoints_full_of_replays_v1',
  (s) => `SELECT e.id FROM unnest($1::text[]) AS e (id)
    WHERE (SELECT 1 FROM ${s}.deliveries d WHERE d.endpoint_id = e.id AND d.origin = 'replay'
        AND d.state IN ('pending', 'parked') AND d.replay_id IS NULL
      OFFSET $2::integer - 1 LIMIT 1) IS NOT NULL
    ORDER BY e.id COLLATE "C" LIMIT 1`,
);

const MAX_COUNTED = 10_000;
const UNFINISHED = ['event', 'replay']
  .map((origin) => `d.state = 'pending' AND d.origin = '${origin}'`)
  .concat("d.state = 'parked'");

/**
 * Each count reads no more rows than its limit. A skipped event was not missed if a replay has
 * delivered it since. `OFFSET 0` keeps PostgreSQL from reading all replays to answer that.
 */
const backlog = statement(
  'pm_endpoints_backlog_v2',
  (s) => `SELECT
    (SELECT count(*)::integer FROM (${UNFINISHED.map(
      (which) => `(SELECT FROM ${s}.deliveries d WHERE d.endpoint_id = $1 AND ${which}
        LIMIT ${MAX_COUNTED})`,
    ).join(' UNION ALL ')} LIMIT ${MAX_COUNTED}) unfinished) AS resuming,
    (SELECT count(*)::integer FROM (SELECT d.event_id FROM ${s}.deliveries d WHERE d.state = 'skipped'
        AND (d.endpoint_id, d.created) >= ($1, $2::timestamptz)
        AND (d.endpoint_id, d.created) <= ($1, 'infinity')
      ORDER BY d.endpoint_id, d.created LIMIT ${MAX_COUNTED}) skipped
      WHERE NOT EXISTS (SELECT FROM ${s}.deliveries r WHERE r.event_id = skipped.event_id
        AND r.endpoint_id = $1 AND r.origin = 'replay' AND r.state = 'succeeded' OFFSET 0)) AS missed`,
);

const countSecrets = statement(
  'pm_endpoint_secrets_count_v2',
  (s) => `SELECT count(*)::integer AS count FROM ${s}.endpoint_secrets k
    WHERE account_id = $1 AND livemode = $2 AND endpoint_id = $3
      AND ${signsAt('k', '$4::timestamptz')}`,
);

/** Webhook endpoints on PostgreSQL. */
export function endpointRows(session: Session): EndpointRepository {
  return {
    async find(owner, id) {
      const values = [owner.accountId, livemode(owner.environment), id];
      return first((await session.query<EndpointRow>(find, values)).rows);
    },
    async findForUpdate(owner, id) {
      const values = [owner.accountId, livemode(owner.environment), id];
      return first((await session.query<EndpointRow>(findForUpdate, values)).rows);
    },
    async list(owner, page, urlSetBy) {
      const listed = {
        table: 'webhook_endpoints',
        columns: ENDPOINT_COLUMNS,
        within: (query: Knex.QueryBuilder) => {
          whereOwned(query, owner);
          if (urlSetBy !== undefined) query.whereRaw(`url_set_by ->> 'id' = ?`, [urlSetBy]);
        },
        narrow: (query: Knex.QueryBuilder) => void query.whereNot('status', 'deleted'),
      };
      return readPage(session, listed, page, toEndpoint);
    },
    async enabledFor(owner, type) {
      const values = [owner.accountId, livemode(owner.environment), patternsFor(type)];
      return (await session.query<EndpointRow>(enabledFor, values)).rows.map(toEndpoint);
    },
    async fullOfReplays(ids, limit) {
      return (await session.query<{ id: EndpointId }>(fullOfReplays, [ids, limit])).rows[0]?.id;
    },
    async backlog(_owner, id, since) {
      const { rows } = await session.query<EndpointCounts>(backlog, [id, since]);
      return rows[0] ?? { resuming: 0, missed: 0 };
    },
    async countSecrets(owner, id, at) {
      const values = [owner.accountId, livemode(owner.environment), id, at];
      return (await session.query<{ count: number }>(countSecrets, values)).rows[0]?.count ?? 0;
    },
    async countForUpdate(owner) {
      await session.query(lockAccount, [owner.accountId]);
      const values = [owner.accountId, livemode(owner.environment)];
      return (await session.query<{ count: number }>(count, values)).rows[0]?.count ?? 0;
    },
  };
}

interface EndpointCounts {
  readonly resuming: number;
  readonly missed: number;
}

function first(rows: readonly EndpointRow[]): Endpoint | undefined {
  return rows[0] && toEndpoint(rows[0]);
}

/** The endpoint of a row. */
export function toEndpoint(row: EndpointRow): Endpoint {
  return endpointFacts.read(row, row.failing_since ? { failingSince: row.failing_since } : {});
}

/** Adds a signing secret of an endpoint. */
export function secretPart(secret: EndpointSecret): Part {
  return {
    code: partCode('endpoint_secret'),
    values: [
      secret.id,
      secret.endpointId,
      secret.sealed,
      secret.kid,
      secret.last4,
      Buffer.from(secret.hash),
      secret.created,
      secret.expiresAt ?? null,
    ],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  INSERT INTO ${schema}.endpoint_secrets
    (account_id, livemode, id, endpoint_id, sealed, kid, last4, hash, created, expires_at)
  SELECT ${OWNER}, ${at(0)}::text, ${at(1)}::text, ${at(2)}::text, ${at(3)}::text, ${at(4)}::text,
    ${at(5)}::bytea, ${at(6)}::timestamptz, ${at(7)}::timestamptz
  WHERE ${when})`,
  };
}

/** Sets the end of an endpoint's earlier secrets, unless they end sooner. */
export function retireSecretsPart({
  endpointId,
  expiresAt,
}: NonNullable<StoredChange['retiredSecrets']>): Part {
  return {
    code: partCode('retired_secrets'),
    values: [endpointId, expiresAt],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  UPDATE ${schema}.endpoint_secrets k SET expires_at = ${at(1)}::timestamptz
  WHERE ${OWNED} AND endpoint_id = ${at(0)}::text
    AND ${signsAt('k', `${at(1)}::timestamptz`)} AND ${when})`,
  };
}
