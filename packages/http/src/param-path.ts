import { shownText } from './shown-text.ts';

const MAX_LENGTH = 255;

/**
 * Writes the path of a parameter as Stripe does: `card[exp_month]`, `enabled_events[0]`.
 * @returns at most 255 characters, as callers choose the names of unknown parameters
 */
export function paramPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const segment of path) text += text === '' ? String(segment) : `[${String(segment)}]`;
  return shownText(text, MAX_LENGTH);
}
