import { readFile } from 'node:fs/promises';
import { usage } from '@paymount/cli';
import type { AuditHead } from '@paymount/core/changes';
import { errorMessage, parseId, readProperty } from '@paymount/core/kernel';

/** The name of the chain of entries without an account. */
export const HEAD_OF_NO_ACCOUNT = 'global';

const LINE = /^(\S+) (\d{1,15}) ([0-9a-f]{64})$/;

/**
 * Reads the heads that `paymount audit verify` printed, with or without `--json`. A file may
 * contain the output of several runs.
 * @throws CommandFailure when the file cannot be read, contains no heads, or contains anything else
 */
export async function readHeads(file: string): Promise<readonly AuditHead[]> {
  const lines = (await readText(file)).split(/\r?\n/).filter((line) => line.trim() !== '');
  const heads = lines.flatMap((line) => {
    if (line.startsWith('fault: ')) return [];
    const found = line.startsWith('{') ? jsonHeads(line) : lineHeads(line);
    if (found !== undefined) return found;
    throw usage(`${file} holds a line that \`paymount audit verify\` did not print.`);
  });
  if (heads.length === 0) throw usage(`${file} holds no heads.`);
  return heads;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const reason = errorMessage(cause);
    throw usage(`The heads cannot be read: ${reason}`, { cause });
  }
}

function jsonHeads(line: string): readonly AuditHead[] | undefined {
  const printed: unknown = parse(line);
  const heads = readProperty(printed, 'heads');
  if (!Array.isArray(heads)) return undefined;
  const read = heads.map((head: unknown) =>
    parseHead(
      readProperty(head, 'account') ?? HEAD_OF_NO_ACCOUNT,
      readProperty(head, 'seq'),
      readProperty(head, 'hash'),
    ),
  );
  return read.every((head) => head !== undefined) ? read : undefined;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function parseHead(account: unknown, seq: unknown, hash: unknown): AuditHead | undefined {
  return lineHeads(`${String(account)} ${String(seq)} ${String(hash)}`)?.[0];
}

function lineHeads(line: string): readonly AuditHead[] | undefined {
  const [, account = '', seq = '', hash = ''] = LINE.exec(line) ?? [];
  if (account === '') return undefined;
  const head = { seq: BigInt(seq), hash };
  if (account === HEAD_OF_NO_ACCOUNT) return [head];
  const accountId = parseId('acct', account);
  return accountId === undefined ? undefined : [{ accountId, ...head }];
}
