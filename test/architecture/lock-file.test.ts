import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/planted-tree.ts';

interface Locked {
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly integrity?: string;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const OXC_PLATFORMS = [
  'android-arm-eabi',
  'android-arm64',
  'darwin-arm64',
  'darwin-x64',
  'freebsd-x64',
  'linux-arm-gnueabihf',
  'linux-arm-musleabihf',
  'linux-ppc64-gnu',
  'linux-riscv64-gnu',
  'linux-riscv64-musl',
  'linux-s390x-gnu',
  'openharmony-arm64',
  'win32-arm64-msvc',
  'win32-ia32-msvc',
  'win32-x64-msvc',
];
/**
 * Programs for other platforms, in the versions that we lock: the registry that the file was written
 * from did not hold them, and so gave no hash. They cannot be left out, as `npm ci` refuses a file
 * that lacks an optional dependency. Whoever finds a hash for one adds it, and drops it here.
 */
const WITHOUT_INTEGRITY: readonly (readonly [string, readonly string[]])[] = [
  [
    '@biomejs/cli-',
    [
      'android-arm64',
      'android-x64',
      'darwin-arm64',
      'darwin-x64',
      'linux-arm64-musl',
      'linux-x64-musl',
      'win32-arm64',
      'win32-x64',
    ],
  ],
  ['@msgpackr-extract/msgpackr-extract-', ['darwin-arm64', 'darwin-x64', 'linux-arm', 'win32-x64']],
  ['@oxc-parser/binding-', OXC_PLATFORMS],
  ['@oxlint-tsgolint/', ['darwin-arm64', 'darwin-x64', 'win32-arm64', 'win32-x64']],
  ['@oxlint/binding-', OXC_PLATFORMS],
];

describe('the lock file', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, Locked>>;
  };
  /** What comes from a registry; the others are folders of this repository. */
  const fetched = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  );

  it('has the SHA-512 of every package, but for those that the registry did not hold', () => {
    const without = fetched.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ''));
    const known = WITHOUT_INTEGRITY.flatMap(([stem, platforms]) =>
      platforms.map((platform) => `node_modules/${stem}${platform}`),
    );
    expect(without.map(([path]) => path)).to.have.members(known);
    const needed = without.filter(([, { optional, os }]) => !optional || os === undefined);
    expect(needed).to.deep.equal([]);
  });

  it('names no registry, so that each machine uses its own', () => {
    expect(fetched.filter(([, { resolved }]) => resolved !== undefined)).to.deep.equal([]);
  });

  it('has the programs of every platform, without which npm ci refuses', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          !(`node_modules/${name}` in packages || `${path}/node_modules/${name}` in packages),
      ),
    );
    expect(missing).to.deep.equal([]);
  });
});
