import assert from 'node:assert/strict';
import type {
  EndedAccessCursor,
  EndedAccessQueue,
  EndedEndpoints,
  EndedSubject,
} from '@paymount/core/events';
import { type AccountId, environmentOf, livemode } from '@paymount/core/kernel';
import { changeRows } from '../changes/change-rows.ts';
import type { ChangePorts } from '../changes/execute-change.ts';
import { statement } from '../connection/statement.ts';
import { hasLiveToken } from '../shared/live-tokens.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction } from '../transaction/transaction.ts';
import { ENDPOINT_COLUMNS, type EndpointRow, toEndpoint } from './endpoint-rows.ts';

/** The most endpoints that an account may have. */
const MAX_ENDPOINTS = 50;
/**
 * A change whose credential was checked before it ended commits within 500 ms of that check. So a
 * credential stays in the list for longer.
 */
const KEPT_SECONDS = 30;

/**
 * Whether the platform that set the URL of an endpoint (`e`) may still act for its owner at the time
 * `$1`. An active grant without a token counts for nothing: it ends with the next look for those.
 */
const mayAct = (s: string): string => `EXISTS (SELECT FROM ${s}.grants a
      JOIN ${s}.platforms p ON p.id = a.platform_id
    WHERE a.account_id = e.account_id AND a.livemode = e.livemode
      AND a.platform_id = e.url_set_by ->> 'id' AND a.status = 'active' AND p.status = 'active'
      AND 'webhooks:write' = ANY (a.scopes) AND 'webhooks:write' = ANY (p.scopes)
      AND ${hasLiveToken(s, 'a.id', '$1::timestamptz')})`;

/**
 * Whether an endpoint may still end with its access. One that is disabled for another reason ends too:
 * the merchant who enables it later must know, and keep it.
 */
const mayEnd = (alias: string): string =>
  `${alias}.status <> 'deleted' AND ${alias}.disabled_reason IS DISTINCT FROM 'access_ended'`;

/**
 * Whether a key (`k`) leaked and works no more, for whatever reason. A leak that was found afterwards
 * ends nothing: the owner may have given up the key long before.
 */
const leakedBeforeItsEnd = (s: string): string => `(k.revoked_reason = 'leak'
      OR (k.status = 'revoked' OR k.expires_at <= $1::timestamptz)
        AND EXISTS (SELECT FROM ${s}.leaks l
          WHERE COALESCE(l.key_id, l.endpoint_secret_id) = k.id AND l.action <> 'already_revoked'))`;

/** Whether the endpoint (`e`) ends because of who set its URL. */
const setterEnded = (s: string): string => `CASE e.url_set_by ->> 'type'
      WHEN 'platform' THEN NOT ${mayAct(s)}
      WHEN 'key' THEN EXISTS (SELECT FROM ${s}.api_keys k
        WHERE k.id = e.url_set_by ->> 'id' AND ${leakedBeforeItsEnd(s)})
      ELSE false END`;

/**
 * The endpoints that end with the subject \`$2\`. A grant that leaked, or whose tokens somebody
 * else may have, ends those that it registered, even if the platform has another grant.
 * @param within a condition more
 */
const ended = (
  s: string,
  within = '',
): string => `SELECT e.id, e.account_id, e.livemode, e.url_set_by
    FROM ${s}.grants g JOIN ${s}.webhook_endpoints e ON e.url_set_by ->> 'id' = g.platform_id
      AND e.account_id = g.account_id AND e.livemode = g.livemode
    WHERE g.id = $2 AND ${mayEnd('e')} AND (NOT ${mayAct(s)}
      OR g.revoked_reason IN ('leak', 'reuse') AND e.url_set_by ->> 'grant' = g.id)${within}
  UNION ALL
  SELECT e.id, e.account_id, e.livemode, e.url_set_by FROM ${s}.webhook_endpoints e
    WHERE e.url_set_by ->> 'id' = $2 AND ${mayEnd('e')} AND ${setterEnded(s)}${within}`;

const list = statement(
  'pm_ended_access_list_v1',
  (s) => `SELECT subject FROM ${s}.ended_access ORDER BY ended_at DESC, subject DESC LIMIT $1`,
);
const findOwners = statement(
  'pm_ended_access_owners_v1',
  (s) => `SELECT DISTINCT account_id, livemode FROM (${ended(s)}) e
    WHERE (account_id, livemode) > ($3, $4) ORDER BY account_id, livemode LIMIT $5`,
);
/**
 * State and setter are compared again with the row that is locked: another caller may have ended it,
 * and the merchant may have changed its URL.
 */
const lock = statement(
  'pm_ended_access_lock_v2',
  (s) => `SELECT ${ENDPOINT_COLUMNS.map((name) => `w.${name}`).join(', ')}
    FROM ${s}.webhook_endpoints w
    JOIN (${ended(s, ' AND e.account_id = $3 AND e.livemode = $4')}) x
      ON x.id = w.id AND x.url_set_by = w.url_set_by
    WHERE w.account_id = $3 AND w.livemode = $4 AND ${mayEnd('w')}
    ORDER BY w.id LIMIT ${MAX_ENDPOINTS} FOR NO KEY UPDATE OF w SKIP LOCKED`,
);
const findNames = statement(
  'pm_ended_access_names_v1',
  (s) => `SELECT a.name AS account_name, a.email AS account_email, COALESCE(
      (SELECT p.name FROM ${s}.platforms p WHERE p.id = $1
        OR p.id = (SELECT g.platform_id FROM ${s}.grants g WHERE g.id = $1)),
      (SELECT k.name FROM ${s}.api_keys k WHERE k.id = $1)) AS name
    FROM ${s}.accounts a WHERE a.id = $2`,
);
const forget = statement(
  'pm_ended_access_forget_v1',
  (s) => `DELETE FROM ${s}.ended_access WHERE subject = $2
    AND ended_at < clock_timestamp() - interval '${KEPT_SECONDS} seconds' AND NOT EXISTS (${ended(s)})`,
);
/** What a revocation did not note: one of before the upgrade, for example. */
const sweep = statement(
  'pm_ended_access_sweep_v1',
  (s) => `WITH looked AS (
      SELECT e.* FROM ${s}.webhook_endpoints e
      WHERE e.status <> 'deleted' AND e.url_set_by IS NOT NULL
        AND (e.url_set_by ->> 'id', e.id) > ($2, $3)
      ORDER BY e.url_set_by ->> 'id', e.id LIMIT $4),
    noted AS (
      INSERT INTO ${s}.ended_access (subject, ended_at)
      SELECT DISTINCT e.url_set_by ->> 'id', clock_timestamp() FROM looked e
      WHERE ${mayEnd('e')} AND ${setterEnded(s)} ORDER BY 1
      ON CONFLICT (subject) DO NOTHING)
    SELECT url_set_by ->> 'id' AS setter, id AS endpoint FROM looked
    ORDER BY 1 DESC, 2 DESC LIMIT 1`,
);

interface OwnerRow {
  readonly account_id: AccountId;
  readonly livemode: boolean;
}

interface NamesRow {
  readonly account_name: string;
  readonly account_email: string | null;
  readonly name: string;
}

/** The credentials whose access ended, on PostgreSQL. */
export function endedAccessQueue(session: Session, ports: ChangePorts): EndedAccessQueue {
  return {
    async list(limit) {
      const { rows } = await session.query<{ subject: EndedSubject }>(list, [limit]);
      return rows.map(({ subject }) => subject);
    },
    async owners(subject, at, { after, limit }) {
      const last = [after?.accountId ?? '', after !== undefined && livemode(after.environment)];
      const { rows } = await session.query<OwnerRow>(findOwners, [at, subject, ...last, limit]);
      return rows.map((row) => ({
        accountId: row.account_id,
        environment: environmentOf(row.livemode),
      }));
    },
    end: (ending, decide) => inTransaction(session, (inner) => endOf(inner, ports, ending, decide)),
    async forget(subject, at) {
      await session.query(forget, [at, subject]);
    },
    async sweep(at, { setter, endpoint }, limit) {
      const values = [at, setter, endpoint, limit];
      return (await session.query<EndedAccessCursor>(sweep, values)).rows[0];
    },
  };
}

async function endOf(
  session: Session,
  ports: ChangePorts,
  { subject, at, owner }: Parameters<EndedAccessQueue['end']>[0],
  decide: Parameters<EndedAccessQueue['end']>[1],
): Promise<number> {
  const { accountId, environment } = owner;
  const values = [at, subject, accountId, livemode(environment)];
  const { rows } = await session.query<EndpointRow>(lock, values);
  const [names] = (await session.query<NamesRow>(findNames, [subject, accountId])).rows;
  if (rows.length === 0 || names === undefined) return 0;
  const found: EndedEndpoints = {
    ...owner,
    subject,
    name: names.name,
    account: { name: names.account_name, email: names.account_email },
    endpoints: rows.map(toEndpoint),
  };
  for (const change of decide(found)) {
    const result = await changeRows(session, ports).apply(change);
    assert.equal(result, 'applied', 'The endpoint is locked.');
  }
  return rows.length;
}
