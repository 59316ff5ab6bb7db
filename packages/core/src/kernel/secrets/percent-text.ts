/** The depth of percent-encoding: a URL in a URL in a URL. */
const MAX_DECODINGS = 3;
const ESCAPE = /%[0-9A-Fa-f]{2}/;
const ESCAPE_LENGTH = 3;
const UNKNOWN = '\ufffd';

/** A text, and where each of its UTF-16 units was written. */
export interface WrittenText {
  readonly text: string;
  /** The place of a unit in the text as it was written; that of the length is its end. */
  placeOf(unit: number): number;
}

/** A text itself, and what it is after each of up to three rounds of percent-decoding. */
export function* percentDecodings(text: string): Generator<WrittenText> {
  let written: WrittenText = { text, placeOf: (unit) => unit };
  yield written;
  for (let times = 0; times < MAX_DECODINGS && ESCAPE.test(written.text); times += 1) {
    written = decodeOnce(written);
    yield written;
  }
}

/** Invalid UTF-8 becomes U+FFFD for each byte, so that it hides nothing beside it. */
function decodeOnce({ text, placeOf }: WrittenText): WrittenText {
  let decoded = '';
  const places: number[] = [];
  for (let at = 0; at < text.length; ) {
    const { character, end } = readCharacter(text, at);
    for (let unit = 0; unit < character.length; unit += 1) places.push(placeOf(at));
    decoded += character;
    at = end;
  }
  places.push(placeOf(text.length));
  return { text: decoded, placeOf: (unit) => places[unit] ?? 0 };
}

function readCharacter(text: string, at: number): { character: string; end: number } {
  const first = byteAt(text, at);
  if (first === undefined) return { character: text.charAt(at), end: at + 1 };
  const bytes = [first];
  for (let count = 1; count < bytesFrom(first); count += 1) {
    const next = byteAt(text, at + count * ESCAPE_LENGTH);
    if (next === undefined) break;
    bytes.push(next);
  }
  const character = Buffer.from(bytes).toString();
  if (first < 0x80 || !character.startsWith(UNKNOWN)) {
    return { character, end: at + bytes.length * ESCAPE_LENGTH };
  }
  return { character: UNKNOWN, end: at + ESCAPE_LENGTH };
}

/** How many bytes a character has, by its first one (RFC 3629). */
function bytesFrom(first: number): number {
  if (first < 0xc2) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

/** @returns undefined if there is no escape */
function byteAt(text: string, at: number): number | undefined {
  if (text.charAt(at) !== '%') return undefined;
  const [high, low] = [hexDigitAt(text, at + 1), hexDigitAt(text, at + 2)];
  return high === undefined || low === undefined ? undefined : high * 16 + low;
}

function hexDigitAt(text: string, at: number): number | undefined {
  const value = Number.parseInt(text.charAt(at), 16);
  return Number.isNaN(value) ? undefined : value;
}
