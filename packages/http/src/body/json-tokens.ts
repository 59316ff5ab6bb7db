const QUOTE = 34;
const BACKSLASH = 92;

/** Whether a string begins at a place of a valid JSON text, outside of strings. */
export function isQuote(text: string, at: number): boolean {
  return text.charCodeAt(at) === QUOTE;
}

/** The place after the string that begins at `start` of a valid JSON text. */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (!isQuote(text, at)) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}
