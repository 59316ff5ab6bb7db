import { createHmac } from 'node:crypto';
import type { Owner } from '@paymount/core/kernel';
import { isTree } from './body/tree.ts';

/** Members of an object with this name. */
type Omitted = Readonly<Record<string, readonly string[]>>;

/**
 * Card numbers and codes of live mode, which must not be stored, not even hashed. Those of test are
 * public.
 */
const SECRETS: Omitted = {
  card: ['number', 'cvc'],
  bank_account: ['account_number'],
  us_bank_account: ['account_number'],
  external_account: ['account_number'],
};

/**
 * Identifies a request under one `Idempotency-Key`: method, path and parsed parameters, so that a
 * form equals the same JSON and the order of members does not matter.
 * @param key secret, so that a stored fingerprint cannot be searched for its parameters
 * @returns 64 lowercase hexadecimal digits
 */
export function fingerprintRequest(
  key: Uint8Array,
  request: {
    readonly owner: Pick<Owner, 'environment'>;
    readonly method: string;
    readonly path: string;
    readonly parameters: unknown;
  },
): string {
  const omitted = request.owner.environment === 'live' ? SECRETS : {};
  const text = JSON.stringify([
    request.method,
    request.path,
    canonical(request.parameters, omitted),
  ]);
  return createHmac('sha256', key).update(text).digest('hex');
}

function canonical(value: unknown, omitted: Omitted, omit: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => canonical(item, omitted));
  if (!isTree(value) || value instanceof Date) return value;
  // Pairs instead of an object, because JSON reorders members with integer names.
  return Object.keys(value)
    .filter((name) => value[name] !== undefined && !omit.includes(name))
    .sort()
    .map((name) => [name, canonical(value[name], omitted, omitted[name])]);
}
