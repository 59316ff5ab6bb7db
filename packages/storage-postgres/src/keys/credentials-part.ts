import type { CredentialSnapshot, Owner } from '@paymount/core/kernel';
import { OWNER_COLUMNS } from '../changes/owner-columns.ts';
import type { Part } from '../changes/part.ts';
import { partCode } from '../changes/part-codes.ts';
import { rowSource, type ToRows } from '../changes/row-source.ts';
import { type Column, fixed } from '../shared/columns.ts';

/** The credential of a change, as it was accepted. */
export interface ChangeCredential extends Owner {
  readonly credential: Extract<CredentialSnapshot, { readonly keyId: unknown }>;
  /** Business time of the change. */
  readonly at: Date;
}

const COLUMNS: readonly Column<ChangeCredential>[] = [
  ...OWNER_COLUMNS,
  fixed('key_id', 'text', ({ credential }) => credential.keyId),
  fixed('key_version', 'integer', ({ credential }) => credential.keyVersion),
  fixed('account_version', 'integer', ({ credential }) => credential.accountVersion),
  fixed('at', 'timestamptz', ({ at }) => at),
];

/**
 * Passes if each key is of the owner of its change, and neither it nor its account has changed since
 * the key was accepted: a row of the same version was checked then, and only time can have changed
 * the result. Each is looked up by itself, whatever statistics say.
 */
export function credentialsPart(
  credentials: readonly ChangeCredential[],
  toRows: ToRows = rowSource,
): Part {
  const rows = toRows(COLUMNS, credentials);
  return {
    code: partCode('credential', rows.code),
    guard: 'access_changed',
    reads: true,
    values: rows.values,
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  SELECT WHERE ${when} AND NOT EXISTS (SELECT FROM ${rows.sql(at)} WHERE (
    SELECT true FROM ${schema}.api_keys k JOIN ${schema}.accounts a ON a.id = k.account_id
    WHERE k.account_id = n.account_id AND k.livemode = n.livemode AND k.id = n.key_id
      AND k.version = n.key_version AND a.version = n.account_version
      AND (k.expires_at IS NULL OR k.expires_at > n.at) LIMIT 1) IS NULL))`,
  };
}
