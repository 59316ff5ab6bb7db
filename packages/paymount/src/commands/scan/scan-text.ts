import { type FoundCredential, findCredentials, LONGEST_CREDENTIAL } from '@paymount/core/access';

/** A credential in a text of many lines. */
export interface PlacedCredential {
  readonly found: FoundCredential;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
}

/**
 * Finds credentials in a text that arrives in chunks, with lines of any length. It keeps no more
 * text than the length of a credential. It ignores publishable keys.
 */
export class ScannedText {
  /** The text after the last place where a credential could still begin. */
  #tail = '';
  /** Of the beginning of the tail. */
  #line: number;
  #column = 1;

  /** @param firstLine number of the line that the text begins with @defaultValue 1 */
  constructor(firstLine = 1) {
    this.#line = firstLine;
  }

  /** Adds the next chunk. */
  *push(chunk: string): Generator<PlacedCredential> {
    const text = this.#tail + chunk;
    yield* this.#scan(text, Math.max(0, text.length - LONGEST_CREDENTIAL));
  }

  /** Ends the input. */
  *end(): Generator<PlacedCredential> {
    yield* this.#scan(this.#tail, this.#tail.length);
  }

  /** @param end matches that begin before this position are complete, whatever text follows */
  *#scan(text: string, end: number): Generator<PlacedCredential> {
    let at = 0;
    for (const found of findCredentials(text)) {
      if (found.index >= end) break;
      this.#pass(text, at, found.index);
      at = found.index;
      const { what } = found;
      if (what.kind === 'key' && what.type === 'publishable') continue;
      yield { found, line: this.#line, column: this.#column };
    }
    this.#pass(text, at, end);
    this.#tail = text.slice(end);
  }

  #pass(text: string, from: number, to: number): void {
    let start = from;
    for (let feed = text.indexOf('\n', from); feed !== -1 && feed < to; ) {
      this.#line += 1;
      this.#column = 1;
      start = feed + 1;
      feed = text.indexOf('\n', start);
    }
    this.#column += to - start;
  }
}
