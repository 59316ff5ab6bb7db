import { types } from 'node:util';

/**
 * Whether something is an error, whoever made it. Under test runners that give each test a global
 * scope of its own (jest), Node's own errors are no instances of the `Error` that we see.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}
