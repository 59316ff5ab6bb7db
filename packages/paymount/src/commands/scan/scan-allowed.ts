import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ScanError } from './scan-error.ts';

const NAME = '.paymount-scan-ignore';
const SHA256 = /^[0-9a-f]{64}$/;

/**
 * Reads the known examples: the file `.paymount-scan-ignore` of the scanned folder, with the
 * SHA-256 of one credential per line. `#` begins a comment.
 * @returns hexadecimal digests; empty if there is no such file
 * @throws ScanError if it cannot be read, or contains anything else
 */
export async function readAllowed(path: string): Promise<ReadonlySet<string>> {
  const file = join(await findFolder(path), NAME);
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return '';
    throw new ScanError(`${file} cannot be read (${cause.code}).`, { cause });
  });
  const lines = text.split('\n').map(withoutComment);
  const wrong = lines.findIndex((line) => line !== '' && !SHA256.test(line));
  if (wrong === -1) return new Set(lines.filter((line) => line !== ''));
  throw new ScanError(
    `${file}:${wrong + 1} is not a SHA-256 of a credential (64 digits, lower case).`,
  );
}

/** `sha256sum` writes `-` after the digest of its standard input. */
function withoutComment(line: string): string {
  const [text = ''] = line.split('#', 1);
  const trimmed = text.trim();
  return trimmed.endsWith(' -') ? trimmed.slice(0, -1).trim() : trimmed;
}

/** @returns the folder itself, or the folder of a file */
export async function findFolder(path: string): Promise<string> {
  const entry = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw new ScanError(`${path} cannot be read (${cause.code}).`, { cause });
  });
  return entry.isDirectory() ? path : dirname(path);
}
