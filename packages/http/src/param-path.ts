const MAX_LENGTH = 255;
/** Half of a surrogate pair and NUL are refused in parameters, and not sent back either. */
const UNPRINTABLE = /[\0\p{Cs}]/gu;

/**
 * Writes the path of a parameter as Stripe does: `card[exp_month]`, `enabled_events[0]`.
 * @returns at most 255 characters, as callers choose the names of unknown parameters
 */
export function paramPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const segment of path) text += text === '' ? String(segment) : `[${String(segment)}]`;
  const shown = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}...` : text;
  return shown.replace(UNPRINTABLE, '\ufffd');
}
