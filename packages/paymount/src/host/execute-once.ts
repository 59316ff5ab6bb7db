import assert from 'node:assert/strict';
import { errorIn } from '@paymount/core/changes';
import type { IdempotencyClaim } from '@paymount/core/kernel';
import { type Idempotent, type KeyedRequest, validateIdempotencyKey } from '@paymount/http';

/** A call of the host's own code with an idempotency key. */
interface KeyedCall<Resource extends object> extends Omit<KeyedRequest, 'credential' | 'execute'> {
  /** Separates the host's keys from all others. */
  readonly prefix: string;
  /** Whether card numbers are refused in the key. */
  readonly cards: boolean;
  readonly execute: (claim: IdempotencyClaim) => Promise<Resource>;
}

/**
 * Executes a call at most once for its idempotency key.
 * @returns the result of `execute`, now or when the key was new
 * @throws PaymountError as `execute` does, or did; `idempotency_key_invalid`,
 *   `idempotency_key_mismatch`, `idempotency_key_in_use`
 */
export async function executeOnce<Resource extends object>(
  idempotent: Idempotent,
  { prefix, cards, key, ...request }: KeyedCall<Resource>,
): Promise<Resource> {
  const { status, body } = await idempotent.respond({
    ...request,
    credential: 'host',
    key: prefix + validateIdempotencyKey(key, { cards }),
  });
  if (status !== 200) throw errorIn(body);
  const resource: unknown = JSON.parse(body);
  assert.ok(isResource<Resource>(resource), 'An answer is an object.');
  return resource;
}

/** The same path and parameters gave it, so it is what `execute` gives. */
function isResource<Resource extends object>(resource: unknown): resource is Resource {
  return typeof resource === 'object' && resource !== null;
}
