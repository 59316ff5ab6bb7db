import { randomUUID } from 'node:crypto';
import { linkSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { createSigningSecret, isSigningSecret } from '@paymount/signature';
import { CommandFailure } from '../command-failure.ts';
import type { Surroundings } from '../surroundings.ts';

const OTHERS = 0o077;

/** Where the secret is: below the user's configuration (XDG Base Directory Specification). */
export function secretFile({ env }: Pick<Surroundings, 'env'>): string {
  const { XDG_CONFIG_HOME: configured = '', HOME: home = homedir() } = env;
  // The specification has relative paths ignored.
  const folder = isAbsolute(configured) ? configured : join(home, '.config');
  return join(folder, 'paymount', 'listen-secret');
}

/**
 * The signing secret of this user's `listen`, made at first use, for this user's eyes alone.
 * @throws CommandFailure 1 when it cannot be kept, or others can read it
 */
export function readListenSecret(file: string): string {
  try {
    return secretIn(file) ?? newSecret(file);
  } catch (cause) {
    if (cause instanceof CommandFailure) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandFailure(1, 'secret_file', `The signing secret cannot be kept: ${reason}.`);
  }
}

function secretIn(file: string): string | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile()) throw unfit(file, 'is no file. Remove it');
  // Windows has no such modes.
  if (process.platform !== 'win32' && (found.mode & OTHERS) !== 0) {
    throw unfit(
      file,
      'can be read by others. Remove it, and a new one is made; or chmod it to 600',
    );
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (!isSigningSecret(secret)) throw unfit(file, 'holds no signing secret. Remove it');
  return secret;
}

/** Linked in one step, so that of two that start at once both get the same. */
function newSecret(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  const secret = createSigningSecret();
  writeFileSync(draft, `${secret}\n`, { flag: 'wx', mode: 0o600 });
  try {
    linkSync(draft, file);
    return secret;
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const other = isThere ? secretIn(file) : undefined;
    if (other === undefined) throw error;
    return other;
  } finally {
    rmSync(draft, { force: true });
  }
}

function unfit(file: string, what: string): CommandFailure {
  return new CommandFailure(1, 'secret_file', `${file} ${what}.`);
}
