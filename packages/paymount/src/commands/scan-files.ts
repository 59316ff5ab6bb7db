import { createReadStream, type Dirent } from 'node:fs';
import { lstat, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TextDecoder } from 'node:util';
import { ScanError } from './scan-error.ts';
import { askGit, runGit } from './scan-git.ts';
import { type PlacedCredential, ScannedText } from './scan-text.ts';

/** Never looked into: what others published, and what git keeps of the past. */
const PASSED_OVER = new Set(['node_modules', '.git']);
const CHUNK_BYTES = 262_144;
/** As git does: a text has no zero byte near its beginning. */
const JUDGED_BYTES = 8_000;

/**
 * Names the regular files at or under a path; symbolic links are not followed. Inside a git work
 * tree, without those that `.gitignore` excludes, unless the path itself is one of them.
 * @throws ScanError when there is nothing at the path
 */
export async function* filesUnder(path: string): AsyncGenerator<string> {
  const entry = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw new ScanError(`${path} cannot be read (${cause.code}).`, { cause });
  });
  if (!entry.isDirectory()) yield path;
  else if (await isListedByGit(path)) yield* listedByGit(path);
  else yield* walk(path);
}

/**
 * Reads a file in bounded memory.
 * @param onBytes told how much was read
 * @returns nothing of binary files, and of files that are gone by now
 * @throws the system's error when the file cannot be read
 */
export async function* scanFile(
  file: string,
  onBytes: (bytes: number) => void,
): AsyncGenerator<PlacedCredential> {
  const text = new ScannedText();
  let decoder: TextDecoder | undefined;
  try {
    const chunks: AsyncIterable<Buffer> = createReadStream(file, { highWaterMark: CHUNK_BYTES });
    for await (const chunk of chunks) {
      onBytes(chunk.length);
      decoder ??= decoderOf(chunk);
      if (decoder === undefined) return;
      yield* text.push(decoder.decode(chunk, { stream: true }));
    }
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  yield* text.end();
}

async function isListedByGit(folder: string): Promise<boolean> {
  if ((await askGit(folder, ['rev-parse', '--is-inside-work-tree'])) !== 'true') return false;
  return (await askGit(folder, ['check-ignore', '-q', '.'])) === undefined;
}

async function* listedByGit(folder: string): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of runGit(folder, ['ls-files', '-z', '-co', '--exclude-standard'])) {
    const names = (rest + decoder.decode(chunk, { stream: true })).split('\0');
    rest = names.pop() ?? '';
    for (const name of names) yield* listed(folder, name);
  }
}

/** Git names submodules and repositories inside this one by their folder. */
async function* listed(folder: string, name: string): AsyncGenerator<string> {
  if (name.split('/').some((part) => PASSED_OVER.has(part))) return;
  const path = join(folder, name);
  const entry = await lstat(path).catch(() => undefined);
  if (entry?.isFile()) yield path;
  if (entry?.isDirectory()) yield* filesUnder(path);
}

async function* walk(folder: string): AsyncGenerator<string> {
  for await (const entry of await opendir(folder)) {
    if (PASSED_OVER.has(entry.name)) continue;
    yield* walked(folder, entry);
  }
}

async function* walked(folder: string, entry: Dirent): AsyncGenerator<string> {
  const path = join(folder, entry.name);
  if (entry.isFile()) yield path;
  else if (entry.isDirectory()) yield* walk(path);
}

/** @returns undefined for binary content; files that begin with a byte order mark are UTF-16 */
function decoderOf(beginning: Buffer): TextDecoder | undefined {
  if (beginning[0] === 0xff && beginning[1] === 0xfe) return new TextDecoder('utf-16le');
  if (beginning[0] === 0xfe && beginning[1] === 0xff) return new TextDecoder('utf-16be');
  return beginning.subarray(0, JUDGED_BYTES).includes(0) ? undefined : new TextDecoder();
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
