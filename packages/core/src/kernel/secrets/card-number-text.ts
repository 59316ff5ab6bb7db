// Card numbers in texts that others wrote. A number is found even next to other digits, separators
// or an expiry. So every window of 13 to 19 digits is checked for the card schemes' prefixes,
// lengths and the check digit, in the text and in what it is after percent-decoding.
// docs/how-to/texts-that-are-refused.md says which texts this refuses wrongly, and how often.
import { KNOWN_CODES, toDigit } from './decimal-digit.ts';
import { percentDecodings } from './percent-text.ts';

const SHORTEST = 13;
/** So many digits at the end of a text that was cut may be the beginning of a card number. */
const MIN_CUT = 7;
const CUT_ESCAPE = /%[0-9A-Fa-f]?$/;

type Lengths = readonly number[];
const ANY_FROM_13: Lengths = [13, 14, 15, 16, 17, 18, 19];
const ANY_FROM_14: Lengths = [14, 15, 16, 17, 18, 19];
const ANY_FROM_16: Lengths = [16, 17, 18, 19];

/**
 * The first six digits of a number, from and to, and its length (ISO/IEC 7812; Wikipedia, "Payment
 * card number"). UATP is left out: it begins with 1, as times in microseconds do.
 */
const SCHEMES: readonly (readonly [from: number, to: number, lengths: Lengths])[] = [
  [220_000, 220_499, ANY_FROM_16], // Mir
  [220_500, 220_599, [16]], // BORICA
  [222_100, 272_099, [16]], // Mastercard
  [300_000, 305_999, ANY_FROM_14], // Diners Club
  [309_500, 309_599, ANY_FROM_14], // Diners Club
  [340_000, 349_999, [15]], // American Express
  [352_800, 358_999, ANY_FROM_16], // JCB, LankaPay
  [360_000, 369_999, ANY_FROM_14], // Diners Club
  [370_000, 379_999, [15]], // American Express
  [380_000, 399_999, ANY_FROM_14], // Diners Club
  [400_000, 499_999, [13, 16, 19]], // Visa
  [501_800, 502_099, ANY_FROM_13], // Maestro, Dankort
  [503_800, 503_899, ANY_FROM_13], // Maestro
  [504_175, 504_175, [16]], // Elo
  [506_099, 509_999, [16, 18, 19]], // Verve, Elo, RuPay
  [510_000, 559_999, [16]], // Mastercard
  [561_400, 561_499, [16]], // UzCard
  [589_300, 589_399, ANY_FROM_13], // Maestro
  [601_100, 601_199, ANY_FROM_16], // Discover
  [600_000, 609_999, [16]], // RuPay, Hipercard, NPS
  [622_126, 622_925, ANY_FROM_16], // Discover and UnionPay
  [620_000, 629_999, ANY_FROM_16], // UnionPay, Elo
  [630_400, 630_499, ANY_FROM_13], // Maestro
  [636_000, 639_999, ANY_FROM_16], // InterPayment, InstaPayment, Elo
  [644_000, 659_999, ANY_FROM_16], // Discover, RuPay, Troy, Verve
  [675_900, 675_999, ANY_FROM_13], // Maestro
  [676_100, 676_399, ANY_FROM_13], // Maestro
  [676_770, 676_774, ANY_FROM_13], // Maestro
  [810_000, 829_999, ANY_FROM_16], // UnionPay, RuPay
  [860_000, 860_099, [16]], // UzCard
  [979_200, 979_299, [16]], // Troy
  [986_000, 986_099, [16]], // Humo
];
const PREFIX = 6;
const BY_FIRST_TWO = Array.from({ length: 100 }, (_, two) =>
  SCHEMES.filter(
    ([from, to]) => two >= Math.floor(from / 10_000) && two <= Math.floor(to / 10_000),
  ),
);

/**
 * UUIDs, hexadecimal digests and our own ids: their digits are random, and would sometimes look
 * like a card number. A UUID needs only one letter, because nothing else has its form. In the
 * others fewer than four letters could come from a magnetic stripe (ISO/IEC 7813: number, D,
 * expiry, F).
 */
const UUID =
  /(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?![0-9a-f])/gi;
const DIGEST =
  /(?<![0-9a-f])(?:[0-9a-f]{128}|[0-9a-f]{96}|[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})(?![0-9a-f])/gi;
const ID = /\b[a-z]{2,5}_0[0-9a-z]{25}\b/gi;
const LETTERS_OF_RANDOM = 4;
/**
 * An account number (ISO 13616), with or without groups of four; recognized by its check digits
 * (ISO 7064).
 */
const IBAN = /\b[A-Z]{2}[0-9]{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,3})?\b/g;
/** A telephone number of 13 digits (ITU E.164): Visa used to issue card numbers of 13 digits. */
const TELEPHONE = /\+[1-9](?:[ /.()-]{0,2}[0-9]){12}(?![ /.()-]{0,2}[0-9])/g;
/** An article number (GS1 EAN-13), for the same reason; recognized by its check digit. */
const ARTICLE = /(?<![0-9])[0-9]{13}(?![0-9])/g;
/**
 * Digits in groups that no card has, and that are often next to other numbers: days, Unix times in
 * milliseconds, Unix times in seconds after a longer group, Amazon order numbers.
 */
const GROUPS = [
  /(?<![0-9])(?:19|20)[0-9]{2}([./-])(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12][0-9]|3[01])(?![0-9])/g,
  /(?<![0-9])(?:0[1-9]|[12][0-9]|3[01])([./-])(?:0[1-9]|[12][0-9]|3[01])\1(?:19|20)[0-9]{2}(?![0-9])/g,
  /(?<![0-9])1[5-9][0-9]{11}(?![0-9])/g,
  /(?<![0-9])[0-9]{7,10}[.-]1[5-9][0-9]{8}(?![0-9])/g,
  /(?<![0-9])[0-9]{3}-[0-9]{7}-[0-9]{7}(?![0-9])/g,
] as const;

/** Spaces, dashes, marks, and invisible characters. */
const SEPARATOR = /[\s\p{Pd}\p{Cf}\p{M}./_*·•−]/u;
/**
 * Characters that also separate lists and times: they separate digits of a number only in groups of
 * four.
 */
const SEPARATOR_OF_FOURS = /[,:;|+'"~=#×()[\]\\]/;

type Kind = 'separator' | 'separator of fours' | 'other';
const KINDS: Kind[] = [];

/** Digits of a text with only separators between them. */
interface Run {
  readonly values: number[];
  /** The position of each digit in the text. */
  readonly places: number[];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Whether a text contains a number that has the form of a card number of any scheme: prefix, length
 * and check digit, in any decimal digits, with or without separators, percent-encoded up to three
 * times or not. Linear in the length of the text.
 */
export function containsCardNumber(text: string): boolean {
  return !cardSpans(text).next().done;
}

/** The places of card numbers in a text, as it is and then decoded. */
function* cardSpans(text: string): Generator<Span> {
  for (const { text: plain, placeOf } of percentDecodings(text)) {
    // Most texts have none at all, which is known sooner.
    if (spansIn(plain).next().done) continue;
    for (const { start, end } of spansIn(withoutLookAlikes(plain))) {
      yield { start: placeOf(start), end: placeOf(end) };
    }
  }
}

/**
 * Replaces the card numbers in a text. The result is never longer.
 * @returns the text with `...` instead of each
 */
export function redactCardNumbers(text: string): string {
  const spans = [...cardSpans(text)].sort((one, other) => one.start - other.start);
  let shown = '';
  let kept = 0;
  for (const { start, end } of spans) {
    // Of overlapping windows, the first marks the beginning and the last marks the end.
    if (start >= kept) shown += `${text.slice(kept, start)}...`;
    kept = Math.max(kept, end);
  }
  return shown + text.slice(kept);
}

/**
 * Where the digits begin that may be the beginning of a card number, in a text that was cut: written
 * in any way in which `containsCardNumber` finds it.
 */
export function cutNumberStart(text: string): number | undefined {
  let first: number | undefined;
  for (const { text: plain, placeOf } of percentDecodings(text)) {
    const start = lastDigitsStart(plain.replace(CUT_ESCAPE, ''));
    if (start !== undefined) first = Math.min(first ?? text.length, placeOf(start));
  }
  return first;
}

/** Where the digits at the end of a text begin, if they are many. */
function lastDigitsStart(text: string): number | undefined {
  let [digits, together, start] = [0, 0, text.length];
  let [isWhole, isSeparated] = [false, false];
  for (let at = text.length; at > 0; ) {
    const low = text.charCodeAt(at - 1);
    at -= low >= 0xdc00 && low < 0xe000 && at > 1 ? 2 : 1;
    const code = text.codePointAt(at) ?? 0;
    if (toDigit(code) !== undefined) {
      digits += 1;
      together = isSeparated ? 1 : together + 1;
      isSeparated = false;
      start = at;
      continue;
    }
    const kind = kindOf(code);
    // The last group may be a part of four digits.
    const isOfFours = together === 4 || (!isWhole && together < 4);
    if (kind === 'other' || (kind === 'separator of fours' && !isOfFours)) break;
    [isWhole, isSeparated] = [true, true];
  }
  return digits < MIN_CUT ? undefined : start;
}

/** The text with letters in place of numbers that are known not to be card numbers; same length. */
function withoutLookAlikes(text: string): string {
  const blank = (found: string): string => 'x'.repeat(found.length);
  const blankRandom = (found: string): string =>
    lettersIn(found) < LETTERS_OF_RANDOM ? found : blank(found);
  const known = text
    .replace(UUID, (found) => (lettersIn(found) < 1 ? found : blank(found)))
    .replace(DIGEST, blankRandom)
    .replace(ID, blankRandom)
    .replace(IBAN, (found) => (isIban(found) ? blank(found) : found))
    .replace(TELEPHONE, blank)
    .replace(ARTICLE, (found) => (isArticle(found) ? blank(found) : found));
  return GROUPS.reduce((left, group) => left.replace(group, blank), known);
}

function lettersIn(random: string): number {
  return random.slice(random.indexOf('_') + 1).replace(/[0-9-]/g, '').length;
}

function isIban(text: string): boolean {
  const compact = text.replaceAll(' ', '');
  let rest = 0;
  for (const character of compact.slice(4) + compact.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** GS1 General Specifications, 7.9: every second digit counts three times. */
function isArticle(digits: string): boolean {
  let sum = 0;
  for (const [place, digit] of [...digits].entries()) sum += Number(digit) * (place % 2 ? 3 : 1);
  return sum % 10 === 0;
}

/** Every window of the text that is a card number, by its position. */
function* spansIn(text: string): Generator<Span> {
  if (text.length < SHORTEST) return;
  let run: Run = { values: [], places: [] };
  /** Digits since the last separator. */
  let together = 0;
  let isSeparated = false;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    const value = toDigit(code);
    if (value !== undefined) {
      run.values.push(value);
      run.places.push(at);
      together = isSeparated ? 1 : together + 1;
      isSeparated = false;
    } else {
      const kind = kindOf(code);
      const ends = kind === 'other' || (kind === 'separator of fours' && together !== 4);
      if (ends && run.values.length > 0) {
        yield* windowsIn(run, text);
        run = { values: [], places: [] };
      }
      isSeparated = true;
    }
    at += utf16Width(code);
  }
  yield* windowsIn(run, text);
}

function kindOf(code: number): Kind {
  const known = KINDS[code];
  if (known !== undefined) return known;
  const kind = separatorKind(String.fromCodePoint(code));
  if (code < KNOWN_CODES) KINDS[code] = kind;
  return kind;
}

function separatorKind(character: string): Kind {
  if (SEPARATOR.test(character)) return 'separator';
  return SEPARATOR_OF_FOURS.test(character) ? 'separator of fours' : 'other';
}

/** In UTF-16 units. */
function utf16Width(code: number): number {
  return code > 0xffff ? 2 : 1;
}

function* windowsIn({ values, places }: Run, text: string): Generator<Span> {
  if (values.length < SHORTEST) return;
  const sums = luhnSums(values);
  for (let from = 0; from + SHORTEST <= values.length; from += 1) {
    for (const length of lengthsAt(values, from)) {
      const to = from + length;
      if (to > values.length) break;
      // Every second digit counts double, but not the last of the window.
      const ofEnd = sums[to % 2] ?? [];
      if (((ofEnd[to] ?? 0) - (ofEnd[from] ?? 0)) % 10 !== 0) continue;
      const last = places[to - 1] ?? 0;
      yield { start: places[from] ?? 0, end: last + utf16Width(text.codePointAt(last) ?? 0) };
    }
  }
}

/**
 * ISO/IEC 7812-1, annex B, so that each window costs one subtraction.
 * @returns sums of the digits before each place: with those at even places doubled, and at odd ones
 */
function luhnSums(values: readonly number[]): readonly (readonly number[])[] {
  return [0, 1].map((doubled) => {
    const sums = [0];
    let sum = 0;
    for (const [place, value] of values.entries()) {
      const weighted = place % 2 === doubled ? value * 2 : value;
      sum += weighted > 9 ? weighted - 9 : weighted;
      sums.push(sum);
    }
    return sums;
  });
}

function lengthsAt(values: readonly number[], at: number): Lengths {
  let prefix = 0;
  for (let place = at; place < at + PREFIX; place += 1) prefix = prefix * 10 + (values[place] ?? 0);
  const schemes = BY_FIRST_TWO[Math.floor(prefix / 10_000)] ?? [];
  return schemes.find(([from, to]) => prefix >= from && prefix <= to)?.[2] ?? [];
}
