import { crc32 } from 'node:zlib';

const PREFIX = /^(?:sk|rk|pk)_(live|test)_/;
/** 2 to 8 letters and digits of the issuer, 32 random ones, and the check characters. */
const KEY = /^(?:sk|rk|pk)_(?:live|test)_[0-9A-Za-z]{40,46}$/;
const CHECK_LENGTH = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A key, a token or a signing secret, or a dangerous part of one; ids never match. */
const SECRET =
  /(?:sk|rk|pk)_(?:live|test)_[0-9A-Za-z]{16}|(?:oat|ort|oac|ocs)_[0-9A-Za-z]{20}|whsec_[0-9A-Za-z+/]{16}/;

/** The environment of a key, from its prefix alone; undefined if the text has no such prefix. */
export function keyEnvironment(text: string): 'live' | 'test' | undefined {
  const name = PREFIX.exec(text)?.[1];
  return name === 'live' || name === 'test' ? name : undefined;
}

/**
 * Whether a key is complete and unchanged: the last six characters are a checksum of the others.
 */
export function isWholeKey(text: string): boolean {
  if (!KEY.test(text)) return false;
  let rest = crc32(text.slice(0, -CHECK_LENGTH));
  let check = '';
  for (let place = 0; place < CHECK_LENGTH; place += 1) {
    check = ALPHABET.charAt(rest % ALPHABET.length) + check;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text.endsWith(check);
}

/** Whether a text contains a secret anywhere. */
export function containsSecret(text: string): boolean {
  return SECRET.test(text);
}
