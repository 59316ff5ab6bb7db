/** A key, a token, a signing secret, or as many digits as a card number has at least, grouped or not. */
const SECRET =
  /\b(?:(?:sk|rk)_(?:live|test)|oat|ort|oac|ocs|whsec)_[\w+/=]{10,}|\d(?:[ -]?\d){13,}/g;
/** Half of a surrogate pair and NUL are refused in parameters, and not sent back either. */
const UNPRINTABLE = /[\0\p{Cs}]/gu;

/**
 * A text that a caller chose, as an error message may repeat it: names and values get swapped, and
 * messages get into the logs of clients, so that what looks like a secret is left out.
 * @returns at most `max` characters and an ellipsis
 */
export function shownText(text: string, max: number): string {
  const shown = text.replace(SECRET, '...');
  const cut = shown.length > max ? `${shown.slice(0, max)}...` : shown;
  return cut.replace(UNPRINTABLE, '\ufffd');
}
