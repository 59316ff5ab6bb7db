/**
 * All digits of Unicode are below. What is known of these characters is kept, because expressions
 * for each character of a long text take long.
 */
export const KNOWN_CODES = 0x20000;
const [UNKNOWN, NO_DIGIT] = [-2, -1];
const DIGITS = new Int8Array(KNOWN_CODES).fill(UNKNOWN);

const NATIONAL_DIGIT = /\p{Nd}/u;
/**
 * Superscript, subscript and circled digits, which Unicode's compatibility form writes as digits.
 */
const COMPATIBILITY_DIGIT = /\p{No}/u;

/** The value of a character that is a decimal digit of any script, or one in a circle or raised. */
export function toDigit(code: number): number | undefined {
  if (code < 0x80) return code >= 0x30 && code <= 0x39 ? code - 0x30 : undefined;
  if (code >= KNOWN_CODES) return computeDigit(code);
  let known = DIGITS[code] ?? UNKNOWN;
  if (known === UNKNOWN) {
    known = computeDigit(code) ?? NO_DIGIT;
    DIGITS[code] = known;
  }
  return known === NO_DIGIT ? undefined : known;
}

/**
 * Unicode keeps the ten digits of a script together, and places only complete groups of ten next to
 * each other.
 */
function computeDigit(code: number): number | undefined {
  if (!isNationalDigit(code)) return toCompatibilityDigit(code);
  let zero = code;
  while (isNationalDigit(zero - 1)) zero -= 1;
  return (code - zero) % 10;
}

function toCompatibilityDigit(code: number): number | undefined {
  const character = String.fromCodePoint(code);
  if (!COMPATIBILITY_DIGIT.test(character)) return undefined;
  const plain = character.normalize('NFKC');
  return /^[0-9]$/.test(plain) ? Number(plain) : undefined;
}

function isNationalDigit(code: number): boolean {
  return NATIONAL_DIGIT.test(String.fromCodePoint(code));
}
