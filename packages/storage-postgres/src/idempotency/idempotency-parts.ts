import type { StoredResponse } from '@paymount/core/changes';
import {
  type IdempotencyClaim,
  livemode,
  type OperationId,
  type Owner,
} from '@paymount/core/kernel';
import { OWNED, OWNER, type Part } from '../changes/part.ts';
import { partCode } from '../changes/part-codes.ts';

/**
 * Inserts the key, with its response if the change already has one. The second of two changes with
 * one key waits for the first, and then finds the key claimed.
 * @param owner of the change; keys of admins have another owner
 */
export function claimPart(
  claim: IdempotencyClaim,
  owner: Owner,
  rest: {
    readonly operationId: OperationId | undefined;
    readonly response: StoredResponse | undefined;
  },
): Part {
  const { operationId, response } = rest;
  const isOwn = claim.accountId === owner.accountId && claim.environment === owner.environment;
  return {
    code: partCode(isOwn ? 'own_claim' : 'claim_of_another'),
    guard: 'claimed',
    values: [
      claim.key,
      claim.fingerprint,
      claim.requestId,
      claim.created,
      // The key of an admin is not that of an account, and says nothing about its operations.
      (isOwn ? operationId : null) ?? null,
      response ? null : claim.lockedUntil,
      response?.status ?? null,
      response?.body ?? null,
      response?.kid ?? null,
      claim.credential,
      ...(isOwn ? [] : [claim.accountId, livemode(claim.environment)]),
    ],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  INSERT INTO ${schema}.idempotency_keys (account_id, livemode, key, fingerprint, request_id,
    created, operation_id, locked_until, status, body, kid, credential)
  SELECT ${isOwn ? OWNER : `${at(10)}::text, ${at(11)}::boolean`}, ${at(0)}::text, ${at(1)}::text, ${at(2)}::text, ${at(3)}::timestamptz,
    ${at(4)}::text, ${at(5)}::timestamptz, ${at(6)}::smallint, ${at(7)}::text, ${at(8)}::text,
    ${at(9)}::text
  WHERE ${when} ON CONFLICT DO NOTHING RETURNING key)`,
  };
}

/** Finishes a key that an earlier change claimed; an existing response is kept. */
export function responsePart(key: string, response: StoredResponse): Part {
  return {
    code: partCode('answer'),
    values: [key, response.status, response.body, response.kid ?? null],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  UPDATE ${schema}.idempotency_keys SET locked_until = NULL, status = ${at(1)}::smallint,
    body = ${at(2)}::text, kid = ${at(3)}::text
  WHERE ${OWNED} AND key = ${at(0)}::text AND status IS NULL AND ${when})`,
  };
}
