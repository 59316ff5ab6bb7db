import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from './eventually.ts';
import { packageFolders } from './package-folders.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LIMIT_MS = 120_000;
const run = promisify(execFile);

/** A package as npm would publish it. */
export interface PackedTarball {
  readonly name: string;
  /** The name of its folder in `packages/`. */
  readonly folder: string;
  /** The path of the `.tgz` file. */
  readonly file: string;
  /** Bytes of its files once they are unpacked. */
  readonly unpackedSize: number;
}

/**
 * Every package of the workspace, packed once for all test files of a run. Needs `npm run build`
 * first, as `npm test` does.
 */
export async function packedTarballs(): Promise<readonly PackedTarball[]> {
  const folder = join(process.env['PAYMOUNT_TEST_FOLDER'] ?? '', 'tarballs');
  const list = join(folder, 'list.json');
  // One worker makes the folder, and packs; the others wait for its list.
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  );
  if (isFirst) await pack(folder, list);
  const text = await eventually(() => readFile(list, 'utf8').catch(() => ''), Boolean, LIMIT_MS);
  return JSON.parse(text) as PackedTarball[];
}

/** Unpacks a package into a `node_modules` folder as npm would. @returns its folder there */
export async function unpack({ name, file }: PackedTarball, modules: string): Promise<string> {
  const home = join(modules, name);
  await mkdir(home, { recursive: true });
  await run('tar', ['-xzf', file, '-C', home, '--strip-components', '1']);
  return home;
}

async function pack(target: string, list: string): Promise<void> {
  const folders = packageFolders();
  const packages = folders.map((name) => `./packages/${name}`);
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', target, ...packages],
    { cwd: ROOT, maxBuffer: 50_000_000 },
  );
  const packed = JSON.parse(stdout) as { name: string; filename: string; unpackedSize: number }[];
  const tarballs = packed.map(({ name, filename, unpackedSize }, at): PackedTarball => {
    return { name, folder: folders[at] ?? '', file: join(target, filename), unpackedSize };
  });
  await writeFile(`${list}.new`, JSON.stringify(tarballs));
  await rename(`${list}.new`, list);
}
