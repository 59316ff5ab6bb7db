import type {
  KeyUsage,
  KeyUsageReader,
  KeyUsageRepository,
  KeyUse,
  UsedId,
} from '@paymount/core/access';
import { statement } from '../connection/statement.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction } from '../transaction/transaction.ts';

const MAX_ADDRESSES = 100;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOURS_KEPT_MS = 90 * DAY_MS;
const ADDRESSES_KEPT_MS = 30 * DAY_MS;

interface UsageRow {
  readonly key_id: UsedId;
  readonly last_used_at: Date;
  readonly last_ip: string | null;
  readonly last_user_agent: string | null;
  readonly requests_24h: bigint;
}

interface HourRow {
  readonly hour: Date;
  readonly succeeded: bigint;
  readonly refused: bigint;
  readonly rate_limited: bigint;
  readonly failed: bigint;
}

interface AddressRow {
  readonly address: string;
  readonly requests: bigint;
  readonly last_seen_at: Date;
}

/**
 * Writes a whole flush. Rows are written in the order of their keys, so that concurrent flushes
 * lock them in the same order. The deletes that follow skip locked rows. If a key has new addresses
 * (`grown`), only the 100 most recent ones are kept, and addresses that another process has locked
 * stay until a later flush.
 */
const flush = statement(
  'pm_key_usage_flush_v2',
  (s) => `WITH latest AS (
  INSERT INTO ${s}.key_usage AS k (key_id, last_used_at, last_ip, last_user_agent)
  SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::inet[], $4::text[])
    AS n (key_id, at, ip, agent) ORDER BY key_id
  ON CONFLICT (key_id) DO UPDATE SET last_used_at = excluded.last_used_at,
    last_ip = excluded.last_ip, last_user_agent = excluded.last_user_agent
  WHERE excluded.last_used_at > k.last_used_at),
hours AS (
  INSERT INTO ${s}.key_usage_hourly AS k (key_id, hour, succeeded, refused, rate_limited, failed)
  SELECT * FROM unnest($5::text[], $6::timestamptz[], $7::bigint[], $8::bigint[], $9::bigint[],
    $10::bigint[]) AS n (key_id, hour, a, b, c, d) ORDER BY key_id, hour
  ON CONFLICT (key_id, hour) DO UPDATE SET succeeded = k.succeeded + excluded.succeeded,
    refused = k.refused + excluded.refused, rate_limited = k.rate_limited + excluded.rate_limited,
    failed = k.failed + excluded.failed),
seen AS MATERIALIZED (
  SELECT * FROM unnest($11::text[], $12::inet[], $13::bigint[], $14::timestamptz[])
    AS n (key_id, address, requests, last_seen_at)),
grown AS MATERIALIZED (
  SELECT DISTINCT key_id FROM seen WHERE NOT EXISTS (SELECT FROM ${s}.key_addresses k
    WHERE k.key_id = seen.key_id AND k.address = seen.address)),
ranked AS (
  SELECT key_id, address,
    row_number() OVER (PARTITION BY key_id ORDER BY max(last_seen_at) DESC, address) AS rank
  FROM (SELECT key_id, address, last_seen_at FROM seen WHERE key_id IN (SELECT key_id FROM grown)
    UNION ALL
    SELECT k.key_id, k.address, k.last_seen_at FROM grown JOIN ${s}.key_addresses k USING (key_id)
  ) known GROUP BY key_id, address),
dropped AS (
  DELETE FROM ${s}.key_addresses k USING
    (SELECT a.key_id, a.address FROM ${s}.key_addresses a JOIN ranked r USING (key_id, address)
     WHERE r.rank > ${MAX_ADDRESSES} FOR UPDATE OF a SKIP LOCKED) old
  WHERE (k.key_id, k.address) = (old.key_id, old.address))
INSERT INTO ${s}.key_addresses AS k (key_id, address, requests, last_seen_at)
SELECT key_id, address, requests, last_seen_at FROM seen LEFT JOIN ranked USING (key_id, address)
WHERE COALESCE(rank, 1) <= ${MAX_ADDRESSES} ORDER BY key_id, address
ON CONFLICT (key_id, address) DO UPDATE SET requests = k.requests + excluded.requests,
  last_seen_at = GREATEST(k.last_seen_at, excluded.last_seen_at)`,
);
const findMany = statement(
  'pm_key_usage_find_v1',
  (s) => `SELECT key_id, last_used_at, host(last_ip) AS last_ip, last_user_agent,
      (SELECT COALESCE(sum(succeeded + refused + rate_limited + failed), 0)::bigint
       FROM ${s}.key_usage_hourly h
       WHERE h.key_id = k.key_id AND h.hour > $2 AND h.hour <= $3) AS requests_24h
    FROM ${s}.key_usage k WHERE key_id = ANY ($1::text[])`,
);
const listHours = statement(
  'pm_key_usage_hours_v1',
  (s) => `SELECT hour, succeeded, refused, rate_limited, failed FROM ${s}.key_usage_hourly
    WHERE key_id = $1 AND hour >= $2 ORDER BY hour DESC`,
);
const listAddresses = statement(
  'pm_key_usage_addresses_v1',
  (s) => `SELECT host(address) AS address, requests, last_seen_at FROM ${s}.key_addresses
    WHERE key_id = $1 AND last_seen_at >= $2 ORDER BY requests DESC, address LIMIT ${MAX_ADDRESSES}`,
);
const purge = statement(
  'pm_key_usage_purge_v1',
  (s) => `WITH hours AS (
  DELETE FROM ${s}.key_usage_hourly k USING
    (SELECT key_id, hour FROM ${s}.key_usage_hourly WHERE hour < $1
     LIMIT $3 FOR UPDATE SKIP LOCKED) old
  WHERE (k.key_id, k.hour) = (old.key_id, old.hour) RETURNING 1),
addresses AS (
  DELETE FROM ${s}.key_addresses k USING
    (SELECT key_id, address FROM ${s}.key_addresses WHERE last_seen_at < $2
     LIMIT $3 FOR UPDATE SKIP LOCKED) old
  WHERE (k.key_id, k.address) = (old.key_id, old.address) RETURNING 1)
SELECT (SELECT count(*) FROM hours)::integer + (SELECT count(*) FROM addresses)::integer AS rows`,
);

/** The recorded use of keys on PostgreSQL; also usable within a change of access. */
export function keyUsageReader(session: Session): KeyUsageReader {
  return {
    async findMany(ids, now) {
      // The current hour and the 23 before it.
      const values = [ids, new Date(now.getTime() - DAY_MS), now];
      const { rows } = await session.query<UsageRow>(findMany, values);
      return new Map(rows.map((row) => [row.key_id, toUsage(row)]));
    },
    async hours(id, since) {
      const { rows } = await session.query<HourRow>(listHours, [id, since]);
      return rows.map((row) => ({
        hour: row.hour,
        succeeded: Number(row.succeeded),
        refused: Number(row.refused),
        rateLimited: Number(row.rate_limited),
        failed: Number(row.failed),
      }));
    },
    async addresses(id, since) {
      const { rows } = await session.query<AddressRow>(listAddresses, [id, since]);
      return rows.map((row) => ({
        address: row.address,
        requests: Number(row.requests),
        lastSeenAt: row.last_seen_at,
      }));
    },
  };
}

/** The same with writes, in transactions, so that the server enforces their limits. */
export function keyUsageRows(session: Session): KeyUsageRepository {
  return {
    ...keyUsageReader(session),
    async flush(uses) {
      await inTransaction(session, (inner) => inner.query(flush, flushValues(uses)));
    },
    async purge(now, limit) {
      const values = [
        new Date(now.getTime() - HOURS_KEPT_MS),
        new Date(now.getTime() - ADDRESSES_KEPT_MS),
        limit,
      ];
      const { rows } = await inTransaction(session, (inner) =>
        inner.query<{ rows: number }>(purge, values),
      );
      return rows[0]?.rows ?? 0;
    },
  };
}

/** One array for each column. */
function flushValues(uses: readonly KeyUse[]): unknown[] {
  const hours = uses.flatMap(({ keyId, hours }) => hours.map((hour) => ({ keyId, ...hour })));
  const addresses = uses.flatMap(({ keyId, addresses }) =>
    addresses.map((address) => ({ keyId, ...address })),
  );
  return [
    uses.map(({ keyId }) => keyId),
    uses.map(({ lastUsedAt }) => lastUsedAt),
    uses.map(({ lastIp }) => lastIp ?? null),
    uses.map(({ lastUserAgent }) => lastUserAgent ?? null),
    hours.map(({ keyId }) => keyId),
    hours.map(({ hour }) => hour),
    hours.map(({ succeeded }) => succeeded),
    hours.map(({ refused }) => refused),
    hours.map(({ rateLimited }) => rateLimited),
    hours.map(({ failed }) => failed),
    addresses.map(({ keyId }) => keyId),
    addresses.map(({ address }) => address),
    addresses.map(({ count }) => count),
    addresses.map(({ lastSeenAt }) => lastSeenAt),
  ];
}

function toUsage(row: UsageRow): KeyUsage {
  return {
    lastUsedAt: row.last_used_at,
    requests24h: Number(row.requests_24h),
    ...present({ lastIp: row.last_ip, lastUserAgent: row.last_user_agent }),
  };
}
