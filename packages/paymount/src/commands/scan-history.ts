import { askGit, runGit } from './scan-git.ts';
import { type PlacedCredential, ScannedText } from './scan-text.ts';

/** A credential that a commit added. */
export interface CommittedCredential extends PlacedCredential {
  /** Its whole name, hexadecimal. */
  readonly commit: string;
  /** As git writes it: below the root of the repository, `/` between folders. */
  readonly file: string;
}

/** Whatever the user's own configuration says of how a diff is shown. */
const CONFIGURATION = [
  ...['-c', 'core.quotePath=false', '-c', 'log.showSignature=false', '-c', 'log.showRoot=true'],
  ...['-c', 'diff.suppressBlankEmpty=false'],
];
/**
 * Of every commit of every branch, tag and stash, the lines it added; of a merge, those that none
 * of its parents had. Options say what would differ by configuration.
 */
const LOG = [
  ...['log', '--all', '-p', '--cc', '-U0', '--inter-hunk-context=0', '--format=commit %H'],
  ...['--no-color', '--no-renames', '--no-ext-diff', '--no-textconv', '--submodule=short'],
  ...['--src-prefix=a/', '--dst-prefix=b/', '--no-notes'],
];

/** Lines about the diff are short; longer ones are cut, which costs a path its end at most. */
const MAX_HEADER = 8_192;
const HUNK = /^(@{2,})(?: -[0-9]+(?:,[0-9]+)?)+ \+([0-9]+)/;

/**
 * Reads the whole history of the repository that a folder belongs to.
 * @param onCommit told at each commit
 * @throws ScanError when the folder is in no repository, or git fails
 */
export async function* scanHistory(
  folder: string,
  onCommit: () => void,
): AsyncGenerator<CommittedCredential> {
  const reader = new DiffReader(onCommit);
  const decoder = new TextDecoder();
  for await (const chunk of runGit(folder, [...CONFIGURATION, ...LOG])) {
    yield* reader.push(decoder.decode(chunk, { stream: true }));
  }
  yield* reader.end();
}

/** How many commits {@link scanHistory} will read; undefined when git does not say. */
export async function countCommits(folder: string): Promise<number | undefined> {
  const count = Number(await askGit(folder, ['rev-list', '--all', '--count']));
  return Number.isSafeInteger(count) ? count : undefined;
}

/** Reads the output of `git log -p` as it comes, whatever the length of its lines. */
class DiffReader {
  readonly #onCommit: () => void;
  #commit = '';
  #file = '';
  /** How many columns of `+`, `-` and blank begin each line; 0 outside a hunk. */
  #columns = 0;
  #line = 0;
  /** Present while added lines follow each other. */
  #added: ScannedText | undefined;
  /** The beginning of a line whose rest has not come. */
  #partial = '';
  /** The rest of a line that was too long to wait for belongs to what its beginning was. */
  #isWithinLine = false;

  constructor(onCommit: () => void) {
    this.#onCommit = onCommit;
  }

  *push(chunk: string): Generator<CommittedCredential> {
    const text = this.#partial + chunk;
    let start = 0;
    for (let feed = text.indexOf('\n'); feed !== -1; feed = text.indexOf('\n', start)) {
      yield* this.#take(text.slice(start, feed + 1));
      this.#isWithinLine = false;
      start = feed + 1;
    }
    this.#partial = text.slice(start);
    if (this.#partial.length <= MAX_HEADER) return;
    yield* this.#take(this.#partial);
    this.#isWithinLine = true;
    this.#partial = '';
  }

  *end(): Generator<CommittedCredential> {
    yield* this.#take(this.#partial);
    yield* this.#endAdded();
  }

  *#take(text: string): Generator<CommittedCredential> {
    if (this.#isWithinLine) yield* this.#add(text);
    else if (this.#columns > 0 && /^[ +\-\\]/.test(text)) yield* this.#takeContent(text);
    else yield* this.#takeHeader(text);
  }

  *#takeContent(text: string): Generator<CommittedCredential> {
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

  *#takeHeader(text: string): Generator<CommittedCredential> {
    yield* this.#endAdded();
    this.#columns = 0;
    const hunk = HUNK.exec(text);
    if (hunk !== null) {
      this.#columns = (hunk[1]?.length ?? 2) - 1;
      this.#line = Number(hunk[2]);
    } else if (text.startsWith('commit ')) {
      this.#commit = text.slice('commit '.length).trimEnd();
      this.#onCommit();
    } else if (text.startsWith('+++ ')) {
      this.#file = pathOf(text.slice('+++ '.length).trimEnd());
    }
  }

  *#add(text: string): Generator<CommittedCredential> {
    if (this.#added !== undefined) yield* this.#located(this.#added.push(text));
  }

  *#endAdded(): Generator<CommittedCredential> {
    if (this.#added !== undefined) yield* this.#located(this.#added.end());
    this.#added = undefined;
  }

  *#located(found: Iterable<PlacedCredential>): Generator<CommittedCredential> {
    for (const placed of found) yield { ...placed, commit: this.#commit, file: this.#file };
  }
}

/** `b/path`, in quotes when it holds some; what else git escaped stays as git writes it. */
function pathOf(written: string): string {
  const path = written.startsWith('"') ? written.slice(1, -1) : written;
  return path.startsWith('b/') ? path.slice(2) : path;
}
