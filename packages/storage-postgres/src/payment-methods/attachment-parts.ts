import type { CustomerId } from '@paymount/core/kernel';
import type { StoredChange } from '@paymount/core/store';
import { OWNED, type Part } from '../changes/part.ts';
import { partCode } from '../changes/part-codes.ts';

/**
 * Passes if the payment method is attached to the customer and not blocked. The row is locked, so that a detachment
 * waits for the change that relies on it, and the change for a detachment that came first.
 */
export function attachedPart({
  methodId,
  customerId,
}: NonNullable<StoredChange['attached']>): Part {
  return {
    code: partCode('attached'),
    guard: 'raced',
    values: [methodId, customerId],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  SELECT id FROM ${schema}.payment_methods
  WHERE ${OWNED} AND id = ${at(0)}::text AND customer_id = ${at(1)}::text
    AND blocked IS NULL AND ${when}
  FOR SHARE)`,
  };
}

/** Blocks a bank account, once. */
export function blockPart({ methodId, block }: NonNullable<StoredChange['blocked']>): Part {
  return {
    code: partCode('block_method'),
    values: [methodId, JSON.stringify(block)],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  UPDATE ${schema}.payment_methods SET version = version + 1, blocked = ${at(1)}::jsonb
  WHERE ${OWNED} AND id = ${at(0)}::text AND blocked IS NULL AND ${when})`,
  };
}

/** Billing details without any fact. */
export const NOBODY = '{"name":null,"email":null,"phone":null,"address":null}';

/** Detaches all payment methods of a customer, and deletes what they say about the person. */
export function detachAllPart(customerId: CustomerId, detachedAt: Date): Part {
  return {
    code: partCode('detach_all'),
    values: [customerId, detachedAt, NOBODY],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  UPDATE ${schema}.payment_methods
  SET version = version + 1, customer_id = NULL, detached_at = ${at(1)}::timestamptz,
    billing_details = ${at(2)}::jsonb, metadata = '{}',
    us_bank_account = us_bank_account || '{"accountHolderName":null}'
  WHERE ${OWNED} AND customer_id = ${at(0)}::text AND ${when})`,
  };
}
