const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const TAB = 9;
const NOTHING = Buffer.alloc(0);
const LEAST_STORE_BYTES = 1_024;

/** The field that says how long a body is, in lower case. */
export const LENGTH = 'content-length';

/** Where a head ends, and whether something in it must be written in another way. */
export interface FoundHead {
  /** The index after its empty line. */
  readonly end: number;
  readonly needsRewriting: boolean;
}

/**
 * The bytes of a head that is not whole yet. Each byte is looked at once, and copied at most a few
 * times, however small the pieces are in which a receiver sends it: otherwise, one that sends single
 * bytes would cost seconds of CPU, in which this process does nothing else.
 */
export class UnreadHead {
  /** What arrived, and room behind it, unless it is a chunk of the socket. */
  #store: Buffer = NOTHING;
  #length = 0;
  #searchedTo = 0;
  #lineFrom = 0;
  #lengths = 0;
  #mustRewrite = false;

  get bytes(): Buffer {
    return this.#store.subarray(0, this.#length);
  }

  /** Adds what arrived next. */
  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (this.#length === 0) {
      this.#store = chunk;
    } else {
      if (length > this.#store.length) this.#grow(length);
      chunk.copy(this.#store, this.#length);
    }
    this.#length = length;
  }

  /** @returns undefined until its empty line has arrived */
  find(): FoundHead | undefined {
    const { bytes } = this;
    for (;;) {
      const feed = bytes.indexOf(LINE_FEED, this.#searchedTo);
      if (feed === -1) {
        this.#searchedTo = bytes.length;
        return undefined;
      }
      this.#searchedTo = feed + 1;
      if (this.#endsWith(bytes, feed)) return this.#found(bytes);
      this.#lineFrom = feed + 1;
    }
  }

  /** Reads the line before this line feed. @returns whether it is the empty one */
  #endsWith(bytes: Buffer, feed: number): boolean {
    const from = this.#lineFrom;
    const isCrLf = feed > from && bytes[feed - 1] === CARRIAGE_RETURN;
    const lineEnd = isCrLf ? feed - 1 : feed;
    if (!isCrLf) this.#mustRewrite = true;
    if (lineEnd === from) return true;
    const first = bytes[from];
    if (first === SPACE || bytes.subarray(from, lineEnd).includes(TAB)) this.#mustRewrite = true;
    // "c" or "C"
    if (((first ?? 0) | 32) === 99 && nameOf(bytes, from, lineEnd) === LENGTH) {
      this.#lengths += 1;
      const isSeveral = this.#lengths > 1 || bytes.subarray(from, lineEnd).includes(',');
      if (isSeveral) this.#mustRewrite = true;
    }
    return false;
  }

  #found(bytes: Buffer): FoundHead {
    const isLaterMinor = bytes[7] !== 48 && bytes[7] !== 49;
    return { end: this.#searchedTo, needsRewriting: this.#mustRewrite || isLaterMinor };
  }

  #grow(least: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(LEAST_STORE_BYTES, 2 * least));
    this.#store.copy(grown, 0, 0, this.#length);
    this.#store = grown;
  }
}

function nameOf(bytes: Buffer, from: number, lineEnd: number): string {
  const end = Math.min(lineEnd, from + LENGTH.length + 1);
  const [name = ''] = bytes.toString('latin1', from, end).split(':');
  return name.toLowerCase();
}
