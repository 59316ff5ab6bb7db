// Credentials and signing secrets in texts that others wrote. The patterns do not need a word
// boundary: `my_sk_live_...` and `ask_live_...` contain a whole key that somebody could cut out.
// The rules for other scanners need one, because a pattern alone would report too much.

/** The minimum length of a whole key, token or code; ids have 26 characters. */
const WHOLE = /(?:(?:sk|rk|pk)_(?:live|test)|oat|ort|oac|ocs)_[0-9A-Za-z]{40}/;

/**
 * A part of a credential, percent-encoded or not, as far as encoders change it. Words can end with
 * the prefixes of OAuth, such as `import_` and `report_`, so more characters must follow those.
 */
const PART =
  /(?:sk|rk|pk)(?:_|%5[Ff])(?:live|test)(?:_|%5[Ff])\w{10,}|whsec(?:_|%5[Ff])[\w+/=%-]{10,}|(?:oat|ort|oac|ocs)(?:_|%5[Ff])[0-9A-Za-z]{20,}/g;

const PREFIX = /(?:sk|rk|pk|oat|ort|oac|ocs|whsec)_/;

/**
 * Whether a text contains something with the form of a whole credential; signing secrets are not
 * searched.
 */
export function hasCredentialShape(text: string): boolean {
  return WHOLE.test(text);
}

/** Whether a text contains the prefix of any credential or signing secret, which no id has. */
export function hasCredentialPrefix(text: string): boolean {
  return PREFIX.test(text);
}

/**
 * Replaces the credentials and signing secrets in a text, whole or truncated. The result is never
 * longer.
 * @param instead the replacement for each, at most 15 characters
 * @defaultValue `...`
 */
export function redactCredentialText(text: string, instead = '...'): string {
  return text.replace(PART, instead);
}
