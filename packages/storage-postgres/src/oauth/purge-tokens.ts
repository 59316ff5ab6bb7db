import type { GrantId, OAuthTokenQueue } from '@paymount/core/oauth';
import { statement } from '../connection/statement.ts';
import { hasLiveToken } from '../shared/live-tokens.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction } from '../transaction/transaction.ts';

const MINUTE_MS = 60_000;
/** Until then the page of an expired interaction says so. */
const INTERACTIONS_KEPT_MS = 60 * MINUTE_MS;
const DAY_MS = 1_440 * MINUTE_MS;
/** Until then the response to an access token that has ended says so. */
const ENDED_KEPT_MS = DAY_MS;
/** An exchanged refresh token that comes back within this time ends its grant. */
const CONSUMED_KEPT_MS = 30 * DAY_MS;
/** Longer than a platform gets the same pair again. */
const PAIRS_KEPT_MS = 2 * MINUTE_MS;

const deleteRows = (s: string, table: string, key: string, old: string): string =>
  `DELETE FROM ${s}.${table} t USING
    (SELECT ${key} FROM ${s}.${table} WHERE ${old} LIMIT $4 FOR UPDATE SKIP LOCKED) old
  WHERE t.${key} = old.${key} RETURNING 1`;

const purge = statement(
  'pm_tokens_purge_v2',
  (s) => `WITH interactions AS (${deleteRows(s, 'interactions', 'id', 'expires_at < $5')}),
codes AS (${deleteRows(s, 'authorization_codes', 'hash', 'expires_at < $1')}),
access AS (${deleteRows(s, 'access_tokens', 'id', 'expires_at < $1')}),
refresh AS (${deleteRows(s, 'refresh_tokens', 'id', '(expires_at < $2 OR consumed_at < $2)')}),
unused AS (${deleteRows(s, 'grants', 'id', `status = 'pending' AND created < $1`)}),
pairs AS (
  UPDATE ${s}.refresh_tokens t SET sealed_pair = NULL, kid = NULL FROM
    (SELECT id FROM ${s}.refresh_tokens WHERE kid IS NOT NULL AND consumed_at < $3
     LIMIT $4 FOR UPDATE SKIP LOCKED) old
  WHERE t.id = old.id RETURNING 1)
SELECT ${['interactions', 'codes', 'access', 'refresh', 'unused', 'pairs']
    .map((each) => `(SELECT count(*) FROM ${each})::integer`)
    .join(' + ')} AS rows`,
);

const findLapsed = statement(
  'pm_grants_find_lapsed_v2',
  (s) => `SELECT g.id, ${hasLiveToken(s, 'g.id', '$1')} AS alive
    FROM (SELECT id FROM ${s}.grants WHERE status = 'active' AND id > $2 ORDER BY id LIMIT $3) g
    ORDER BY g.id`,
);

/** Deletes interactions, codes and tokens that have ended, and approvals whose code nobody exchanged. */
export function oauthTokenQueue(session: Session): OAuthTokenQueue {
  return {
    async findLapsedGrants(now, { after, limit }) {
      const values = [now, after, limit];
      const { rows } = await session.query<{ id: GrantId; alive: boolean }>(findLapsed, values);
      const lapsed = rows.flatMap(({ id, alive }) => (alive ? [] : [id]));
      const last = rows.length < limit ? undefined : rows.at(-1)?.id;
      return { lapsed, ...(last && { last }) };
    },
    async purge(now, limit) {
      const ago = (ms: number): Date => new Date(now.getTime() - ms);
      const values = [ago(ENDED_KEPT_MS), ago(CONSUMED_KEPT_MS), ago(PAIRS_KEPT_MS)];
      const { rows } = await inTransaction(session, (inner) =>
        inner.query<{ rows: number }>(purge, [...values, limit, ago(INTERACTIONS_KEPT_MS)]),
      );
      return rows[0]?.rows ?? 0;
    },
  };
}
