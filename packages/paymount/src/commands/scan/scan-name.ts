import { redactCredentials } from '@paymount/core/access';

/** What a terminal obeys or hides: control and format characters, line separators, half pairs. */
const UNSHOWABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/**
 * A text that others wrote, such as the name of a file, so that it may be printed: credentials in
 * their shortened form, what would steer a terminal or a log as `\x1b` or `\u{202e}`.
 */
export function shown(text: string): string {
  return redactCredentials(text).replace(UNSHOWABLE, escaped);
}

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
}
