import { redactCardNumbers } from '../../kernel/secrets/card-number-text.ts';
import { redactEncoded, shortened } from './find-credentials.ts';

/** U+FFFD, Unicode's replacement character. */
const UNSHOWN = '\uFFFD';
/**
 * The end of a longer text cannot appear in the 2,048 stored characters: decoding and masking
 * shorten the text before it at most to a thirtieth.
 */
const MAX_READ = 65_536;

/**
 * The part of an input text that may be stored and shown: without credentials, card numbers,
 * control characters and unpaired surrogates, which neither a database nor a mail can store.
 * @param max in code points; the rest is cut off
 */
export function shownText(text: string, max: number): string {
  const redacted = redactEncoded(text.slice(0, MAX_READ), (plain) =>
    redactCardNumbers(shortened(plain)),
  );
  const clean = redacted.replace(/[\p{Cc}\p{Cs}]/gu, UNSHOWN);
  return clean.length <= max ? clean : [...clean].slice(0, max).join('');
}
