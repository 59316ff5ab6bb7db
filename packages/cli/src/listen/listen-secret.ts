import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { createSigningSecret, isSigningSecret } from 'paymount-receiver/internal';
import type { CliContext } from '../command-line/cli-context.ts';
import { CommandFailure } from '../command-line/command-failure.ts';
import { systemErrorCode } from '../plain-text.ts';

const OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const UNWRITABLE = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOTDIR']);
/** Windows has none. */
const hasModes = process.platform !== 'win32';

/**
 * Where the secret is: below the user's configuration (XDG Base Directory Specification).
 * @param home the user's home folder, from the system
 * @throws CommandFailure 1 if there is none
 */
export function secretFile({ env }: Pick<CliContext, 'env'>, home = homedir()): string {
  const { XDG_CONFIG_HOME: configured = '', HOME: own = '' } = env;
  // The specification says to ignore relative paths; they would refer to the working directory.
  if (isAbsolute(configured)) return join(configured, 'paymount', 'listen-secret');
  const folder = [own, home].find(isAbsolute);
  if (folder !== undefined) return join(folder, '.config', 'paymount', 'listen-secret');
  throw new CommandFailure(
    1,
    'secret_file',
    'There is no place for the signing secret: set HOME or XDG_CONFIG_HOME to an absolute path.',
  );
}

/**
 * The signing secret of this user's `listen`, created at first use and readable only by this user.
 * @param user the required owner of the file and its folder; undefined on systems without user ids
 * @throws CommandFailure 1 if it cannot be stored, or others can read or change it
 */
export function readListenSecret(file: string, user = process.getuid?.()): string {
  try {
    return secretIn(file, user) ?? newSecret(file, user);
  } catch (cause) {
    if (cause instanceof CommandFailure) throw cause;
    if (UNWRITABLE.has(systemErrorCode(cause) ?? '')) {
      const cure = 'Set XDG_CONFIG_HOME to a folder that can be';
      throw unfit(dirname(file), `cannot be written (${systemErrorCode(cause)}). ${cure}`);
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandFailure(1, 'secret_file', `The signing secret cannot be kept: ${reason}.`);
  }
}

/** Checks the opened file, not its name, which may refer to another file by now. */
function secretIn(file: string, user: number | undefined): string | undefined {
  if (!isFolderFit(dirname(file), user)) return undefined;
  const descriptor = openUnfollowed(file);
  if (descriptor === undefined) return undefined;
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw unfit(file, 'is no file. Remove it');
    assertOwner(file, found, user);
    if (hasModes && (found.mode & OTHERS) !== 0) {
      throw unfit(
        file,
        'can be read by others. Remove it, and a new one is made; or chmod it to 600',
      );
    }
    const secret = readFileSync(descriptor, 'utf8').trim();
    if (!isSigningSecret(secret)) throw unfit(file, 'holds no signing secret. Remove it');
    return secret;
  } finally {
    closeSync(descriptor);
  }
}

/** @returns false if it does not exist yet @throws CommandFailure 1 if others can write to it */
function isFolderFit(folder: string, user: number | undefined): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isDirectory()) throw unfit(folder, 'is no folder. Remove it');
  assertOwner(folder, found, user);
  if (hasModes && (found.mode & WRITABLE_BY_OTHERS) !== 0) {
    throw unfit(folder, 'can be changed by others; chmod it to 700');
  }
  return true;
}

function assertOwner(path: string, { uid }: Stats, user: number | undefined): void {
  if (user !== undefined && uid !== user) throw unfit(path, 'belongs to another user. Remove it');
}

function openUnfollowed(file: string): number | undefined {
  try {
    // Opening a pipe would wait for its other end.
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') throw unfit(file, 'is no file. Remove it');
    throw error;
  }
}

/** Linked in one step, so that two processes that start at once get the same secret. */
function newSecret(file: string, user: number | undefined): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  const secret = createSigningSecret();
  writeFileSync(draft, `${secret}\n`, { flag: 'wx', mode: 0o600 });
  try {
    linkSync(draft, file);
    return secret;
  } catch (error) {
    const other = systemErrorCode(error) === 'EEXIST' ? secretIn(file, user) : undefined;
    if (other === undefined) throw error;
    return other;
  } finally {
    rmSync(draft, { force: true });
  }
}

function unfit(file: string, what: string): CommandFailure {
  return new CommandFailure(1, 'secret_file', `${file} ${what}.`);
}
