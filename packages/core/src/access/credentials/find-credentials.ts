import { hash } from 'node:crypto';
import { Secret } from '../../kernel/secrets/secret.ts';
import type { KeyType } from '../keys/key.ts';
import { decodeLeniently, parseCredential } from './key-format.ts';

/** What a text is that claims to be a credential which somebody has seen. */
export type Sighted =
  | { readonly kind: 'key'; readonly type: KeyType; readonly redacted: string; hash(): Buffer }
  /** A token, code or client secret of OAuth. */
  | { readonly kind: 'oauth'; readonly redacted: string; hash(): Buffer }
  | { readonly kind: 'signing_secret'; readonly redacted: string; hash(): Buffer };

/** A well-formed credential in a text. */
export interface FoundCredential {
  readonly what: Sighted;
  /** Where it begins in the text. */
  readonly index: number;
  readonly credential: Secret<string>;
}

/** No credential is longer: of a key, the prefix, 8 characters of tag, 32 random, 6 check. */
export const LONGEST_CREDENTIAL = 54;

/**
 * The scanners' rule (docs/how-to/find-leaked-keys.md) without its word boundaries, as the check
 * characters tell better where a key ends: `key_sk_live_...` and `...\nNEXT=` in JSON hold one too.
 */
const CANDIDATE =
  /((?:(?:sk|rk|pk)_(?:live|test)|oat|ort|oac|ocs)_)[0-9A-Za-z]{40,46}|whsec_[0-9A-Za-z+/]{43}=/g;
const SHORTEST_BODY = 40;
/** An address inside an address inside an address. */
const MAX_DECODINGS = 3;
const SIGNING_SECRET = /^whsec_[0-9A-Za-z+/]{43}=$/;

/**
 * Finds credentials in a text: the right shape, and right check characters where it has any.
 * @returns them in order, those of publishable keys too; whether they are ours, only the database
 *   knows
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
 * What credentials a text holds that somebody pasted or sent, percent-encoded up to three times or
 * not; one may come several times.
 */
export function* sightAll(text: string): Generator<Sighted> {
  for (const plain of decodings(text)) {
    for (const { what } of findCredentials(plain)) yield what;
  }
}

/** Whether a text holds a secret of ours, as `sightAll` finds it; a publishable key is none. */
export function holdsSecret(text: string): boolean {
  for (const what of sightAll(text)) {
    if (what.kind !== 'key' || what.type !== 'publishable') return true;
  }
  return false;
}

/** The text itself, and what decoding makes of it, up to three times. */
export function* decodings(text: string): Generator<string> {
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
 * A text that may be kept and shown, such as the place where a credential was seen: whatever it
 * holds of credentials is in its shortened form. Where one is percent-encoded, up to three times,
 * the whole is decoded that far.
 */
export function redactCredentials(text: string): string {
  return redactEncoded(text, shortened);
}

/** The same of whatever else `shorten` leaves out, which gets the text as it is, and decoded. */
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

/** Without what is percent-encoded. */
export function shortened(text: string): string {
  let shown = '';
  let end = 0;
  for (const { what, index, credential } of findCredentials(text)) {
    shown += text.slice(end, index) + what.redacted;
    end = index + credential.reveal().length;
  }
  return shown + text.slice(end);
}

/** Says what a whole text is; undefined for what is no well-formed credential. */
function view(text: string): Sighted | undefined {
  const digest = (): Buffer => hash('sha256', text, 'buffer');
  if (SIGNING_SECRET.test(text)) {
    return { kind: 'signing_secret', redacted: `whsec_...${text.slice(-4)}`, hash: digest };
  }
  const parsed = parseCredential(text);
  if (parsed.kind === 'malformed') return undefined;
  const { redacted } = parsed;
  if (parsed.kind === 'oauth') return { kind: 'oauth', redacted, hash: digest };
  return { kind: 'key', type: parsed.type, redacted, hash: digest };
}

/** Letters that follow a key belong to it or not: the check characters fit one length alone. */
function wholeIn(candidate: string, prefix: string): Omit<FoundCredential, 'index'> | undefined {
  const shortest = Math.min(prefix.length + SHORTEST_BODY, candidate.length);
  for (let length = candidate.length; length >= shortest; length -= 1) {
    const text = candidate.slice(0, length);
    const what = view(text);
    if (what !== undefined) return { what, credential: new Secret(text) };
  }
  return undefined;
}
