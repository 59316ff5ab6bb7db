import { shown } from './scan-name.ts';
import { type PlacedCredential, ScannedText } from './scan-text.ts';

/** A credential that a commit adds. */
export interface AddedCredential extends PlacedCredential {
  /** The full hash of the commit, hexadecimal. */
  readonly commit: string;
  /** Safe to print; relative to the root of the repository, with `/` between folders. */
  readonly file: string;
}

/** The name that git gives to the file of a commit's message. */
const MESSAGE = 'COMMIT_EDITMSG';
/** Header lines of a diff are short; a longer one is truncated, which at most shortens a path. */
const MAX_HEADER = 8_192;
const HUNK = /^(@{2,})(?: -[0-9]+(?:,[0-9]+)?)+ \+([0-9]+)/;

/** Parses the output of `git log -p` as a stream, with lines of any length. */
export class DiffReader {
  readonly #onCommit: () => void;
  readonly #decoder = new TextDecoder();
  #commit = '';
  #file = '';
  /** How many columns of `+`, `-` and blank begin each line; 0 outside a hunk. */
  #columns = 0;
  #line = 0;
  /** Present during consecutive added lines, or lines of a message. */
  #added: ScannedText | undefined;
  /** The beginning of an incomplete line. */
  #partial = '';
  /** The rest of a line that was too long has the same kind as its beginning. */
  #isWithinLine = false;

  constructor(onCommit: () => void) {
    this.#onCommit = onCommit;
  }

  /** Adds the next chunk. Zero bytes are dropped, so that UTF-16 can be read like UTF-8. */
  *push(chunk: Buffer): Generator<AddedCredential> {
    const decoded = this.#decoder.decode(chunk, { stream: true });
    const text = decoded.replaceAll('\0', '');
    let start = 0;
    for (let feed = text.indexOf('\n'); feed !== -1; feed = text.indexOf('\n', start)) {
      yield* this.#take(this.#partial + text.slice(start, feed + 1));
      this.#partial = '';
      this.#isWithinLine = false;
      start = feed + 1;
    }
    this.#partial += text.slice(start);
    if (this.#partial.length <= MAX_HEADER) return;
    yield* this.#take(this.#partial);
    this.#isWithinLine = true;
    this.#partial = '';
  }

  /** Ends the input. */
  *end(): Generator<AddedCredential> {
    yield* this.#take(this.#partial);
    yield* this.#endAdded();
  }

  *#take(text: string): Generator<AddedCredential> {
    if (this.#isWithinLine) yield* this.#add(text);
    else if (this.#columns > 0 && /^[ +\-\\]/.test(text)) yield* this.#takeContent(text);
    else if (this.#columns === 0 && text.startsWith(' ')) yield* this.#takeMessage(text);
    else yield* this.#takeHeader(text);
  }

  *#takeContent(text: string): Generator<AddedCredential> {
    const prefix = text.slice(0, this.#columns);
    if (text.startsWith('\\') || prefix.includes('-')) {
      yield* this.#endAdded();
      return;
    }
    if (prefix.includes('+')) {
      this.#added ??= new ScannedText(this.#line);
      yield* this.#add(text.slice(this.#columns));
    } else {
      yield* this.#endAdded();
    }
    this.#line += 1;
  }

  *#takeMessage(text: string): Generator<AddedCredential> {
    this.#file = MESSAGE;
    this.#added ??= new ScannedText(this.#line);
    yield* this.#add(text.slice(1));
    this.#line += 1;
  }

  *#takeHeader(text: string): Generator<AddedCredential> {
    yield* this.#endAdded();
    this.#columns = 0;
    const hunk = HUNK.exec(text);
    if (hunk !== null) {
      this.#columns = (hunk[1]?.length ?? 2) - 1;
      this.#line = Number(hunk[2]);
    } else if (text.startsWith('commit ')) {
      this.#commit = text.slice('commit '.length).trimEnd();
      this.#line = 1;
      this.#onCommit();
    } else if (text.startsWith('+++ ')) {
      this.#file = parsePath(text.slice('+++ '.length).trimEnd());
    } else if (text === '\n') {
      this.#line += 1;
    }
  }

  *#add(text: string): Generator<AddedCredential> {
    if (this.#added !== undefined) yield* this.#located(this.#added.push(text));
  }

  *#endAdded(): Generator<AddedCredential> {
    if (this.#added !== undefined) yield* this.#located(this.#added.end());
    this.#added = undefined;
  }

  *#located(found: Iterable<PlacedCredential>): Generator<AddedCredential> {
    for (const placed of found) yield { ...placed, commit: this.#commit, file: this.#file };
  }
}

/** `b/path`, in quotes if it contains quotes; other escapes of git stay unchanged. */
function parsePath(written: string): string {
  const path = written.startsWith('"') ? written.slice(1, -1) : written;
  return shown(path.startsWith('b/') ? path.slice(2) : path);
}
