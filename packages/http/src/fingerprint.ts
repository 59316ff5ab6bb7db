import { createHmac } from 'node:crypto';
import type { Owner } from '@paymount/core/kernel';
import { isTree } from './body/tree.ts';

/** Members of an object with this name. */
type Omitted = Readonly<Record<string, readonly string[]>>;

/** Numbers and codes of live mode, which may not be kept, not even hashed. Those of test are public. */
const SECRETS: Omitted = {
  card: ['number', 'cvc'],
  bank_account: ['account_number'],
  us_bank_account: ['account_number'],
};

/**
 * What makes two requests under one `Idempotency-Key` the same: method, path and parameters as
 * parsed, so that a form equals the same JSON and the order of members does not matter.
 * @param key secret, so that a stored fingerprint cannot be searched for its parameters
 * @returns 64 lowercase hexadecimal digits
 */
export function fingerprintOf(
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
  // Pairs rather than an object, as JSON orders members named like integers in its own way.
  return Object.keys(value)
    .filter((name) => value[name] !== undefined && !omit.includes(name))
    .sort()
    .map((name) => [name, canonical(value[name], omitted, omitted[name])]);
}
