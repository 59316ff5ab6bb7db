import { isError } from '../../kernel/errors/is-error.ts';
import type { CallResult } from './outcome.ts';

const MAX_CAUSES = 5;

/**
 * Replaces an account number that an adapter repeats in a text by its last two digits, also where
 * spaces or hyphens stand between its characters.
 */
function hideNumber(text: string, accountNumber: string): string {
  const characters = [...accountNumber.replaceAll(/[ -]/g, '')];
  if (characters.length === 0) return text;
  const escaped = characters.map((character) => character.replaceAll(/[^A-Za-z0-9]/g, '\\$&'));
  return text.replaceAll(new RegExp(escaped.join('[ -]?'), 'giu'), () => hidden(accountNumber));
}

function hidden(accountNumber: string): string {
  return `(account number ending in ${accountNumber.slice(-2)})`;
}

/** @returns what was answered, without the account number in its message */
export function hideNumberInResult(result: CallResult, accountNumber: string): CallResult {
  if (!('message' in result)) return result;
  return { ...result, message: hideNumber(result.message, accountNumber) };
}

/**
 * @returns an error for the log with the same name, message, stack and causes, without the account
 *   number and without other members; undefined for what is no error
 */
export function hideNumberInError(
  error: unknown,
  accountNumber: string,
  depth = 0,
): Error | undefined {
  if (!isError(error) || depth === MAX_CAUSES) return undefined;
  const cause = hideNumberInError(error.cause, accountNumber, depth + 1);
  const copy = new Error(hideNumber(error.message, accountNumber), { ...(cause && { cause }) });
  copy.name = error.name;
  copy.stack = hideNumber(error.stack ?? '', accountNumber);
  return copy;
}
