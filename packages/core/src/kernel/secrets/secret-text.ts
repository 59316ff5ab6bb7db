import { redactCardNumbers } from './card-number-text.ts';
import { redactCredentialText } from './credential-text.ts';

/** The replacement for a secret in a log. */
export const REDACTED = '[secret]';

const MAX_USER = 128;
const MAX_PASSWORD = 512;

/**
 * A field for a log: without credentials, signing secrets and passwords in URLs. Card numbers stay,
 * because long numbers may be facts.
 * @returns the text with `[secret]` instead of each
 */
export function redactSecrets(text: string): string {
  return redactUrlPasswords(redactCredentialText(text, REDACTED));
}

/**
 * A text that somebody else wrote, for a log: without secrets and card numbers. Shorten it
 * afterwards, never before, because a part of a secret is not recognised.
 * @returns the text with `[secret]` instead of each secret, and `...` instead of each card number
 */
export function loggableText(text: string): string {
  return redactCardNumbers(redactSecrets(text));
}

/**
 * Replaces the passwords of connection strings, `scheme://user:password@host`. A password may
 * contain characters that should have been encoded, so it ends at the last `@` before a space. Each
 * search continues where the last one of its kind ended, so that the work is linear in the length.
 */
function redactUrlPasswords(text: string): string {
  const signs = new Search(text, /@/g);
  const spaces = new Search(text, /\s/g);
  let shown = '';
  let kept = 0;
  for (let at = text.indexOf('://'); at !== -1; ) {
    const colon = endOfUser(text, at + 3);
    let next = colon;
    if (/[a-z0-9+.-]/i.test(text.charAt(at - 1)) && text.charAt(colon) === ':') {
      const start = colon + 1;
      const end = Math.min(spaces.from(start), start + MAX_PASSWORD + 1);
      if (signs.from(start + 1) < end) {
        next = text.lastIndexOf('@', end - 1);
        shown += text.slice(kept, start) + REDACTED;
        kept = next;
      }
    }
    at = text.indexOf('://', next);
  }
  return shown + text.slice(kept);
}

/** The first character that no user has; it contains no `:`, so that no other URL begins in it. */
function endOfUser(text: string, from: number): number {
  const last = Math.min(from + MAX_USER, text.length);
  let end = from;
  while (end < last && !/[\s:@/]/.test(text.charAt(end))) end += 1;
  return end;
}

/** Where a character is next, for questions that only go forward. */
class Search {
  readonly #text: string;
  readonly #expression: RegExp;
  #found = -1;

  constructor(text: string, expression: RegExp) {
    this.#text = text;
    this.#expression = expression;
  }

  /** @returns Infinity if there is none */
  from(start: number): number {
    if (this.#found < start) {
      this.#expression.lastIndex = start;
      this.#found = this.#expression.exec(this.#text)?.index ?? Number.POSITIVE_INFINITY;
    }
    return this.#found;
  }
}
