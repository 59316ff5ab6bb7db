/**
 * Line ends and other control characters, with which a name could add a line to a mail, a log or a
 * table, and characters that turn the direction of the text, which change how the rest of the line
 * reads (Unicode Technical Report 36, 2.5).
 */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const BREAKS_IN_A_ROW = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** Whether a text stays on its line, and leaves the text beside it as it is. */
export function isOneLine(text: string): boolean {
  return !BREAKS.test(text);
}

/** The text on one line, with a space instead of what would break it. */
export function toOneLine(text: string): string {
  return text.replace(BREAKS_IN_A_ROW, ' ').trim();
}
