import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The repository's top folder. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** File names, relative to the top, and their text. */
export type Files = Readonly<Record<string, string>>;

/** A small copy of the workspace's shape, in a temporary folder, for violations to be planted in. */
export interface PlantedTree {
  readonly folder: string;
  /** Runs a tool of the repository there. @returns its standard output, whatever its exit code */
  run(program: string, ...args: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

/**
 * @param configurations files of the repository's top folder to copy
 * @param links symbolic links: name to target, relative to the tree's top
 */
export async function plantTree(
  files: Files,
  configurations: readonly string[],
  links: Files = {},
): Promise<PlantedTree> {
  const folder = await mkdtemp(join(tmpdir(), 'paymount-planted-'));
  for (const name of configurations) await copyFile(join(ROOT, name), join(folder, name));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  for (const [name, target] of Object.entries(links)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await symlink(resolve(folder, target), join(folder, name));
  }
  return {
    folder,
    run: (program, ...args) => output(join(ROOT, 'node_modules', '.bin', program), args, folder),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A tool that finds violations exits with an error; what it printed is what counts. */
export async function output(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd, maxBuffer: 64 * 2 ** 20 });
    return stdout;
  } catch (error) {
    if (error instanceof Error && 'stdout' in error && error.stdout) return String(error.stdout);
    throw error;
  }
}

/** The repository's dependency-cruiser configuration, as far as tests read it. */
export function readRules(): readonly { readonly name: string }[] {
  const configuration = createRequire(import.meta.url)(join(ROOT, '.dependency-cruiser.cjs'));
  return configuration.forbidden;
}

/** For each slice, the slices that it names. */
type Slices = Readonly<Record<string, readonly string[]>>;

/** The tables of that configuration, as far as tests and the pictures of imports read them. */
export function readTables(): {
  readonly AREAS: Readonly<Record<string, { readonly slices?: Slices }>>;
  readonly PAYMENT_TIERS: Readonly<Record<string, Slices>>;
  readonly slicesOf: (tiers: Readonly<Record<string, Slices>>) => Slices;
} {
  return createRequire(import.meta.url)(join(ROOT, '.dependency-cruiser.tables.cjs'));
}
