import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packedTarballs, unpack } from '../support/packed-tarballs.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What the tutorial installs beside the packages. */
const BESIDE = ['express', 'pg'];

/** A folder outside the workspace into which the packed packages are installed. */
export interface PackedShop {
  readonly folder: string;
  remove(): Promise<void>;
}

/**
 * Packs all packages and unpacks them into the `node_modules` of an empty folder, as `npm install`
 * would. What they and the tutorial name as dependencies, and nothing else, is linked from the
 * workspace, so that no registry is asked.
 */
export async function packedShop(): Promise<PackedShop> {
  const folder = await mkdtemp(join(tmpdir(), 'paymount-packed-'));
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  for (const tarball of await packedTarballs()) {
    const text = await readFile(join(await unpack(tarball, modules), 'package.json'), 'utf8');
    const { name, dependencies = {} }: Manifest = JSON.parse(text);
    for (const dependency of Object.keys(dependencies)) await link(dependency, name, modules);
  }
  for (const name of BESIDE) await link(name, 'paymount', modules);
  const program = join(modules, 'paymount', 'bin', 'paymount.js');
  await chmod(program, 0o755);
  await symlink(program, join(modules, '.bin', 'paymount'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Links what a package needs, from where the workspace has it: its own folder, or the top. */
async function link(name: string, of: string, modules: string): Promise<void> {
  // Our own packages are packed, too.
  if (name.startsWith('@paymount/')) return;
  const own = join(ROOT, 'packages', of.replace('@paymount/', ''), 'node_modules', name);
  const isOwn = existsSync(own);
  const target = join(isOwn ? join(modules, of, 'node_modules') : modules, name);
  if (existsSync(target)) return;
  await mkdir(dirname(target), { recursive: true });
  await symlink(isOwn ? own : join(ROOT, 'node_modules', name), target);
}
