import type { TokenCredential, TokenLookup } from '@paymount/core/access';
import { type AccountId, environmentOf } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

interface TokenRow {
  readonly token_id: TokenCredential['tokenId'];
  readonly grant_id: TokenCredential['grantId'];
  readonly platform_id: TokenCredential['platformId'];
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly hash: Buffer;
  readonly scopes: TokenCredential['scopes'];
  readonly expires_at: Date;
  readonly is_revoked: boolean;
  readonly grant_version: number;
  readonly platform_version: number;
  readonly account_status: TokenCredential['accountStatus'];
  readonly account_version: number;
}

/** A look-up that takes longer ends with 503, as one of a key does. */
const LOOK_UP_LIMIT_MS = 250;

/** The columns of the token are null when no token has the hash. */
type LookUpRow = { readonly in_recovery: boolean } & ({ readonly token_id: null } | TokenRow);

const findByHash = statement(
  'pm_tokens_look_up_v1',
  (s) => `SELECT pg_is_in_recovery() AS in_recovery, found.*
    FROM (VALUES (1)) AS one LEFT JOIN (
      SELECT t.id AS token_id, g.id AS grant_id, p.id AS platform_id, g.account_id, g.livemode,
        t.hash, t.expires_at, g.version AS grant_version, p.version AS platform_version,
        ARRAY(SELECT scope FROM unnest(t.scopes) AS scope WHERE scope = ANY (p.scopes)) AS scopes,
        t.revoked_at IS NOT NULL OR g.status <> 'active' OR p.status <> 'active' AS is_revoked,
        a.status AS account_status, a.version AS account_version
      FROM ${s}.access_tokens t JOIN ${s}.grants g ON g.id = t.grant_id
        JOIN ${s}.platforms p ON p.id = g.platform_id JOIN ${s}.accounts a ON a.id = g.account_id
      WHERE t.hash = $1) found ON true`,
  LOOK_UP_LIMIT_MS,
);

/** The access token of a hash, and the rows that decide about it, in one snapshot. */
export async function findTokenByHash(session: Session, hash: Uint8Array): Promise<TokenLookup> {
  const [row] = (await session.query<LookUpRow>(findByHash, [Buffer.from(hash)])).rows;
  if (!row) throw new Error('The look-up of a token answers one row.');
  return { credential: toCredential(row), inRecovery: row.in_recovery };
}

function toCredential(row: LookUpRow): TokenCredential | undefined {
  if (row.token_id === null) return undefined;
  return {
    tokenId: row.token_id,
    grantId: row.grant_id,
    platformId: row.platform_id,
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    hash: row.hash,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    isRevoked: row.is_revoked,
    grantVersion: row.grant_version,
    platformVersion: row.platform_version,
    accountStatus: row.account_status,
    accountVersion: row.account_version,
  };
}
