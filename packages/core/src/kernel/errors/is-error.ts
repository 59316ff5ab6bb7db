import { types } from 'node:util';

/**
 * Whether a value is an error, from any realm. Test runners such as jest give each test its own
 * globals, so Node's own errors are not instances of the `Error` that we see. Never throws: it
 * returns false for a proxy that throws.
 */
export function isError(value: unknown): value is Error {
  try {
    return types.isNativeError(value) || value instanceof Error;
  } catch {
    return false;
  }
}
