import { withoutCardNumbers } from './card-number-text.ts';
import { withoutCredentials } from './credential-text.ts';

/** What a log shows in place of a secret. */
export const CENSORED = '[secret]';

/** The password of a connection string; it may hold what its author forgot to encode. */
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]{0,19}:\/\/[^\s:@/]{0,128}:)\S{1,512}@/gi;

/**
 * A fact for a log: without credentials, signing secrets and passwords in URLs. Card numbers stay,
 * as long numbers may be facts.
 * @returns with `[secret]` instead of each
 */
export function withoutSecrets(text: string): string {
  return withoutCredentials(text, CENSORED).replace(URL_PASSWORD, `$1${CENSORED}@`);
}

/**
 * What somebody else wrote, for a log: without secrets and card numbers. To be cut afterwards, never
 * before: a part of a secret is not recognised.
 * @returns with `[secret]` instead of each secret, and `...` instead of each card number
 */
export function loggableText(text: string): string {
  return withoutCardNumbers(withoutSecrets(text));
}
