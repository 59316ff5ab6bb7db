import fc from 'fast-check';

/** What texts are made of whatever the expression says. */
const COMMON = [...'aF0 -.\n☃'];
const MAX_SAMPLE = 40;
const SAMPLES = 4;
/** What an expression does not expect at its end, most likely. */
const END = '\0!';

/** A text that grows by repeating one piece of it. */
export interface Growing {
  readonly before: string;
  readonly piece: string;
  readonly after: string;
}

/** A text of at least so many characters. */
export function grown({ before, piece, after }: Growing, length: number): string {
  return before + piece.repeat(Math.ceil(length / piece.length)) + after;
}

/**
 * Texts that make an expression work: those that it matches with one piece of them repeated and
 * the end broken, and repeated characters that it names.
 */
export function hostileTexts(expression: RegExp): readonly Growing[] {
  const texts: Growing[] = [];
  for (const sample of buildSamples(expression)) {
    for (let from = 0; from < sample.length; from += 1) {
      for (const width of [1, 2, 4]) {
        const piece = sample.slice(from, from + width);
        if (piece.length < width) break;
        const before = sample.slice(0, from);
        const rest = sample.slice(from + width);
        for (const after of [END, `${rest}${END}`]) texts.push({ before, piece, after });
      }
    }
  }
  for (const piece of new Set([...COMMON, ...expression.source])) {
    texts.push({ before: '', piece, after: '\0' });
  }
  return texts;
}

function buildSamples(expression: RegExp): readonly string[] {
  try {
    const matching = fc.stringMatching(new RegExp(withoutAssertions(expression.source)));
    const samples = fc.sample(matching, { numRuns: SAMPLES, seed: 17 });
    return [...new Set(samples.map((sample) => sample.slice(0, MAX_SAMPLE)))];
  } catch {
    // What is left of it cannot be sampled: its characters must do.
    return [];
  }
}

/** Word boundaries and looks around say nothing of what is matched, and cannot be sampled. */
function withoutAssertions(source: string): string {
  return source.replace(/\\[bB]|\(\?<?[=!](?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)/g, '');
}
