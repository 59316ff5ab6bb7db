import { setFlagsFromString } from 'node:v8';

/** Beyond, an expression hangs for all that matters. */
const MOST = 500_000;

type Limited = (source: string, flags: string, limit: number) => RegExp;

/**
 * V8's own counter: an expression that gives up, with `null`, once it went back so often. Each step
 * that a matcher takes in vain ends in one step back, so that their number is the work; time, which
 * depends on the machine, is not asked.
 */
const limited: Limited = withNatives(
  () =>
    new Function(
      'source',
      'flags',
      'limit',
      'return %NewRegExpWithBacktrackLimit(source, flags, limit)',
    ) as Limited,
);

function withNatives<Made>(make: () => Made): Made {
  setFlagsFromString('--allow-natives-syntax');
  try {
    return make();
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

const ATOM =
  /\\[pPu]\{[^}]*\}|\\u.{4}|\\x..|\\c.|\\[^bB]|\[(?:[^\]\\]|\\.)*\]|[^\\[\](){}|^$*+?]/gsu;
const GROUP_OR_BOUND = /\(\?(?:<?[=!]|:|<\w+>)|\{\d+(?:,\d*)?\}|\\[bB]/;

/**
 * The same expression with each character captured: V8 runs loops over characters alone in a way
 * of their own, in which steps back are not counted.
 */
function withCaptures(source: string): string {
  const tokens = new RegExp(`${GROUP_OR_BOUND.source}|(?<atom>${ATOM.source})`, 'gsu');
  return source.replace(tokens, (token, ...found) => {
    const groups = found.at(-1) as { readonly atom?: string };
    return groups.atom === undefined ? token : `(${token})`;
  });
}

/** One expression, and how often it goes back on a text. */
export class Backtracks {
  readonly #source: string;
  readonly #flags: string;
  readonly #global: boolean;
  readonly #byLimit = new Map<number, RegExp>();

  constructor({ source, flags }: Pick<RegExp, 'source' | 'flags'>) {
    this.#source = withCaptures(source);
    this.#flags = `${flags.replace(/[gy]/g, '')}y`;
    this.#global = flags.includes('g');
  }

  /** Whether a search of the text goes back at most so often. */
  isWithin(text: string, limit: number): boolean {
    return this.#run(text, 0, limit) !== undefined;
  }

  /**
   * Steps back of one search, or of all in a row when the expression is global.
   * @returns within 2 %; Infinity beyond half a million
   */
  count(text: string): number {
    let total = 0;
    for (let from = 0; from <= text.length; ) {
      const { count, end } = this.#countFrom(text, from);
      total += count;
      if (total > MOST) return Infinity;
      if (end === undefined || !this.#global) break;
      from = end === from ? end + 1 : end;
    }
    return total;
  }

  #countFrom(text: string, from: number): { count: number; end?: number | undefined } {
    let high = 16;
    let done = this.#run(text, from, high);
    while (done === undefined) {
      high *= 2;
      if (high > MOST) return { count: Infinity };
      done = this.#run(text, from, high);
    }
    let low = high === 16 ? 0 : high / 2;
    while (high - low > Math.max(1, low / 50)) {
      const middle = Math.floor((low + high) / 2);
      if (this.#run(text, from, middle) === undefined) low = middle;
      else high = middle;
    }
    return { count: high, end: done.end };
  }

  /** @returns where the match ends, if there is one; undefined when it gave up */
  #run(text: string, from: number, limit: number): { readonly end?: number } | undefined {
    let expression = this.#byLimit.get(limit);
    if (expression === undefined) {
      // It begins where it is told and tries every place from there, as a search does; the second
      // alternative says that there was no match, so that `null` only says that it gave up. V8 keeps
      // compiled expressions by their source, with their limit: so the limit is a part of it.
      const source = `[^]*?(?<found${limit}>${this.#source})|`;
      expression = limited(source, this.#flags, limit);
      this.#byLimit.set(limit, expression);
    }
    expression.lastIndex = from;
    const match = expression.exec(text);
    if (match === null) return undefined;
    return match.groups?.[`found${limit}`] === undefined ? {} : { end: from + match[0].length };
  }
}
