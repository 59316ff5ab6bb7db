import { randomFillSync } from 'node:crypto';

/** Crockford's base32 in lower case, as TypeID uses it. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** Two zero bits, then the 48 bits of the time. */
const TIME_LENGTH = 10;
const RANDOM_BYTES = 4_096;
/** Each value of ten bits, as two characters. */
const PAIRS = Array.from({ length: 1_024 }, (_, value) => at(value >> 5) + at(value & 31));

/** Each call for random bytes costs microseconds, so many bytes are fetched at once. */
const random = Buffer.alloc(RANDOM_BYTES);
let nextRandom = RANDOM_BYTES;
let lastMs = -1;
let lastTime = '';
/** 26 bits after the time, restarted each millisecond, that keep ids in order within it. */
let counter = 0;

/**
 * Makes the suffix of an id: a UUIDv7 in base32 (RFC 9562, section 5.7; TypeID 0.3), 26 characters.
 * The suffixes of one process ascend, even if its clock is set back.
 */
export function newSuffix(): string {
  const ms = Date.now();
  if (ms > lastMs) {
    lastMs = ms;
    lastTime = encodeTime(ms);
    // Its first bit is 0, so that no millisecond is long enough for it to overflow.
    counter = randomBits(25);
  } else counter += 1;
  // Version 7 and 12 bits of the counter; then the variant, the other 14 bits, and 48 random ones.
  const high = 0x7000 | (counter >>> 14);
  const middle = 0x8000 | (counter & 0x3fff);
  const low = randomBits(24);
  return (
    lastTime +
    pair(high >>> 6) +
    pair(((high & 0x3f) << 4) | (middle >>> 12)) +
    pair((middle >>> 2) & 0x3ff) +
    pair(((middle & 3) << 8) | (low >>> 16)) +
    pair((low >>> 6) & 0x3ff) +
    tail((low & 0x3f) * 2 ** 24 + randomBits(24))
  );
}

/** Whether a text has the form of an id's suffix. */
export function isSuffix(text: string): boolean {
  return SUFFIX.test(text);
}

/** The smallest suffix of a millisecond, 0 or later. */
export function firstSuffixAt(ms: number): string {
  return encodeTime(ms).padEnd(26, '0');
}

/** The creation time of a suffix: milliseconds since 1970. */
export function suffixMadeAtMs(suffix: string): number {
  let ms = 0;
  for (const character of suffix.slice(0, TIME_LENGTH)) {
    ms = ms * 32 + ALPHABET.indexOf(character);
  }
  return ms;
}

function encodeTime(ms: number): string {
  let text = '';
  for (let left = ms; text.length < TIME_LENGTH; left = Math.floor(left / 32)) {
    text = at(left % 32) + text;
  }
  return text;
}

/** 30 bits. */
function tail(bits: number): string {
  return pair(bits >>> 20) + pair((bits >>> 10) & 0x3ff) + pair(bits & 0x3ff);
}

function pair(value: number): string {
  return PAIRS[value] ?? '';
}

function at(value: number): string {
  return ALPHABET.charAt(value);
}

/** @param bits at most 32 */
function randomBits(bits: number): number {
  if (nextRandom === RANDOM_BYTES) {
    randomFillSync(random);
    nextRandom = 0;
  }
  const value = random.readUInt32LE(nextRandom);
  nextRandom += 4;
  return value >>> (32 - bits);
}
