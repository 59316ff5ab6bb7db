import type {
  AccessToken,
  AccessTokenId,
  AuthorizationCode,
  GrantId,
  OAuthTokenReader,
  OAuthTokenRepository,
  PlatformId,
  RefreshToken,
  RefreshTokenId,
} from '@paymount/core/oauth';
import { type Statement, statement } from '../connection/statement.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';
import { findGrant } from './grant-rows.ts';

interface CodeRow {
  readonly hash: Buffer;
  readonly grant_id: GrantId;
  readonly platform_id: PlatformId;
  readonly redirect_uri: string | null;
  readonly code_challenge: string | null;
  readonly created: Date;
  readonly expires_at: Date;
  readonly used_at: Date | null;
}

interface AccessTokenRow {
  readonly id: AccessTokenId;
  readonly grant_id: GrantId;
  readonly scopes: AccessToken['scopes'];
  readonly created: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
}

interface RefreshTokenRow {
  readonly id: RefreshTokenId;
  readonly grant_id: GrantId;
  readonly created: Date;
  readonly expires_at: Date;
  readonly consumed_at: Date | null;
  readonly successor_id: RefreshTokenId | null;
  readonly scope: string | null;
  readonly sealed_pair: string | null;
}

const findCode = statement(
  'pm_codes_find_lock_v1',
  (
    s,
  ) => `SELECT hash, grant_id, platform_id, redirect_uri, code_challenge, created, expires_at, used_at
    FROM ${s}.authorization_codes WHERE hash = $1 FOR NO KEY UPDATE`,
);
const insertCode = statement(
  'pm_codes_insert_v1',
  (s) => `INSERT INTO ${s}.authorization_codes
      (hash, grant_id, platform_id, redirect_uri, code_challenge, created, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);
const useCode = statement(
  'pm_codes_use_v1',
  (s) => `UPDATE ${s}.authorization_codes SET used_at = $2 WHERE hash = $1 AND used_at IS NULL`,
);
const findAccessToken = statement(
  'pm_access_tokens_find_v1',
  (s) => `SELECT id, grant_id, scopes, created, expires_at, revoked_at
    FROM ${s}.access_tokens WHERE hash = $1`,
);
const insertAccessToken = statement(
  'pm_access_tokens_insert_v1',
  (s) => `INSERT INTO ${s}.access_tokens (id, grant_id, hash, scopes, created, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6)`,
);
const revokeAccessToken = statement(
  'pm_access_tokens_revoke_v1',
  (s) => `UPDATE ${s}.access_tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL`,
);
const REFRESH_COLUMNS =
  'id, grant_id, created, expires_at, consumed_at, successor_id, scope, sealed_pair';
const findRefreshToken = statement(
  'pm_refresh_tokens_find_v1',
  (s) => `SELECT ${REFRESH_COLUMNS} FROM ${s}.refresh_tokens WHERE hash = $1`,
);
const findRefreshTokenForUpdate = statement(
  'pm_refresh_tokens_find_lock_v1',
  (s) => `SELECT ${REFRESH_COLUMNS} FROM ${s}.refresh_tokens WHERE hash = $1 FOR NO KEY UPDATE`,
);
const isUnused = statement(
  'pm_refresh_tokens_unused_v1',
  (s) => `SELECT FROM ${s}.refresh_tokens WHERE id = $1 AND consumed_at IS NULL`,
);
const insertRefreshToken = statement(
  'pm_refresh_tokens_insert_v1',
  (s) => `INSERT INTO ${s}.refresh_tokens (id, grant_id, hash, created, expires_at)
    VALUES ($1, $2, $3, $4, $5)`,
);
const consumeRefreshToken = statement(
  'pm_refresh_tokens_consume_v1',
  // A platform that uses its new token has it, so nobody needs the sealed one any more.
  (s) => `WITH erased AS (
      UPDATE ${s}.refresh_tokens SET sealed_pair = NULL, kid = NULL WHERE successor_id = $1)
    UPDATE ${s}.refresh_tokens
    SET consumed_at = $2, successor_id = $3, scope = $4, sealed_pair = $5, kid = $6
    WHERE id = $1 AND consumed_at IS NULL`,
);

/** Tokens without a lock. */
export function tokenReader(session: Session): OAuthTokenReader {
  return {
    findGrant: (id) => findGrant(session, id),
    findAccessToken: (hash) => readAccessToken(session, hash),
    findRefreshToken: (hash) => readRefreshToken(session, findRefreshToken, hash),
  };
}

/** Codes and tokens within a change of access. */
export function tokenRepository(session: Session): OAuthTokenRepository {
  return {
    findAccessToken: (hash) => readAccessToken(session, hash),
    findRefreshToken: (hash) => readRefreshToken(session, findRefreshToken, hash),
    findRefreshTokenForUpdate: (hash) => readRefreshToken(session, findRefreshTokenForUpdate, hash),
    async findCodeForUpdate(hash) {
      const [row] = (await session.query<CodeRow>(findCode, [Buffer.from(hash)])).rows;
      return row && toCode(row);
    },
    async insertCode({ hash, grantId, platformId, redirectUri, codeChallenge, ...times }) {
      const texts = [grantId, platformId, redirectUri ?? null, codeChallenge ?? null];
      const values = [Buffer.from(hash), ...texts, times.created, times.expiresAt];
      await session.query(insertCode, values);
    },
    async useCode(hash, now) {
      await session.query(useCode, [Buffer.from(hash), now]);
    },
    async insertAccessToken({ id, grantId, scopes, created, expiresAt }, hash) {
      const values = [id, grantId, Buffer.from(hash), scopes, created, expiresAt];
      await session.query(insertAccessToken, values);
    },
    async revokeAccessToken(id, now) {
      await session.query(revokeAccessToken, [id, now]);
    },
    async isRefreshTokenConsumed(id) {
      return (await session.query(isUnused, [id])).rowCount === 0;
    },
    async insertRefreshToken({ id, grantId, created, expiresAt }, hash) {
      const values = [id, grantId, Buffer.from(hash), created, expiresAt];
      await session.query(insertRefreshToken, values);
    },
    async consumeRefreshToken(id, { at, successorId, scope, sealedPair, kid }) {
      await session.query(consumeRefreshToken, [id, at, successorId, scope, sealedPair, kid]);
    },
  };
}

async function readAccessToken(
  session: Session,
  hash: Uint8Array,
): Promise<AccessToken | undefined> {
  const values = [Buffer.from(hash)];
  const [row] = (await session.query<AccessTokenRow>(findAccessToken, values)).rows;
  return row && toAccessToken(row);
}

async function readRefreshToken(
  session: Session,
  by: Statement,
  hash: Uint8Array,
): Promise<RefreshToken | undefined> {
  const [row] = (await session.query<RefreshTokenRow>(by, [Buffer.from(hash)])).rows;
  return row && toRefreshToken(row);
}

function toCode(row: CodeRow): AuthorizationCode {
  return {
    hash: row.hash,
    grantId: row.grant_id,
    platformId: row.platform_id,
    created: row.created,
    expiresAt: row.expires_at,
    ...present({
      redirectUri: row.redirect_uri,
      codeChallenge: row.code_challenge,
      usedAt: row.used_at,
    }),
  };
}

function toAccessToken(row: AccessTokenRow): AccessToken {
  return {
    id: row.id,
    grantId: row.grant_id,
    scopes: row.scopes,
    created: row.created,
    expiresAt: row.expires_at,
    ...present({ revokedAt: row.revoked_at }),
  };
}

function toRefreshToken(row: RefreshTokenRow): RefreshToken {
  const { id, grant_id: grantId, created, expires_at: expiresAt } = row;
  const { consumed_at: at, successor_id: successorId, scope, sealed_pair: sealedPair } = row;
  const token = { id, grantId, created, expiresAt };
  if (at === null || successorId === null || scope === null) return token;
  return { ...token, consumed: { at, successorId, scope, ...present({ sealedPair }) } };
}
