import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Clock, type Environment, isError, type Logger } from '@paymount/core/kernel';
import { type KeyProvider, ProvidedKeys } from './key-provider.ts';
import { KeyRing, parseKeyRing, type RingKey } from './key-ring.ts';
import {
  MAKE_SEALING_KEY,
  requireOwnKeys,
  SEALING_KEYS_LINE,
  type SealingKey,
  type SealingKeys,
} from './sealing-keys.ts';

export interface SealingKeyOptions {
  /** `live` requires `keys`. */
  readonly environment: Environment;
  /** A ring, newest first, or a provider that calls a key service. */
  readonly keys?: readonly RingKey[] | KeyProvider;
  /** Where the test environment stores the key that it generates. @defaultValue `.paymount/keys` */
  readonly file?: string;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Pick<Logger, 'warn'>;
}

const KEY_BYTES = 32;
const DEFAULT_FILE = '.paymount/keys';
/**
 * Each container would generate its own key, and the second could not open the secrets of the
 * first.
 */
const NO_KEYS_IN_PRODUCTION =
  'No sealing key is set. With NODE_ENV=production, Paymount does not make one, because each process ' +
  `would make a different key. Pass the same key in every process: ${SEALING_KEYS_LINE}. ` +
  `To make a key, run: ${MAKE_SEALING_KEY}`;
const UNWRITABLE = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOTDIR', 'ENOSPC']);

/**
 * The host's keys or, only for the test environment, one key in a file of mode 0600. The file is
 * created when a key is first needed, so that a start that cannot reach its database creates no
 * file.
 * @throws Error without keys in live or with `NODE_ENV=production`, and if others can read the
 *   file; using the keys throws if the folder of a missing file is not writable
 * @throws RangeError if the ring is not valid
 */
export async function loadSealingKeys(options: SealingKeyOptions): Promise<SealingKeys> {
  if (options.keys !== undefined) return toSealingKeys(options.keys, options.clock);
  if (options.environment === 'live') requireOwnKeys({ generated: true });
  const file = options.file ?? DEFAULT_FILE;
  if (process.env['NODE_ENV'] === 'production') throw new Error(NO_KEYS_IN_PRODUCTION);
  // A path that cannot be read cannot be written either: the later error says so.
  if (await exists(file).catch(() => false)) return readKeyFile(file);
  return new KeysMadeLate(async () => {
    if (await madeKeyFile(file)) {
      options.logger.warn(
        { file },
        'Paymount made a sealing key for the test environment. Keep this file.',
      );
    }
    return readKeyFile(file);
  });
}

async function readKeyFile(file: string): Promise<KeyRing> {
  const { mode } = await stat(file);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new Error(`Others can read ${file}, which holds a key. Run: chmod 600 ${file}`);
  }
  return new KeyRing(parseKeyRing(await readFile(file, 'utf8')), true);
}

/** Generated keys, which are created on first use. */
class KeysMadeLate implements SealingKeys {
  readonly generated = true;
  readonly #make: () => Promise<KeyRing>;
  #ring: Promise<KeyRing> | undefined;

  constructor(make: () => Promise<KeyRing>) {
    this.#make = make;
  }

  async current(): Promise<SealingKey> {
    return (await this.#made()).current();
  }

  async byKid(kid: string): Promise<SealingKey | undefined> {
    return (await this.#made()).byKid(kid);
  }

  #made(): Promise<KeyRing> {
    this.#ring ??= this.#make();
    return this.#ring;
  }
}

/** Whether a generated key exists in this folder, which `loadSealingKeys` would read. */
export function hasMadeKey(): Promise<boolean> {
  return exists(DEFAULT_FILE);
}

/**
 * The host's keys.
 * @param keys a ring, newest first, or a provider that calls a key service
 * @throws RangeError if the ring is not valid
 */
export function toSealingKeys(
  keys: readonly RingKey[] | KeyProvider,
  clock: Pick<Clock, 'monotonicMs'>,
): SealingKeys {
  return 'byKid' in keys ? new ProvidedKeys(keys, clock) : new KeyRing(keys);
}

/** @throws Error that names the folder, and what to do, if no file can be created there */
async function madeKeyFile(file: string): Promise<boolean> {
  try {
    return await makeKeyFile(file);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined || !UNWRITABLE.has(code)) throw error;
    throw new Error(
      'Paymount cannot write the sealing key for the test environment to the folder ' +
        `${resolve(dirname(file))} (${code}). Make the folder writable, or pass \`sealingKeys\`. To ` +
        `make a key, run: ${MAKE_SEALING_KEY}`,
      { cause: error },
    );
  }
}

/** Two processes that start at once get the same file: `link` never overwrites. */
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
  return errorCode(error) === code;
}

function errorCode(error: unknown): string | undefined {
  const isCoded = isError(error) && 'code' in error && typeof error.code === 'string';
  return isCoded ? String(error.code) : undefined;
}
