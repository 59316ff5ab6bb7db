import { crc32 } from 'node:zlib';

const PREFIX = /^(?:sk|rk|pk)_(live|test)_/;
/** 2 to 8 letters and digits of the issuer, 32 of chance, and the check characters. */
const KEY = /^(?:sk|rk|pk)_(?:live|test)_[0-9A-Za-z]{40,46}$/;
const CHECK_LENGTH = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A key, a token or a signing secret, or enough of one to harm; ids hold none. */
const SECRET =
  /(?:sk|rk|pk)_(?:live|test)_[0-9A-Za-z]{16}|(?:oat|ort|oac|ocs)_[0-9A-Za-z]{20}|whsec_[0-9A-Za-z+/]{16}/;

/** Which environment a text is a key of, by its prefix alone; undefined when it has none. */
export function keyEnvironment(text: string): 'live' | 'test' | undefined {
  const name = PREFIX.exec(text)?.[1];
  return name === 'live' || name === 'test' ? name : undefined;
}

/** Whether no character of a key was changed or lost: the last six check all before them. */
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

/** Whether a text holds what nobody may see, whatever stands around it. */
export function containsSecret(text: string): boolean {
  return SECRET.test(text);
}
