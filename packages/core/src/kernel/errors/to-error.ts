import { isError } from './is-error.ts';

/** Converts any thrown value to an error for a log line. */
export function toError(thrown: unknown): Error {
  return isError(thrown) ? thrown : new Error(String(thrown));
}
