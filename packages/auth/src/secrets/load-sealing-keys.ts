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
  /** `live` refuses to go without `keys`. */
  readonly environment: Environment;
  /** A ring, newest first, or what asks a key service. */
  readonly keys?: readonly RingKey[] | KeyProvider;
  /** Where the test environment keeps a key of its own making. @defaultValue `.paymount/keys` */
  readonly file?: string;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Pick<Logger, 'warn'>;
}

const KEY_BYTES = 32;
const DEFAULT_FILE = '.paymount/keys';
/** Each container would make a key of its own, and the second could not open what the first sealed. */
const NO_KEYS_IN_PRODUCTION =
  'No sealing key is set. With NODE_ENV=production, Paymount does not make one, because each process ' +
  `would make a different key. Pass the same key in every process: ${SEALING_KEYS_LINE}. ` +
  `To make a key, run: ${MAKE_SEALING_KEY}`;
const UNWRITABLE = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOTDIR', 'ENOSPC']);

/**
 * The keys that the host gave or, for the test environment only, one key in a file of mode 0600,
 * which is made when it is missing and a key is first asked for: a start that cannot reach its
 * database leaves no file behind.
 * @throws Error without keys in live or with `NODE_ENV=production`, and when the file can be read by
 *   others; the keys do when the folder of a missing file cannot be written
 * @throws RangeError when the ring is none
 */
export async function loadSealingKeys(options: SealingKeyOptions): Promise<SealingKeys> {
  if (options.keys !== undefined) return sealingKeysOf(options.keys, options.clock);
  if (options.environment === 'live') requireOwnKeys({ generated: true });
  const file = options.file ?? DEFAULT_FILE;
  if (process.env['NODE_ENV'] === 'production') throw new Error(NO_KEYS_IN_PRODUCTION);
  // What cannot be looked at is not written either: the same error says so.
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

/** Keys of our own making, which are made when one is first asked for. */
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

/** Whether test has made a key in this folder: what `loadSealingKeys` would read, and not make. */
export function hasMadeKey(): Promise<boolean> {
  return exists(DEFAULT_FILE);
}

/**
 * The keys that the host gave.
 * @param keys a ring, newest first, or what asks a key service
 * @throws RangeError when the ring is none
 */
export function sealingKeysOf(
  keys: readonly RingKey[] | KeyProvider,
  clock: Pick<Clock, 'monotonicMs'>,
): SealingKeys {
  return 'byKid' in keys ? new ProvidedKeys(keys, clock) : new KeyRing(keys);
}

/** @throws Error that names the folder, and the cure, when no file can be made there */
async function madeKeyFile(file: string): Promise<boolean> {
  try {
    return await makeKeyFile(file);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined || !UNWRITABLE.has(code)) throw error;
    throw new Error(
      'Paymount cannot write the sealing key for the test environment to the folder ' +
        `${resolve(dirname(file))} (${code}). Make the folder writable, or pass \`sealingKeys\`. To ` +
        `make a key, run: ${MAKE_SEALING_KEY}`,
      { cause: error },
    );
  }
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
  return codeOf(error) === code;
}

function codeOf(error: unknown): string | undefined {
  const isCoded = isError(error) && 'code' in error && typeof error.code === 'string';
  return isCoded ? String(error.code) : undefined;
}
