import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTables } from '../support/planted-tree.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PACKAGES = join(ROOT, 'packages');
const CORE = join(PACKAGES, 'core/src');
const PAYMENTS = join(CORE, 'payments');
const START = '<!-- imports: written by `npm run docs` -->';
const END = '<!-- /imports -->';
const SPECIFIER = /\bfrom '([^']+)'|\bimport\('([^']+)'\)/g;
/** The one command loads the merchants' commands; it stands apart from the layers. */
const COMMANDS = join(PACKAGES, 'paymount/src/commands');

/** What imports what: each name, and the names that it imports. */
export type Arrows = ReadonlyMap<string, ReadonlySet<string>>;

/** CONTRIBUTING.md with pictures of what the packages, the areas of core and the slices of payments import. */
export function contributingPage(): string {
  const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const before = page.slice(0, page.indexOf(START) + START.length);
  const after = page.slice(page.indexOf(END));
  const pictures = [
    'The packages:',
    chart(packageArrows()),
    'The areas of `core`, each entered through its own `index.ts`:',
    chart(areaArrows()),
    'The slices of `core/src/payments`, in tiers that import only downwards:',
    chart(sliceArrows(), readTables().PAYMENT_TIERS),
  ];
  return `${before}\n${pictures.join('\n\n')}\n${after}`;
}

/** Which package imports which, from the import statements of their sources. */
export function packageArrows(): Arrows {
  const names = new Map(
    readdirSync(PACKAGES).map((folder) => {
      const manifest = readFileSync(join(PACKAGES, folder, 'package.json'), 'utf8');
      const { name }: { name: string } = JSON.parse(manifest);
      return [name, folder];
    }),
  );
  return listArrows([...names.values()], (folder) =>
    importsBelow(join(PACKAGES, folder, 'src'), COMMANDS).flatMap(({ specifier }) => {
      const [scope = '', name = ''] = specifier.split('/');
      return names.get(scope.startsWith('@') ? `${scope}/${name}` : scope) ?? [];
    }),
  );
}

/** Which area of core imports which. */
export function areaArrows(): Arrows {
  return folderArrows(CORE, (folder) => existsSync(join(CORE, folder, 'index.ts')));
}

/** Which slice of payments imports which. */
export function sliceArrows(): Arrows {
  return folderArrows(PAYMENTS, (name) => !name.endsWith('.ts'));
}

/** Which folder of a folder imports which. */
function folderArrows(parent: string, isNamed: (name: string) => boolean): Arrows {
  const names = readdirSync(parent).filter(isNamed);
  return listArrows(names, (folder) =>
    importsBelow(join(parent, folder)).flatMap(({ file, specifier }) => {
      if (!specifier.startsWith('.')) return [];
      const [first = ''] = relative(parent, resolve(dirname(file), specifier)).split('/');
      return names.includes(first) ? [first] : [];
    }),
  );
}

function listArrows(names: readonly string[], importsOf: (name: string) => string[]): Arrows {
  return new Map(
    [...names].sort().map((name) => {
      const others = importsOf(name).filter((other) => other !== name);
      return [name, new Set(others.sort())];
    }),
  );
}

function importsBelow(folder: string, except?: string): { file: string; specifier: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => file.endsWith('.ts') && !(except && file.startsWith(except)))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(SPECIFIER)].map(([, from, dynamic]) => ({
        file,
        specifier: from ?? dynamic ?? '',
      })),
    );
}

/**
 * A Mermaid flowchart without the arrows that follow from others.
 * @param tiers the lowest first; the names of each are drawn in a box. @defaultValue no boxes
 */
function chart(arrows: Arrows, tiers: Readonly<Record<string, object>> = {}): string {
  const boxes = Object.entries(tiers).flatMap(([tier, members]) => {
    const names = Object.keys(members).filter((name) => arrows.has(name));
    if (names.length === 0) return [];
    return [`  subgraph tier-${tier}[${tier}]`, ...names.map((name) => `    ${name}`), '  end'];
  });
  const lines = [...arrows].flatMap(([from, others]) => {
    const direct = [...others].filter(
      (to) => ![...others].some((between) => between !== to && reaches(arrows, between, to)),
    );
    const alone = boxes.length === 0 ? [`  ${from}`] : [];
    return direct.length === 0 ? alone : direct.map((to) => `  ${from} --> ${to}`);
  });
  return ['```mermaid', 'flowchart TD', ...boxes, ...lines, '```'].join('\n');
}

/** Whether `from` imports `to`, by way of others perhaps. */
export function reaches(arrows: Arrows, from: string, to: string): boolean {
  const seen = new Set<string>();
  const waiting = [from];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    for (const next of arrows.get(name) ?? []) {
      if (next === to) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      waiting.push(next);
    }
  }
  return false;
}
