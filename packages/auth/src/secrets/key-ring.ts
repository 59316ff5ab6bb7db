import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Environment, Logger } from '@paymount/core';
import { Secret } from './secret.ts';

/** One key of the ring as the host gives it. */
export interface RingKey {
  /** Its name, stored beside whatever it sealed: 1-64 letters, digits, `.`, `_`, `-`. */
  readonly kid: string;
  /** 32 random bytes, as they are or in base64. */
  readonly key: string | Uint8Array;
}

export interface KeyRingOptions {
  /** `live` refuses to go without `keys`. */
  readonly environment: Environment;
  /** Newest first. */
  readonly keys?: readonly RingKey[];
  /** Where the test environment keeps a key of its own making. @defaultValue `.paymount/keys` */
  readonly file?: string;
  readonly logger: Logger;
}

const KEY_BYTES = 32;
const KID = /^[0-9A-Za-z._-]{1,64}$/;
const BASE64_KEY = /^[A-Za-z0-9+/]{43}=$/;
const DEFAULT_FILE = '.paymount/keys';

/** The keys that seal secrets at rest, newest first. */
export class KeyRing {
  readonly #keys: ReadonlyMap<string, Secret<Uint8Array>>;
  /** The key that seals. */
  readonly newest: string;
  /** Made by this program for the test environment; live mounts refuse such a ring. */
  readonly generated: boolean;

  /** @throws RangeError when the ring is empty, names a key twice, or a key is not 32 bytes */
  constructor(keys: readonly RingKey[], generated = false) {
    const [newest] = keys;
    if (newest === undefined) throw new RangeError('The key ring is empty.');
    this.#keys = new Map(
      keys.map(({ kid, key }) => [checkedKid(kid), new Secret(bytesOf(kid, key))]),
    );
    if (this.#keys.size !== keys.length) throw new RangeError('The key ring names a key twice.');
    this.newest = newest.kid;
    this.generated = generated;
  }

  find(kid: string): Secret<Uint8Array> | undefined {
    return this.#keys.get(kid);
  }

  /** @throws Error when the ring was generated; called before anything live is mounted */
  requireForLive(): void {
    if (this.generated) throw new Error(NO_LIVE_RING);
  }
}

const NO_LIVE_RING =
  'Live needs sealing keys of your own, because what a lost key sealed is lost. Pass ' +
  "sealingKeys: [{ kid: '2026', key }], where key is 32 random bytes in base64, from your secret store.";

/**
 * The ring that the host gave or, for the test environment only, one key in a file of mode 0600,
 * which is made when it is missing.
 * @throws Error in live without keys, or when the file can be read by others
 */
export async function loadKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  if (options.keys !== undefined) return new KeyRing(options.keys);
  if (options.environment === 'live') throw new Error(NO_LIVE_RING);
  const file = options.file ?? DEFAULT_FILE;
  if (await makeKeyFile(file)) {
    options.logger.warn({ file }, 'A key for sealing test secrets was made; keep this file.');
  }
  const { mode } = await stat(file);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new Error(`Others can read ${file}, which holds a key. Run: chmod 600 ${file}`);
  }
  return new KeyRing(parseKeyRing(await readFile(file, 'utf8')), true);
}

/**
 * Reads a ring written as text, as in an environment variable.
 * @param text `name:base64` pairs, newest first, between commas: `2026:q83v...=,2025:EjRW...=`
 * @throws RangeError, which names the pair by its place and never echoes it
 */
export function parseKeyRing(text: string): RingKey[] {
  return text
    .trim()
    .split(',')
    .map((pair, index) => {
      const colon = pair.indexOf(':');
      if (colon === -1) throw new RangeError(`Key ${index + 1} of the ring is not name:base64.`);
      return { kid: pair.slice(0, colon).trim(), key: pair.slice(colon + 1).trim() };
    });
}

/** Of two processes that start at once both get the same file: `link` never overwrites. */
async function makeKeyFile(file: string): Promise<boolean> {
  if (await exists(file)) return false;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(`test:${randomBytes(KEY_BYTES).toString('base64')}\n`);
    await handle.sync();
    await link(draft, file);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await handle.close();
    await rm(draft, { force: true });
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function checkedKid(kid: string): string {
  if (!KID.test(kid)) {
    throw new RangeError('The name of a key is 1 to 64 letters, digits, dots, _ and -.');
  }
  return kid;
}

function bytesOf(kid: string, key: string | Uint8Array): Uint8Array {
  if (typeof key === 'string') {
    if (BASE64_KEY.test(key)) return Buffer.from(key, 'base64');
  } else if (key.length === KEY_BYTES) {
    return Uint8Array.from(key);
  }
  throw new RangeError(`The key ${kid} is not 32 bytes in base64 (44 characters).`);
}
