import { redactCardNumbers, redactCredentialText } from '@paymount/core/kernel';

/**
 * The minimum number of digits of most card numbers, grouped or not; hiding too much is better
 * here.
 */
const CARD_NUMBER = /\d(?:[ -]?\d){13,}/g;
/** What comes after is far beyond what is shown, and searching all of a long text takes long. */
const MAX_READ = 4_096;
/** Unpaired surrogates and NUL are refused in parameters, and not sent back either. */
const UNPRINTABLE = /[\0\p{Cs}]/gu;

/**
 * A caller's text as an error message may repeat it. Names and values get swapped, and messages get
 * into the logs of clients, so texts that look like a secret are left out.
 * @returns at most `max` characters and an ellipsis
 */
export function shownText(text: string, max: number): string {
  const shown = redactCardNumbers(redactCredentialText(text.slice(0, MAX_READ))).replace(
    CARD_NUMBER,
    '...',
  );
  const cut = shown.length > max ? `${shown.slice(0, max)}...` : shown;
  return cut.replace(UNPRINTABLE, '\ufffd');
}
