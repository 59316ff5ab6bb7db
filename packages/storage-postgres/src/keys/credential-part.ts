import type { CredentialSnapshot } from '@paymount/core/kernel';
import { OWNER, type Part } from '../changes/part.ts';
import { partCode } from '../changes/part-codes.ts';

/**
 * Passes if the caller's key is of the owner of the change, and neither it nor its account has
 * changed since the key was accepted: a row of the same version was checked then, and only time can
 * have changed the result.
 * @param at business time of the change
 */
export function credentialPart(snapshot: CredentialSnapshot, at: Date): Part {
  return {
    code: partCode('credential'),
    guard: 'access_changed',
    reads: true,
    values: [snapshot.keyId, snapshot.keyVersion, snapshot.accountVersion, at],
    sql: ({ schema, at: place, alias, when }) => `${alias} AS (
  SELECT FROM ${schema}.api_keys k JOIN ${schema}.accounts a ON a.id = k.account_id
  WHERE (k.account_id, k.livemode) = (${OWNER}) AND k.id = ${place(0)}::text
    AND k.version = ${place(1)}::integer AND a.version = ${place(2)}::integer
    AND (k.expires_at IS NULL OR k.expires_at > ${place(3)}::timestamptz) AND ${when})`,
  };
}
