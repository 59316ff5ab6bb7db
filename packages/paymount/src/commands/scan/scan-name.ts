import { redactCredentials } from '@paymount/core/access';

/**
 * Characters that control a terminal or are invisible: control and format characters, line
 * separators, lone surrogates.
 */
const UNSHOWABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/**
 * Makes a foreign text, such as the name of a file, safe to print: credentials are shortened, and
 * control characters are escaped as `\x1b` or `\u{202e}`.
 */
export function shown(text: string): string {
  return redactCredentials(text).replace(UNSHOWABLE, escaped);
}

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
}
