/** Letters that are read from right to left. */
const RIGHT_TO_LEFT = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u;
const LETTER = /\p{L}/u;
const DIGIT = /\p{Nd}/u;
const MARK = /\p{M}/u;
/** Between two digits they belong to the number. */
const SEPARATOR = /[.,:/]/;
/** Beside a number they belong to it. */
const SIGN = /[%‰°+\-−\p{Sc}]/u;

const MIRRORED: Readonly<Record<string, string>> = {
  '(': ')',
  ')': '(',
  '[': ']',
  ']': '[',
  '{': '}',
  '}': '{',
  '<': '>',
  '>': '<',
  '«': '»',
  '»': '«',
};

type Kind = 'left' | 'right' | 'number' | 'neutral';

/** A part of a line whose characters are all read in one direction, as it is written. */
export interface Run {
  readonly text: string;
  readonly isRightToLeft: boolean;
}

/** Whether a text has letters that are read from right to left. */
export function hasRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}

/**
 * The parts of a line in the order in which they are drawn, from left to right, as the rules of Unicode say (UAX #9,
 * for texts without embeddings and isolates). The first letter decides in which direction the whole line is read.
 * Brackets of a part that is read from right to left are mirrored.
 */
export function visualRuns(line: string): readonly Run[] {
  const characters = [...line];
  const isRight = isReadFromRight(characters);
  const levels = levelsOf(kindsOf(characters, isRight), isRight);
  const runs: { text: string; level: number }[] = [];
  characters.forEach((character, place) => {
    const level = levels[place] ?? 0;
    const shown = level === 1 ? (MIRRORED[character] ?? character) : character;
    const last = runs.at(-1);
    if (last?.level === level) last.text += shown;
    else runs.push({ text: shown, level });
  });
  return inDrawnOrder(runs).map(({ text, level }) => ({ text, isRightToLeft: level === 1 }));
}

function isReadFromRight(characters: readonly string[]): boolean {
  const first = characters.find((each) => LETTER.test(each));
  return first !== undefined && RIGHT_TO_LEFT.test(first);
}

/** The kinds of the characters, those between others included, but for spaces that no letter surrounds. */
function kindsOf(characters: readonly string[], isRight: boolean): readonly Kind[] {
  const kinds = characters.map(kindOf);
  for (const [place, character] of characters.entries()) {
    const [before, after] = [kinds[place - 1], kinds[place + 1]];
    if (kinds[place] !== 'neutral') continue;
    if (MARK.test(character)) kinds[place] = before ?? 'neutral';
    else if (SEPARATOR.test(character) && before === 'number' && after === 'number') {
      kinds[place] = 'number';
    } else if (SIGN.test(character) && (before === 'number' || after === 'number')) {
      kinds[place] = 'number';
    }
  }
  // A number after letters that are read from the left is read with them.
  let strong: Kind = isRight ? 'right' : 'left';
  for (const [place, kind] of kinds.entries()) {
    if (kind === 'left' || kind === 'right') strong = kind;
    else if (kind === 'number' && strong === 'left') kinds[place] = 'left';
  }
  return withNeutrals(kinds, isRight);
}

function kindOf(character: string): Kind {
  if (DIGIT.test(character)) return 'number';
  if (RIGHT_TO_LEFT.test(character) && LETTER.test(character)) return 'right';
  return LETTER.test(character) ? 'left' : 'neutral';
}

/** What is between two of the same direction has it too, and otherwise that of the line. */
function withNeutrals(kinds: readonly Kind[], isRight: boolean): readonly Kind[] {
  const line: Kind = isRight ? 'right' : 'left';
  const direction = (kind: Kind | undefined): Kind => {
    if (kind === undefined) return line;
    return kind === 'number' ? 'right' : kind;
  };
  return kinds.map((kind, place) => {
    if (kind !== 'neutral') return kind;
    const before = direction(kinds.slice(0, place).findLast((each) => each !== 'neutral'));
    const after = direction(kinds.slice(place).find((each) => each !== 'neutral'));
    return before === after ? before : line;
  });
}

/** 0: read from the left; 1: from the right; 2: from the left within what is read from the right. */
function levelsOf(kinds: readonly Kind[], isRight: boolean): readonly number[] {
  return kinds.map((kind) => {
    if (kind === 'right') return 1;
    return kind === 'number' || isRight ? 2 : 0;
  });
}

/** Reverses first what is read from the left within the rest, then all that is read from the right. */
function inDrawnOrder<Of extends { readonly level: number }>(runs: readonly Of[]): readonly Of[] {
  const drawn = [...runs];
  let start = 0;
  while (start < drawn.length) {
    let end = start;
    while (end < drawn.length && (drawn[end]?.level ?? 0) >= 1) end += 1;
    drawn.splice(start, end - start, ...drawn.slice(start, end).reverse());
    start = Math.max(end, start) + 1;
  }
  return drawn;
}
