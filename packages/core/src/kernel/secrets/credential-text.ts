// Credentials and signing secrets in texts that others wrote. Nothing here asks for a word boundary:
// `my_sk_live_...` and `ask_live_...` hold a whole key, for whoever cuts it out. The rules for other
// scanners have them (decision 28), as a pattern alone would report too much.

/** As long as a whole key, token or code is at least; ids have 26 characters. */
const WHOLE = /(?:(?:sk|rk|pk)_(?:live|test)|oat|ort|oac|ocs)_[0-9A-Za-z]{40}/;

/**
 * A part of one, percent-encoded or not, as far as encoders touch it. Words end as the prefixes of
 * OAuth do, such as `import_` and `report_`: more must follow those.
 */
const PART =
  /(?:sk|rk|pk)(?:_|%5[Ff])(?:live|test)(?:_|%5[Ff])\w{10,}|whsec(?:_|%5[Ff])[\w+/=%-]{10,}|(?:oat|ort|oac|ocs)(?:_|%5[Ff])[0-9A-Za-z]{20,}/g;

const PREFIX = /(?:sk|rk|pk|oat|ort|oac|ocs|whsec)_/;

/** Whether a text holds what has the shape of a whole credential; signing secrets are not looked for. */
export function hasCredentialShape(text: string): boolean {
  return WHOLE.test(text);
}

/** Whether a text holds what any credential or signing secret begins with, which no id does. */
export function hasCredentialPrefix(text: string): boolean {
  return PREFIX.test(text);
}

/**
 * A text without the credentials and signing secrets in it, whole or cut off. It never grows.
 * @param instead of each, at most 15 characters
 * @defaultValue `...`
 */
export function withoutCredentials(text: string, instead = '...'): string {
  return text.replace(PART, instead);
}
