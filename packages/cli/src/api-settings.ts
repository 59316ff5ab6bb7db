import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { CliContext } from './command-line/cli-context.ts';
import { usage } from './command-line/command-failure.ts';
import { isWholeKey, keyEnvironment } from './key-format.ts';
import { isLoopback, parseUrl } from './loopback.ts';
import { systemErrorCode } from './plain-text.ts';

/** Options of every command. The key is not an option, because a command line is not secret. */
export interface ApiFlags {
  readonly baseUrl?: string;
  readonly keyFile?: string;
}

/** Where the API is, and the key for it. */
export interface ApiSettings {
  /** Without a trailing slash and without `/v1`. */
  readonly baseUrl: string;
  readonly key: string;
}

const MAX_KEY_FILE = 1_024;
const READABLE_BY_OTHERS = 0o044;

/**
 * Reads the settings; sends nothing.
 * @param testOnly the error message for a live key, if the command works only in test
 * @throws CommandFailure 2
 */
export function readApiSettings(
  { baseUrl, keyFile }: ApiFlags,
  { env, printNote }: Pick<CliContext, 'env' | 'printNote'>,
  testOnly?: string,
): ApiSettings {
  const text = keyFile === undefined ? env['PAYMOUNT_API_KEY'] : textIn(keyFile, printNote);
  const key = text?.trim();
  const source = keyFile === undefined ? 'PAYMOUNT_API_KEY' : 'The file of --key-file';
  if (!key) {
    throw usage('No key: set PAYMOUNT_API_KEY, or name a file that holds it with --key-file.');
  }
  const environment = keyEnvironment(key);
  if (environment === undefined) throw usage(`${source} does not contain a key of an account.`);
  if (!isWholeKey(key)) {
    throw usage(`${source} does not contain a complete key: a character was changed or lost.`);
  }
  if (environment === 'live' && testOnly !== undefined) {
    throw usage(`${source} contains a live key. ${testOnly} Use a key of the test environment.`);
  }
  return { baseUrl: checkedBase(baseUrl ?? env['PAYMOUNT_BASE_URL']), key };
}

function textIn(file: string, printNote: CliContext['printNote']): string {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const found = fstatSync(descriptor);
      // Windows has no such modes, and a pipe can be read only once.
      const hasModes = process.platform !== 'win32' && found.isFile();
      if (hasModes && (found.mode & READABLE_BY_OTHERS) !== 0) {
        printNote('The file of --key-file can be read by others; chmod it to 600.');
      }
      return readBeginning(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    // The message would contain the name of the file, which may be the key itself by mistake.
    throw usage(`--key-file cannot be read (${systemErrorCode(cause) ?? 'unknown'}).`);
  }
}

function readBeginning(descriptor: number): string {
  const bytes = Buffer.alloc(MAX_KEY_FILE);
  let length = 0;
  for (let read = -1; read !== 0 && length < MAX_KEY_FILE; length += read) {
    read = readSync(descriptor, bytes, length, MAX_KEY_FILE - length, null);
  }
  return bytes.toString('utf8', 0, length);
}

function checkedBase(text: string | undefined): string {
  if (!text) {
    throw usage(
      'No address: set PAYMOUNT_BASE_URL or pass --base-url, the address below which /v1 answers.',
    );
  }
  const url = parseUrl('The base URL', text);
  if (url.search !== '') throw usage('The base URL must not hold a query (?).');
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw usage(
      'The base URL must begin with https, because http would send the key unencrypted; http is allowed only for this machine.',
    );
  }
  const base = withoutSlashesAtEnd(url.href);
  if (base.endsWith('/v1')) throw usage('The base URL must end before /v1, which is added to it.');
  return base;
}

function withoutSlashesAtEnd(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '/') end -= 1;
  return text.slice(0, end);
}
