import { isError } from '../../kernel/errors/is-error.ts';

const MAX_CAUSES = 5;

/**
 * Replaces an account number that an adapter repeats in a text by its last two digits, also where
 * spaces or hyphens stand between its characters.
 */
function hideNumber(text: string, accountNumber: string): string {
  const wanted = [...accountNumber].filter((character) => !isSeparator(character)).join('');
  if (wanted === '') return text;
  const places = [...Array(text.length).keys()].filter((place) => !isSeparator(text.charAt(place)));
  const plain = places.map((place) => text.charAt(place)).join('');
  let shown = '';
  let from = 0;
  let found = plain.indexOf(wanted);
  while (found !== -1) {
    const end = found + wanted.length;
    shown += text.slice(from, places[found]) + hidden(accountNumber);
    from = (places[end - 1] ?? 0) + 1;
    found = plain.indexOf(wanted, end);
  }
  return shown + text.slice(from);
}

function isSeparator(character: string): boolean {
  return character === ' ' || character === '-';
}

function hidden(accountNumber: string): string {
  return `(account number ending in ${accountNumber.slice(-2)})`;
}

/** @returns what was answered, without the account number in its message */
export function hideNumberInResult<Result extends object>(
  result: Result,
  accountNumber: string,
): Result {
  if (!('message' in result) || typeof result.message !== 'string') return result;
  return { ...result, message: hideNumber(result.message, accountNumber) };
}

/**
 * @returns an error for the log with the same name, message, stack and causes, without the account
 *   number and without other members; undefined for anything that is not an error
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
