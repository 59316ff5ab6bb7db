import { withoutCardNumbers } from '../../kernel/secrets/card-number-text.ts';
import { redactEncoded, shortened } from './find-credentials.ts';

/** U+FFFD, which Unicode has for what cannot be shown. */
const UNSHOWN = '\uFFFD';
/**
 * Of a text longer than this, the rest could not appear in the 2,048 characters that are kept
 * however much the decoding and the redacting of what precedes it shorten: to a thirtieth.
 */
const MAX_READ = 65_536;

/**
 * What may be kept and shown of a text that somebody sent: without credentials, card numbers,
 * control characters and halves of surrogate pairs, which neither a database nor a mail takes.
 * @param max in code points; what exceeds it is cut off
 */
export function shownText(text: string, max: number): string {
  const redacted = redactEncoded(text.slice(0, MAX_READ), (plain) =>
    withoutCardNumbers(shortened(plain)),
  );
  const clean = redacted.replace(/[\p{Cc}\p{Cs}]/gu, UNSHOWN);
  return clean.length <= max ? clean : [...clean].slice(0, max).join('');
}
