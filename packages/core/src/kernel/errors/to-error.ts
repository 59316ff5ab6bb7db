import { isError } from './is-error.ts';

/** What was thrown, as an error that a log line can carry. */
export function toError(thrown: unknown): Error {
  return isError(thrown) ? thrown : new Error(String(thrown));
}
