import { createHmac } from 'node:crypto';
import { isTree, type Tree } from './body/tree.ts';

/** Numbers and codes that may not be kept, not even hashed. */
const SECRETS: Readonly<Record<string, readonly string[]>> = {
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
  request: { readonly method: string; readonly path: string; readonly parameters: unknown },
): string {
  const text = JSON.stringify([request.method, request.path, canonical(request.parameters)]);
  return createHmac('sha256', key).update(text).digest('hex');
}

function canonical(value: unknown, omit: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => canonical(item));
  return isTree(value) && !(value instanceof Date) ? sorted(value, omit) : value;
}

/** Pairs rather than an object, as JSON orders members named like integers in its own way. */
function sorted(tree: Tree, omit: readonly string[]): unknown {
  return Object.keys(tree)
    .filter((name) => tree[name] !== undefined && !omit.includes(name))
    .sort()
    .map((name) => [name, canonical(tree[name], SECRETS[name])]);
}
