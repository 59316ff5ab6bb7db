import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { packedTarballs } from '../support/packed-tarballs.ts';
import { ROOT } from '../support/planted-tree.ts';

const MB = 1_000_000;
/** What a host installs beside Paymount; bullmq and ioredis come with Redis alone. */
const HOST_PACKAGES = ['paymount', 'express', 'pg'];

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Where npm put the package that `from` would load by this name. */
function findFolder(name: string, from: string): string | undefined {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
  }
  return undefined;
}

/** What npm installs along with a package: its dependencies, and the peers that it must have. */
function neededBy(folder: string): string[] {
  const of = readManifest(folder);
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = of;
  const peers = Object.keys(peerDependencies);
  const must = peers.filter((name) => of.peerDependenciesMeta?.[name]?.optional !== true);
  // What is optional is there or not, by the machine.
  const there = Object.keys(optionalDependencies).filter((name) => findFolder(name, folder));
  return [...Object.keys(dependencies), ...there, ...must];
}

/** Folders of all that comes with these packages, each once. */
function installed(names: readonly string[]): Set<string> {
  const folders = new Set<string>();
  const add = (name: string, from: string): void => {
    const folder = findFolder(name, from);
    if (folder === undefined) throw new Error(`${name}, which ${from} needs, is not installed.`);
    if (folders.has(folder)) return;
    folders.add(folder);
    for (const needed of neededBy(folder)) add(needed, folder);
  };
  for (const name of names) add(name, ROOT);
  return folders;
}

/** Bytes of the files of a package, without packages inside it. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => join(folder, entry.name))
    .map((path) => (statSync(path).isDirectory() ? bytesIn(path) : statSync(path).size))
    .reduce((sum, bytes) => sum + bytes, 0);
}

describe('what a production installation weighs', function () {
  this.timeout(120_000);
  let ours: Map<string, number>;
  before(async () => {
    const tarballs = await packedTarballs();
    ours = new Map(tarballs.map(({ name, unpackedSize }) => [name, unpackedSize]));
  });

  function measureWeight(names: readonly string[]): Map<string, number> {
    const folders = [...installed(names)];
    return new Map(
      folders.map((folder) => {
        const { name } = readManifest(folder);
        return [folder.slice(ROOT.length), ours.get(name) ?? bytesIn(folder)];
      }),
    );
  }

  const total = (weights: ReadonlyMap<string, number>): number =>
    [...weights.values()].reduce((sum, bytes) => sum + bytes, 0);

  it('is less than 46 MB without Redis', () => {
    const weights = measureWeight(HOST_PACKAGES);
    const heaviest = [...weights].sort(([, a], [, b]) => b - a).slice(0, 10);
    const table = heaviest.map(([name, bytes]) => `${(bytes / MB).toFixed(1)} MB ${name}`);
    expect(total(weights), table.join('\n')).to.be.within(10 * MB, 46 * MB);
    const names = [...weights.keys()].join(' ');
    expect(names).not.to.match(/bullmq|ioredis|msgpackr/);
  });

  it('is next to nothing for a receiver, and for who listens', () => {
    const withFolder = (folder: string): string[] => [
      ...installed(neededBy(join(ROOT, 'packages', folder))),
    ];
    const named = (folder: string): string[] =>
      withFolder(folder).map((found) => readManifest(found).name);
    expect(named('receiver')).to.deep.equal([]);
    expect(named('cli')).to.have.members(['paymount-receiver', 'commander']);
    const bytes = ['paymount-receiver', '@paymount/cli'].map(
      (name) => ours.get(name) ?? Number.NaN,
    );
    expect(bytes.reduce((sum, each) => sum + each, 0)).to.be.within(1, MB);
  });
});
