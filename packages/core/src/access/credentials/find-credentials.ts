import { Secret } from '../../kernel/secrets/secret.ts';
import {
  decodeLeniently,
  hashCredential,
  type KeyType,
  type OAuthCredential,
  parseCredential,
} from './key-format.ts';

/** The result of parsing a possible credential that somebody saw. */
export type RecognizedCredential =
  | { readonly kind: 'key'; readonly type: KeyType; readonly redacted: string; hash(): Buffer }
  /** A token, code or client secret of OAuth. */
  | {
      readonly kind: 'oauth';
      readonly type: OAuthCredential;
      readonly redacted: string;
      hash(): Buffer;
    }
  | { readonly kind: 'signing_secret'; readonly redacted: string; hash(): Buffer };

/** A well-formed credential in a text. */
export interface FoundCredential {
  readonly what: RecognizedCredential;
  /** Its position in the text. */
  readonly index: number;
  readonly credential: Secret<string>;
}

/** The maximum length of a credential: prefix, 8 characters of tag, 32 random, 6 check. */
export const LONGEST_CREDENTIAL = 54;

/**
 * The scanners' rule (docs/how-to/find-leaked-keys.md) without its word boundaries, because the
 * check characters show better where a key ends: `key_sk_live_...` and `...\nNEXT=` in JSON contain
 * one too.
 */
const CANDIDATE =
  /((?:(?:sk|rk|pk)_(?:live|test)|oat|ort|oac|ocs)_)[0-9A-Za-z]{40,46}|whsec_[0-9A-Za-z+/]{43}=/g;
const SHORTEST_BODY = 40;
/** The depth of percent-encoding: a URL in a URL in a URL. */
const MAX_DECODINGS = 3;
const SIGNING_SECRET = /^whsec_[0-9A-Za-z+/]{43}=$/;

/**
 * Finds credentials in a text: the right form, and right check characters where it has any.
 * @returns them in order, including publishable keys; only the database knows whether they are ours
 */
export function* findCredentials(text: string): Generator<FoundCredential> {
  const candidates = new RegExp(CANDIDATE);
  for (;;) {
    const match = candidates.exec(text);
    if (match === null) return;
    const [candidate, prefix] = match;
    const found = wholeIn(candidate, prefix ?? candidate);
    if (found !== undefined) yield { ...found, index: match.index };
    const past = found === undefined ? 1 : found.credential.reveal().length;
    candidates.lastIndex = match.index + past;
  }
}

/**
 * The credentials in a text that somebody pasted or sent, percent-encoded up to three times or not;
 * one may occur several times.
 */
export function* recognizeCredentials(text: string): Generator<RecognizedCredential> {
  for (const plain of decodings(text)) {
    for (const { what } of findCredentials(plain)) yield what;
  }
}

/**
 * Whether a text contains one of our secrets, as `recognizeCredentials` finds it; a publishable key is not a
 * secret.
 */
export function containsSecret(text: string): boolean {
  for (const what of recognizeCredentials(text)) {
    if (what.kind !== 'key' || what.type !== 'publishable') return true;
  }
  return false;
}

/** The text itself, and its decoded forms, up to three times. */
function* decodings(text: string): Generator<string> {
  let plain = text;
  yield plain;
  for (let times = 0; times < MAX_DECODINGS; times += 1) {
    const decoded = decodeLeniently(plain);
    if (decoded === plain) return;
    yield decoded;
    plain = decoded;
  }
}

/**
 * A text that may be stored and shown, such as the location of a leaked credential: its credentials
 * are masked. If one is percent-encoded, up to three times, the whole text is decoded to that
 * level.
 */
export function redactCredentials(text: string): string {
  return redactEncoded(text, shortened);
}

/** The same for other replacements: `shorten` gets the text as it is, and decoded. */
export function redactEncoded(text: string, shorten: (plain: string) => string): string {
  let shown = shorten(text);
  let plain = shown;
  for (let times = 0; times < MAX_DECODINGS; times += 1) {
    const decoded = decodeLeniently(plain);
    if (decoded === plain) break;
    plain = shorten(decoded);
    if (plain !== decoded) shown = plain;
  }
  return shown;
}

/** The text without percent-encoding. */
export function shortened(text: string): string {
  let shown = '';
  let end = 0;
  for (const { what, index, credential } of findCredentials(text)) {
    shown += text.slice(end, index) + what.redacted;
    end = index + credential.reveal().length;
  }
  return shown + text.slice(end);
}

/** Parses a whole text; undefined if it is not a well-formed credential. */
function recognize(text: string): RecognizedCredential | undefined {
  const digest = (): Buffer => hashCredential(text);
  if (SIGNING_SECRET.test(text)) {
    return { kind: 'signing_secret', redacted: `whsec_...${text.slice(-4)}`, hash: digest };
  }
  const parsed = parseCredential(text);
  if (parsed.kind === 'malformed') return undefined;
  const { redacted } = parsed;
  if (parsed.kind === 'oauth') return { kind: 'oauth', type: parsed.type, redacted, hash: digest };
  return { kind: 'key', type: parsed.type, redacted, hash: digest };
}

/** Finds where a key ends that is followed by letters: the check characters fit only one length. */
function wholeIn(candidate: string, prefix: string): Omit<FoundCredential, 'index'> | undefined {
  const shortest = Math.min(prefix.length + SHORTEST_BODY, candidate.length);
  for (let length = candidate.length; length >= shortest; length -= 1) {
    const text = candidate.slice(0, length);
    const what = recognize(text);
    if (what !== undefined) return { what, credential: new Secret(text) };
  }
  return undefined;
}
