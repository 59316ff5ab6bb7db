import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/planted-tree.ts';

/** Where a page may stand when it names a file. */
const BASES = ['', 'packages', 'packages/core/src'];
/** The folders of the packages that one-event.md draws its files from. */
const EVENT_FOLDERS = [
  'packages/storage-postgres/src/changes',
  'packages/storage-postgres/src/deliveries',
  'packages/webhooks/src',
  'packages/core/src/events/deliveries',
];
const PATH = /`([\w@.-]+(?:\/[\w@.-]+)+\/?)`/g;
/** Paths of this repository; others, such as `paymount/testing`, are names of other things. */
const OURS = /^(packages|test|docs|example-host|\.github|\.ci)\/|\/src\//;
/** What a recipe makes: `core/src/payments/things/thing.ts`. */
const PLACEHOLDER = /\b[Tt]hings?\b|NNNN/;

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

function missingIn(page: string): string[] {
  return [...read(page).matchAll(PATH)]
    .map(([, path = '']) => path)
    .filter((path) => OURS.test(path) && !PLACEHOLDER.test(path))
    .filter((path) => !BASES.some((base) => existsSync(join(ROOT, base, path))));
}

/** The files through which other packages import a package, or an area of the core. */
const DOORS = readdirSync(join(ROOT, 'packages'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /^[\w-]+\/src\/(?:[\w-]+\/)?index\.ts$/.test(file))
  .map((file) => `packages/${file}`);

describe('pages about the code', () => {
  const explanations = readdirSync(join(ROOT, 'docs/explanation')).map(
    (name) => `docs/explanation/${name}`,
  );
  const readmes = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/README.md`);
  for (const page of ['CONTRIBUTING.md', 'README.md', ...explanations, ...readmes]) {
    it(`${page} names files that are there`, () => {
      expect(missingIn(page)).to.deep.equal([]);
    });
  }

  it('docs/explanation/one-event.md draws files that are there', () => {
    const [, drawing = ''] = read('docs/explanation/one-event.md').split('```');
    const drawn = [...drawing.matchAll(/[\w/-]+\.ts/g)].map(([file]) => file);
    expect(drawn).to.include.members(['change-rows.ts', 'claims/dispatcher.ts']);
    const missing = drawn.filter(
      (file) => !EVENT_FOLDERS.some((folder) => existsSync(join(ROOT, folder, file))),
    );
    expect(missing).to.deep.equal([]);
  });

  it('index.ts files start at files that are there', () => {
    expect(DOORS).to.include('packages/core/src/payments/index.ts');
    const missing = DOORS.flatMap((door) => {
      const header = read(door).split(/^(?:import|export) /m)[0] ?? '';
      const named = [...header.matchAll(/[\w/-]+\.ts\b/g)].map(([file]) => file);
      return named
        .filter((file) => !existsSync(join(ROOT, door, '..', file)))
        .map((file) => `${door}: ${file}`);
    });
    expect(missing).to.deep.equal([]);
  });

  it('index.ts files have at most 200 lines', () => {
    const long = DOORS.filter((door) => read(door).trimEnd().split('\n').length > 200);
    expect(long).to.deep.equal([]);
  });
});
