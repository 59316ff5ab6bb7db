import { constants } from 'node:fs';
import { lstat, open, readdir, stat } from 'node:fs/promises';
import { join, normalize, sep } from 'node:path';
import { TextDecoder } from 'node:util';
import { isError } from '@paymount/core/kernel';
import { ScanError } from './scan-error.ts';
import { askGit, runGit } from './scan-git.ts';
import { type PlacedCredential, ScannedText } from './scan-text.ts';

/** Folders that are never read: third-party packages, and git's own data. */
const PASSED_OVER = new Set(['node_modules', '.git']);
const CHUNK_BYTES = 262_144;
/** Like git: a text file has no zero byte near its beginning. */
const SNIFFED_BYTES = 8_000;
/** git's warning about a folder that it could not open, which is not an error for git. */
const LEFT_OUT = /^warning: could not open directory '(.*)': (.*)$/gm;

/** A file to read, or a place that cannot be read. */
export interface ListedPath {
  /** As bytes of the system, because names need not be UTF-8. */
  readonly path: Buffer;
  /** Why it cannot be read. */
  readonly reason?: string;
}

/**
 * Names the regular files at or under a path; symbolic links are not followed. Inside a git work
 * tree, without those that `.gitignore` excludes, unless the path itself is one of them. Unlistable
 * places, and tracked files that are missing, are returned with the reason.
 * @throws ScanError when there is nothing at the path, or neither a file nor a folder
 */
export async function* filesUnder(path: string): AsyncGenerator<ListedPath> {
  const entry = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw new ScanError(`${path} cannot be read (${cause.code}).`, { cause });
  });
  const root = Buffer.from(normalize(path));
  if (entry.isDirectory()) yield* orUnread(root, filesIn(root));
  else if (entry.isFile()) yield { path: root };
  else throw new ScanError(`${path} is neither a file nor a folder.`);
}

/**
 * Reads a regular file with bounded memory.
 * @param onBytes called with the number of bytes read
 * @returns nothing of binary files
 * @throws ScanError when it is no regular file any more; the system's error when it cannot be read
 */
export async function* scanFile(
  file: Buffer,
  onBytes: (bytes: number) => void,
): AsyncGenerator<PlacedCredential> {
  const text = new ScannedText();
  let decoder: TextDecoder | undefined;
  // Non-blocking, because the file may have been replaced by a pipe without a writer.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!(await handle.stat()).isFile()) throw new ScanError('no regular file');
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) break;
      onBytes(bytesRead);
      const chunk = buffer.subarray(0, bytesRead);
      decoder ??= detectDecoder(chunk);
      if (decoder === undefined) return;
      yield* text.push(decoder.decode(chunk, { stream: true }));
    }
  } finally {
    await handle.close();
  }
  yield* text.end();
}

/** The message about an unreadable file; undefined for errors of this program. */
export function describeReadError(error: unknown): string | undefined {
  if (error instanceof ScanError) return error.message;
  if (!isError(error) || !('syscall' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** If one place cannot be listed, the rest is listed anyway. */
async function* orUnread(
  path: Buffer,
  listing: AsyncGenerator<ListedPath>,
): AsyncGenerator<ListedPath> {
  try {
    yield* listing;
  } catch (error) {
    const reason = describeReadError(error);
    if (reason === undefined) throw error;
    yield { path, reason };
  }
}

async function* filesIn(folder: Buffer): AsyncGenerator<ListedPath> {
  yield* (await isListedByGit(folder)) ? listedByGit(folder) : walk(folder);
}

/** git can be run only for folders with UTF-8 names; all files of other folders are read. */
async function isListedByGit(folder: Buffer): Promise<boolean> {
  const name = folder.toString();
  if (!Buffer.from(name).equals(folder)) return false;
  if ((await askGit(name, ['rev-parse', '--is-inside-work-tree'])) !== 'true') return false;
  return (await askGit(name, ['check-ignore', '-q', '.'])) === undefined;
}

async function* listedByGit(folder: Buffer): AsyncGenerator<ListedPath> {
  let rest = Buffer.alloc(0);
  let said = '';
  const listing = ['ls-files', '-z', '-co', '--exclude-standard'];
  for await (const chunk of runGit(folder.toString(), listing, (text) => (said = text))) {
    const names = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = names.indexOf(0); end !== -1; end = names.indexOf(0, start)) {
      yield* listed(folder, names.subarray(start, end));
      start = end + 1;
    }
    rest = names.subarray(start);
  }
  for (const [, name = '', reason = ''] of said.matchAll(LEFT_OUT)) {
    yield { path: Buffer.from(join(folder.toString(), name)), reason };
  }
}

/** git lists submodules and nested repositories as folders. */
async function* listed(folder: Buffer, name: Buffer): AsyncGenerator<ListedPath> {
  const parts = name.toString().split('/');
  if (parts.some((part) => PASSED_OVER.has(part))) return;
  const path = below(folder, name);
  yield* orUnread(path, filesAt(path, filesIn));
}

async function* walk(folder: Buffer): AsyncGenerator<ListedPath> {
  for (const name of await readdir(folder, { encoding: 'buffer' })) {
    if (PASSED_OVER.has(name.toString())) continue;
    const path = below(folder, name);
    yield* orUnread(path, filesAt(path, walk));
  }
}

async function* filesAt(
  path: Buffer,
  enter: (folder: Buffer) => AsyncGenerator<ListedPath>,
): AsyncGenerator<ListedPath> {
  const entry = await lstat(path);
  if (entry.isFile()) yield { path };
  else if (entry.isDirectory()) yield* enter(path);
}

function below(folder: Buffer, name: Buffer): Buffer {
  const start = folder.toString('latin1');
  if (start === '.') return name;
  return Buffer.concat([folder, Buffer.from(start.endsWith(sep) ? '' : sep), name]);
}

/** @returns undefined for binary content; files that begin with a byte order mark are UTF-16 */
function detectDecoder(beginning: Buffer): TextDecoder | undefined {
  if (beginning[0] === 0xff && beginning[1] === 0xfe) return new TextDecoder('utf-16le');
  if (beginning[0] === 0xfe && beginning[1] === 0xff) return new TextDecoder('utf-16be');
  return beginning.subarray(0, SNIFFED_BYTES).includes(0) ? undefined : new TextDecoder();
}
