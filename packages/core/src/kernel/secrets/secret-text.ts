import { redactCardNumbers } from './card-number-text.ts';
import { redactCredentialText } from './credential-text.ts';

/** The replacement for a secret in a log. */
export const REDACTED = '[secret]';

/** The password of a connection string; it may contain characters that should have been encoded. */
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]{0,19}:\/\/[^\s:@/]{0,128}:)\S{1,512}@/gi;

/**
 * A field for a log: without credentials, signing secrets and passwords in URLs. Card numbers stay,
 * because long numbers may be facts.
 * @returns the text with `[secret]` instead of each
 */
export function redactSecrets(text: string): string {
  return redactCredentialText(text, REDACTED).replace(URL_PASSWORD, `$1${REDACTED}@`);
}

/**
 * A text that somebody else wrote, for a log: without secrets and card numbers. Shorten it
 * afterwards, never before, because a part of a secret is not recognised.
 * @returns the text with `[secret]` instead of each secret, and `...` instead of each card number
 */
export function loggableText(text: string): string {
  return redactCardNumbers(redactSecrets(text));
}
