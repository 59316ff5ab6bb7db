import type { CredentialSnapshot, Owner } from '@paymount/core/kernel';
import { OWNER_COLUMNS } from '../changes/owner-columns.ts';
import type { Part } from '../changes/part.ts';
import { partCode } from '../changes/part-codes.ts';
import { rowSource, type ToRows } from '../changes/row-source.ts';
import { type Column, fixed } from '../shared/columns.ts';

/** The access token of a change, as it was accepted. */
export interface ChangeToken extends Owner {
  readonly credential: Extract<CredentialSnapshot, { readonly tokenId: unknown }>;
  /** Business time of the change. */
  readonly at: Date;
}

const COLUMNS: readonly Column<ChangeToken>[] = [
  ...OWNER_COLUMNS,
  fixed('token_id', 'text', ({ credential }) => credential.tokenId),
  fixed('grant_version', 'integer', ({ credential }) => credential.grantVersion),
  fixed('platform_version', 'integer', ({ credential }) => credential.platformVersion),
  fixed('account_version', 'integer', ({ credential }) => credential.accountVersion),
  fixed('at', 'timestamptz', ({ at }) => at),
];

/**
 * Passes if each token is of the owner of its change, and neither it nor its grant, its platform and
 * its account have changed since it was accepted: as `credentialsPart` for keys.
 */
export function tokenCredentialsPart(
  credentials: readonly ChangeToken[],
  toRows: ToRows = rowSource,
): Part {
  const rows = toRows(COLUMNS, credentials);
  return {
    code: partCode('token_credential', rows.code),
    guard: 'access_changed',
    reads: true,
    values: rows.values,
    sql: ({ schema: s, at, alias, when }) => `${alias} AS (
  SELECT WHERE ${when} AND NOT EXISTS (SELECT FROM ${rows.sql(at)} WHERE (
    SELECT true FROM ${s}.access_tokens t JOIN ${s}.grants g ON g.id = t.grant_id
      JOIN ${s}.platforms p ON p.id = g.platform_id JOIN ${s}.accounts a ON a.id = g.account_id
    WHERE t.id = n.token_id AND t.revoked_at IS NULL AND t.expires_at > n.at
      AND g.account_id = n.account_id AND g.livemode = n.livemode
      AND g.version = n.grant_version AND p.version = n.platform_version
      AND a.version = n.account_version LIMIT 1) IS NULL))`,
  };
}
