import { types } from 'node:util';

/**
 * Whether something is an error, whoever made it. Under test runners that give each test a global
 * scope of its own (jest), Node's own errors are no instances of the `Error` that we see. Never
 * throws: a proxy that refuses to be asked is none.
 */
export function isError(value: unknown): value is Error {
  try {
    return types.isNativeError(value) || value instanceof Error;
  } catch {
    return false;
  }
}
