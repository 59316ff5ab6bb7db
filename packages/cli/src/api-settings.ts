import { readFileSync } from 'node:fs';
import { usage } from './command-failure.ts';
import { isLoopbackHost, parseUrl } from './loopback.ts';
import type { Surroundings } from './surroundings.ts';

/** Options that every command takes. The key is none of them: a command line is no secret. */
export interface ApiFlags {
  readonly baseUrl?: string;
  readonly keyFile?: string;
}

/** Where the API is, and what opens it. */
export interface ApiSettings {
  /** Without a slash at its end; `/v1` follows. */
  readonly baseUrl: string;
  readonly key: string;
}

const KEY = /^(?:sk|rk|pk)_(live|test)_[0-9A-Za-z]{1,128}$/;
const MAX_KEY_FILE = 1_024;

/**
 * Reads the settings; nothing is sent to anybody.
 * @param testOnly the sentence that a key of live is refused with, where only test will do
 * @throws CommandFailure 2
 */
export function readApiSettings(
  { baseUrl, keyFile }: ApiFlags,
  { env }: Pick<Surroundings, 'env'>,
  testOnly?: string,
): ApiSettings {
  const key = keyFile === undefined ? env['PAYMOUNT_API_KEY'] : keyIn(keyFile);
  const source = keyFile === undefined ? 'PAYMOUNT_API_KEY' : 'The file of --key-file';
  if (!key) {
    throw usage('No key: set PAYMOUNT_API_KEY, or name a file that holds it with --key-file.');
  }
  const environment = KEY.exec(key)?.[1];
  if (environment === undefined) throw usage(`${source} holds no key of an account.`);
  if (environment === 'live' && testOnly !== undefined) {
    throw usage(`${source} holds a key of live. ${testOnly} Use a key of the test environment.`);
  }
  return { baseUrl: checkedBase(baseUrl ?? env['PAYMOUNT_BASE_URL']), key };
}

function keyIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, MAX_KEY_FILE).trim();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw usage(`--key-file cannot be read: ${reason}.`);
  }
}

function checkedBase(text: string | undefined): string {
  if (!text) {
    throw usage(
      'No address: set PAYMOUNT_BASE_URL or pass --base-url, the address below which /v1 answers.',
    );
  }
  const url = parseUrl('The base URL', text);
  if (url.search !== '') throw usage('The base URL must not hold a query (?).');
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw usage(
      'The base URL must begin with https, as the key would travel in clear; http is for this machine alone.',
    );
  }
  const base = url.href.replace(/\/+$/, '');
  if (base.endsWith('/v1')) throw usage('The base URL must end before /v1, which is added to it.');
  return base;
}
