import { withoutCardNumbers, withoutCredentials } from '@paymount/core/kernel';

/** As many digits as most card numbers have at least, grouped or not: here too many is better. */
const CARD_NUMBER = /\d(?:[ -]?\d){13,}/g;
/** Half of a surrogate pair and NUL are refused in parameters, and not sent back either. */
const UNPRINTABLE = /[\0\p{Cs}]/gu;

/**
 * A text that a caller chose, as an error message may repeat it: names and values get swapped, and
 * messages get into the logs of clients, so that what looks like a secret is left out.
 * @returns at most `max` characters and an ellipsis
 */
export function shownText(text: string, max: number): string {
  const shown = withoutCardNumbers(withoutCredentials(text)).replace(CARD_NUMBER, '...');
  const cut = shown.length > max ? `${shown.slice(0, max)}...` : shown;
  return cut.replace(UNPRINTABLE, '\ufffd');
}
