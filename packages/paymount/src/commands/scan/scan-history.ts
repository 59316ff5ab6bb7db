import { resolve } from 'node:path';
import {
  type AddedCredential,
  COMMIT_FORMAT,
  DIFF_CONFIGURATION,
  DIFF_OPTIONS,
  type DiffEvents,
  DiffReader,
} from './scan-diff.ts';
import { askGit, type GitSurroundings, runGit } from './scan-git.ts';

/**
 * Of every commit of every branch, tag and stash, the lines it added; of a merge, those that none
 * of its parents had. Options say what would differ by configuration.
 */
const LOG = [
  ...['log', '--all', '--cc', COMMIT_FORMAT, '--encoding=UTF-8', '--no-notes'],
  ...DIFF_OPTIONS,
];
const STAGED = ['diff', '--cached', '--ignore-submodules=none', ...DIFF_OPTIONS];

/**
 * Reads the whole history of the repository that a folder belongs to, with the commits' messages.
 * @param onCommit told at each commit
 * @throws ScanError when the folder is in no repository, or git fails
 */
export function scanHistory(folder: string, onCommit: () => void): AsyncGenerator<AddedCredential> {
  return scanDiff(folder, LOG, { onCommit });
}

/**
 * Reads the lines that the next commit of a folder's repository would add, from the index: what
 * the work tree holds by now does not count.
 * @param onFile told at each file
 * @param indexFile the index, when it is not the repository's own: `git commit -a` gives its hooks
 *   another, in `GIT_INDEX_FILE`
 * @throws ScanError when the folder is in no repository, or git fails
 */
export function scanStaged(
  folder: string,
  onFile: () => void,
  indexFile: string | undefined,
): AsyncGenerator<AddedCredential> {
  const surroundings = indexFile === undefined ? {} : { indexFile: resolve(indexFile) };
  return scanDiff(folder, STAGED, { onFile }, surroundings);
}

/** How many commits {@link scanHistory} will read; undefined when git does not say. */
export async function countCommits(folder: string): Promise<number | undefined> {
  const count = Number(await askGit(folder, ['rev-list', '--all', '--count']));
  return Number.isSafeInteger(count) ? count : undefined;
}

async function* scanDiff(
  folder: string,
  args: readonly string[],
  events: DiffEvents,
  surroundings: GitSurroundings = {},
): AsyncGenerator<AddedCredential> {
  const reader = new DiffReader(events);
  for await (const chunk of runGit(folder, [...DIFF_CONFIGURATION, ...args], surroundings)) {
    yield* reader.push(chunk);
  }
  yield* reader.end();
}
