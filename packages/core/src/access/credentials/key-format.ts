import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Environment } from '../../kernel/basics/environment.ts';
import { hasCredentialShape } from '../../kernel/secrets/credential-text.ts';

export const KEY_TYPES = ['secret', 'publishable', 'restricted'] as const;
export type KeyType = (typeof KEY_TYPES)[number];

/**
 * The format of every credential: prefix, issuer tag (2-8 characters), 32 random characters (190
 * bits), 6 check characters. All are letters and digits, so that a double click selects the whole
 * credential and secret scanners match it.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECK_LENGTH = 6;
const MIN_BODY_LENGTH = 2 + RANDOM_LENGTH + CHECK_LENGTH;
const MAX_BODY_LENGTH = 8 + RANDOM_LENGTH + CHECK_LENGTH;

/** The largest multiple of 62 in a byte: bytes from here on would favour the first 8 characters. */
const UNBIASED_BELOW = 248;

/** Longer credentials are refused before anything is computed. */
export const MAX_CREDENTIAL_LENGTH = 128;

const ISSUER_TAG = /^[0-9A-Za-z]{2,8}$/;
const PREFIX = /^(?:(sk|rk|pk)_(live|test)|oat|ort|oac|ocs)_/;
const BODY = /^[0-9A-Za-z]*$/;

const TYPE_LETTER = { secret: 'sk', restricted: 'rk', publishable: 'pk' } as const;
const TYPE_OF: Readonly<Record<string, KeyType>> = {
  sk: 'secret',
  rk: 'restricted',
  pk: 'publishable',
};

const OAUTH_TYPES = ['access_token', 'refresh_token', 'code', 'client_secret'] as const;
/** The credentials of OAuth. */
export type OAuthCredential = (typeof OAUTH_TYPES)[number];
const OAUTH_PREFIX: Readonly<Record<OAuthCredential, string>> = {
  access_token: 'oat_',
  refresh_token: 'ort_',
  code: 'oac_',
  client_secret: 'ocs_',
};

/** The result of parsing a credential. */
export type ParsedCredential =
  | {
      readonly kind: 'key';
      readonly type: KeyType;
      readonly environment: Environment;
      /** Prefix, tag and last four: the only part that messages may contain. */
      readonly redacted: string;
    }
  | { readonly kind: 'oauth'; readonly type: OAuthCredential; readonly redacted: string }
  /**
   * `reason` is the second half of a sentence that begins "The key"; it contains no part of the
   * credential.
   */
  | { readonly kind: 'malformed'; readonly reason: string };

/**
 * Makes a new key from the system's randomness.
 * @param issuerTag 2-8 letters or digits, the first of the body; verification accepts any
 *   @defaultValue `pm`
 * @returns the key itself, to be shown once
 */
export function mintKey(type: KeyType, environment: Environment, issuerTag = 'pm'): string {
  assertIssuerTag(issuerTag);
  return mint(`${TYPE_LETTER[type]}_${environment}_`, issuerTag);
}

/**
 * Makes a new credential of OAuth, as `mintKey` makes a key.
 * @returns the credential itself
 */
export function mintOAuth(kind: OAuthCredential, issuerTag = 'pm'): string {
  assertIssuerTag(issuerTag);
  return mint(OAUTH_PREFIX[kind], issuerTag);
}

function mint(prefix: string, issuerTag: string): string {
  const text = prefix + issuerTag + randomText(RANDOM_LENGTH);
  return text + computeChecksum(text);
}

/** @throws RangeError unless it is 2 to 8 letters or digits */
export function assertIssuerTag(issuerTag: string): void {
  if (!ISSUER_TAG.test(issuerTag)) {
    throw new RangeError('An issuer tag is 2 to 8 letters or digits.');
  }
}

/**
 * Parses a credential without I/O. The check characters detect typos; they do not add security.
 * @param text the key that the client sent
 * @returns the parts of a well-formed credential, or what is wrong with it; never throws
 */
export function parseCredential(text: string): ParsedCredential {
  if (text.length > MAX_CREDENTIAL_LENGTH) {
    return malformed(`is longer than ${MAX_CREDENTIAL_LENGTH} characters.`);
  }
  const prefix = PREFIX.exec(text);
  if (prefix === null) return malformed(describePrefixFault(text));
  const start = prefix[0].length;
  const body = text.slice(start);
  const fault = describeBodyFault(text, body);
  if (fault !== undefined) return malformed(fault);

  const type = TYPE_OF[prefix[1] ?? ''];
  if (type === undefined) {
    const oauth = oauthTypeOf(text);
    if (oauth === undefined) return malformed(describePrefixFault(text));
    return { kind: 'oauth', type: oauth, redacted: redact(text) };
  }
  const environment = prefix[2] === 'live' ? 'live' : 'test';
  return { kind: 'key', type, environment, redacted: redact(text) };
}

/** What a credential of OAuth is, by its prefix; undefined for any other text. */
export function oauthTypeOf(text: string): OAuthCredential | undefined {
  return OAUTH_TYPES.find((type) => text.startsWith(OAUTH_PREFIX[type]));
}

/**
 * SHA-256 of a credential, for storage and look-up. No slow hash, because the input is random.
 * @param encoding `binary`: a string of 32 characters, which costs each request half as much as a
 *   buffer
 */
export function hashCredential(text: string): Buffer;
export function hashCredential(text: string, encoding: 'binary'): string;
export function hashCredential(
  text: string,
  encoding: 'binary' | 'buffer' = 'buffer',
): Buffer | string {
  return hash('sha256', text, encoding);
}

/**
 * The only form of a credential that may be shown: `sk_live_pm...a1B2`.
 * @param text a well-formed credential
 */
export function redact(text: string): string {
  return `${text.slice(0, -(RANDOM_LENGTH + CHECK_LENGTH))}...${text.slice(-4)}`;
}

/**
 * Whether a text contains something with the form of a credential, percent-encoded or not, inside
 * any other text.
 */
export function containsCredential(text: string): boolean {
  if (hasCredentialShape(text)) return true;
  return text.includes('%') && hasCredentialShape(decodeLeniently(text));
}

function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < UNBIASED_BELOW) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}

/** CRC-32 of all characters before it, including the prefix, in base 62. */
function computeChecksum(text: string): string {
  let rest = crc32(text);
  let check = '';
  for (let place = 0; place < CHECK_LENGTH; place += 1) {
    check = ALPHABET.charAt(rest % ALPHABET.length) + check;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return check;
}

/** Compares with the result of `computeChecksum`, from the last character on. */
function hasValidChecksum(text: string): boolean {
  let rest = crc32(text.slice(0, -CHECK_LENGTH));
  for (let index = text.length - 1; index >= text.length - CHECK_LENGTH; index -= 1) {
    if (text.charCodeAt(index) !== ALPHABET.charCodeAt(rest % ALPHABET.length)) return false;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return true;
}

function describeBodyFault(text: string, body: string): string | undefined {
  if (!BODY.test(body)) {
    return body.includes('...') || body.includes('*')
      ? 'is the shortened form of a key; the whole key was shown once, when it was made.'
      : 'holds a character that no key holds.';
  }
  if (body.length < MIN_BODY_LENGTH) {
    return `looks truncated: ${body.length} characters follow its prefix, and a whole key has at least ${MIN_BODY_LENGTH}.`;
  }
  if (body.length > MAX_BODY_LENGTH) {
    return `is too long: ${body.length} characters follow its prefix, and a key has at most ${MAX_BODY_LENGTH}.`;
  }
  if (!hasValidChecksum(text)) {
    return 'does not match its check characters: a character was changed or lost.';
  }
  return undefined;
}

function describePrefixFault(text: string): string {
  if (text === '') return 'is empty; is the variable that holds it set?';
  if (text.startsWith('whsec_')) return 'is the signing secret of an endpoint, not a key.';
  if (text.startsWith('key_')) return 'is the id of a key, not the key itself.';
  return 'begins with no known prefix, such as sk_live_ or sk_test_.';
}

function malformed(reason: string): ParsedCredential {
  return { kind: 'malformed', reason };
}

/** Decodes percent-encoding: an invalid escape elsewhere in a URL must not hide a credential. */
export function decodeLeniently(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
  );
}
