import { type AddedCredential, DiffReader } from './scan-diff.ts';
import { runGit } from './scan-git.ts';

/**
 * For every commit of every branch, tag and stash: its message and the lines that it added; for a
 * merge, the lines that no parent had. Every file is treated as text, regardless of attributes,
 * content and the user's diff configuration.
 */
const LOG = [
  '-c',
  'core.quotePath=false',
  '-c',
  'log.showSignature=false',
  '-c',
  'log.showRoot=true',
  '-c',
  'diff.suppressBlankEmpty=false',
  'log',
  '--all',
  '--cc',
  '--encoding=UTF-8',
  '--no-notes',
  // The hash, then the message with a space before each line.
  '--format=commit %H%n%w(0,1,1)%B%w(0,0,0)',
  '-p',
  '--text',
  '-U0',
  '--inter-hunk-context=0',
  '--no-color',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--submodule=short',
  '--no-relative',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];

/**
 * Reads the whole history of the repository that a folder belongs to, with the commits' messages.
 * @param onCommit called for each commit
 * @throws ScanError when the folder is in no repository, or git fails
 */
export async function* scanHistory(
  folder: string,
  onCommit: () => void,
): AsyncGenerator<AddedCredential> {
  const reader = new DiffReader(onCommit);
  for await (const chunk of runGit(folder, LOG)) yield* reader.push(chunk);
  yield* reader.end();
}
