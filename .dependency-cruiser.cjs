/**
 * Who may import what. The drawing is in CONTRIBUTING.md; `test/architecture` plants a violation
 * of every rule here and sees it caught.
 */
const { existsSync, readFileSync } = require('node:fs');
const {
  AREAS,
  FOLDERS,
  FREE_OF_LAYERS,
  LAYERS,
  TECHNOLOGY,
} = require('./.dependency-cruiser.tables.cjs');

/** The files by which a package is entered; `exports` of its package.json names the same ones. */
const ENTRIES = [
  '^packages/[^/]+/src/index\\.ts$',
  '^packages/(core/src/[^/]+|storage-postgres/src/pglite)/index\\.ts$',
  '^packages/receiver/src/internal\\.ts$',
  '^packages/paymount/src/(worker|receiver|processor|storage|testing)\\.ts$',
];

const any = (names) => `(${names.join('|')})`;
const escaped = (name) => name.replace(/[.\\/]/g, '\\$&');
const library = (name) => `(^|/)node_modules/(@types/)?${escaped(name)}/`;

function rule(name, comment, from, to) {
  return { name, comment, severity: 'error', from, to };
}

const layers = Object.entries(LAYERS).map(([name, may]) =>
  rule(
    `layers-${name}`,
    `${name} may import ${may.join(', ') || 'no other package'}.`,
    {
      path: `^packages/${name}/`,
      ...(name in FREE_OF_LAYERS && { pathNot: FREE_OF_LAYERS[name] }),
    },
    { path: '^packages/', pathNot: `^packages/${any([name, ...may])}/` },
  ),
);

/** npm links every sibling of a workspace, so an undeclared one resolves: compare by hand. */
const declared = Object.keys(LAYERS).flatMap((name) => {
  const file = `packages/${name}/package.json`;
  if (!existsSync(file)) return [];
  const { dependencies = {} } = JSON.parse(readFileSync(file, 'utf8'));
  const siblings = Object.keys(dependencies)
    .filter((dependency) => /^@?paymount\b/.test(dependency))
    .map((dependency) => dependency.replace(/^(@paymount\/|paymount-)/, ''));
  return rule(
    `no-undeclared-${name}`,
    `${file} lacks this package.`,
    { path: `^packages/${name}/` },
    { path: '^packages/', pathNot: `^packages/${any([name, ...siblings])}/` },
  );
});

const technology = Object.entries(TECHNOLOGY).map(([name, owners]) =>
  rule(
    `technology-${name}`,
    `Only ${owners.join(', ')} may touch ${name}.`,
    { path: '^packages/', pathNot: `^packages/${any(owners)}/` },
    { path: library(name) },
  ),
);

const areas = Object.entries(AREAS).map(([area, { may }]) =>
  rule(
    `areas-${area}`,
    `The area ${area} may import ${may.join(', ') || 'no other area'}.`,
    { path: `^packages/core/src/${area}/` },
    {
      path: '^packages/core/src/[^/]+/',
      pathNot: `^packages/core/src/${any([area, ...may])}/`,
    },
  ),
);

const sliced = Object.entries(AREAS).filter(([, { slices: inArea }]) => inArea !== undefined);

const slices = sliced.flatMap(([area, { slices: inArea }]) => {
  const folder = `^packages/core/src/${area}`;
  const named = Object.keys(inArea);
  return [
    ...Object.entries(inArea).map(([slice, may]) =>
      rule(
        `slices-${slice}`,
        `The slice ${slice} may import ${may.join(', ') || 'no other slice'} of ${area}.`,
        { path: `${folder}/${slice}/` },
        { path: `${folder}/[^/]+/`, pathNot: `${folder}/${any([slice, ...may])}/` },
      ),
    ),
    rule(
      `slices-of-${area}`,
      `A slice may import no other one of ${area} that AREAS does not name for it.`,
      {
        path: `${folder}/([^/]+)/`,
        ...(named.length > 0 && { pathNot: `${folder}/${any(named)}/` }),
      },
      { path: `${folder}/[^/]+/`, pathNot: `${folder}/$1/` },
    ),
  ];
});

const folders = Object.entries(FOLDERS).flatMap(([name, inPackage]) =>
  Object.entries(inPackage).map(([folder, may]) =>
    rule(
      `folders-${name}-${folder}`,
      `The folder ${folder} of ${name} may import ${may.join(', ') || 'no other folder'}.`,
      { path: `^packages/${name}/src/${folder}/` },
      {
        path: `^packages/${name}/src/`,
        pathNot: `^packages/${name}/src/${any([folder, ...may])}/`,
      },
    ),
  ),
);

/** `charges/charge.ts`, `deliveries/delivery.ts`: the rules of a slice, in the file of its noun. */
const NOUN = `${any(sliced.map(([area]) => area))}/(?<noun>[^/]+?)(s|ies)?/\\k<noun>y?`;
const PURE = `^packages/core/src/(${NOUN}|ledger/ledger|.*-states)\\.ts$`;

/** What one file of `paymount` alone may import. */
function alone(name, owner, comment, path) {
  const pathNot = `^(test/|packages/storage-postgres/|packages/paymount/src/${owner}\\.ts$)`;
  return rule(name, comment, { pathNot }, { path });
}

const owned = [
  alone('one-container', 'parts/container', 'Parts are put together in the composition root.', [
    ...['tsyringe', 'reflect-metadata'].map(library),
  ]),
  alone('one-redis', 'adapters/redis', 'Redis is dialed in one place.', library('ioredis')),
  alone('one-storage', '(testing/pglite|options/postgres)-storage', 'Storage is known as a port.', [
    '^packages/storage-postgres/',
  ]),
];

/** Programs of their own below `test`, and the engine of deliveries: other folders may use them. */
const PROGRAMS = [
  '^test/docs/',
  '^test/nightly/',
  '^test/faults/revocation/',
  '^test/webhooks/engine\\.ts$',
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    rule('no-cycles', 'Two files that need each other are one.', {}, { circular: true }),
    rule('no-unresolved', 'This does not resolve.', {}, { couldNotResolve: true }),
    rule(
      'no-undeclared',
      'The package.json of the importing package lacks this.',
      { path: '^(packages|example-host)/' },
      // An optional peer is named once more in `peerDependenciesMeta`, which is taken for no section.
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm-peer'] },
    ),
    ...declared,
    ...layers,
    rule(
      'front-door',
      'A package is entered through its entries, never through its inner files.',
      { path: '^(packages/[^/]+|example-host|test/http|test/journeys)/' },
      { path: '^packages/[^/]+/', pathNot: ['^$1/', ...ENTRIES] },
    ),
    ...technology,
    ...owned,
    ...folders,
    ...areas,
    ...slices,
    rule(
      'pure-rules',
      'Rules and state tables know neither services, nor storage, nor the machine.',
      { path: PURE },
      { path: '-(service|repository)\\.ts$' },
    ),
    rule(
      'pure-rules-built-ins',
      'Rules and state tables do no input or output.',
      { path: PURE },
      { dependencyTypes: ['core'] },
    ),
    rule(
      'host-face',
      'A host sees paymount and its subpaths, nothing behind them.',
      { path: '^(example-host|test/http|test/journeys)/' },
      { path: '^packages/', pathNot: '^packages/paymount/' },
    ),
    rule(
      'shared-in-support',
      'What two folders of tests use stands in test/support.',
      { path: '^test/([^/]+)/' },
      { path: '^test/', pathNot: ['^test/($1|support)/', ...PROGRAMS] },
    ),
    rule(
      'no-tests-in-source',
      'Published code does not reach into tests.',
      { path: '^packages/[^/]+/src/' },
      { path: '^test/' },
    ),
    rule(
      'no-development-in-source',
      'Published code does not use development dependencies.',
      { path: '^packages/[^/]+/src/' },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm-peer', 'npm', 'type-only'] },
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@paymount/source', 'node', 'import', 'default'],
    },
  },
};
