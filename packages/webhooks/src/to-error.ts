import { isError } from '@paymount/core/kernel';

/** What was thrown, as an error that a log line can carry. */
export function toError(thrown: unknown): Error {
  return isError(thrown) ? thrown : new Error(String(thrown));
}
