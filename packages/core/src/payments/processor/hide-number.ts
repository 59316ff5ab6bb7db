import { isError } from '../../kernel/errors/is-error.ts';

const MAX_CAUSES = 5;
/**
 * What may be an account number: four digits or more, also with spaces or hyphens between them, and with
 * the letters of an IBAN.
 */
const NUMBERS = /(?<![\dA-Z])[\dA-Z]*\d(?:[ -]?\d){3,}[\dA-Z]*/g;
/** Names a place in the code, by numbers that are no account numbers. */
const STACK_FRAME = /^ +at .+:\d+:\d+\)?$/;

/** Leaves account numbers out of a text that an adapter made. */
export type HideNumbers = (text: string) => string;

/** @returns hides one number: nothing if it is empty */
export function hidesNumber(accountNumber: string): HideNumbers {
  return (text) => hideNumber(text, accountNumber);
}

/**
 * Replaces everything that may be an account number by its last two digits. It needs no number, so it
 * also hides one that was corrected since, or that only the processor knows.
 */
export function hideNumbers(text: string): string {
  return text.replaceAll(NUMBERS, (number) => hidden(number));
}

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

/** @returns what was answered, without account numbers in its message */
export function hideInResult<Result extends object>(result: Result, hide: HideNumbers): Result {
  if (!('message' in result) || typeof result.message !== 'string') return result;
  return { ...result, message: hide(result.message) };
}

/**
 * @returns an error for the log with the same name, message, stack and causes, without account numbers
 *   and without other members; undefined for anything that is not an error
 */
export function hideInError(error: unknown, hide: HideNumbers, depth = 0): Error | undefined {
  if (!isError(error) || depth === MAX_CAUSES) return undefined;
  const cause = hideInError(error.cause, hide, depth + 1);
  const copy = new Error(hide(error.message), { ...(cause && { cause }) });
  copy.name = error.name;
  const lines = (error.stack ?? '').split('\n');
  copy.stack = lines.map((line) => (STACK_FRAME.test(line) ? line : hide(line))).join('\n');
  return copy;
}
