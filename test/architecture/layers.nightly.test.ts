import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  type Files,
  output,
  type PlantedTree,
  plantTree,
  ROOT,
  readRules,
  readTables,
} from '../support/planted-tree.ts';

const PACKAGES = [
  'core',
  'receiver',
  'auth',
  'http',
  'oauth',
  'management',
  'documents',
  'dashboard',
  'webhooks',
  'storage-postgres',
  'processor-sandbox',
  'testing',
  'paymount',
  'cli',
];
const LIBRARIES = [
  'zod',
  'temporal-polyfill',
  'jose',
  'rate-limiter-flexible',
  'ipaddr.js',
  'express',
  'qs',
  '@fastify/busboy',
  'zod-openapi',
  'bullmq',
  'undici',
  'knex',
  'pg',
  'nodemailer',
  'pino',
  'prom-client',
  '@opentelemetry/api',
  '@electric-sql/pglite',
  'pdfkit',
  'commander',
  'tsyringe',
  'reflect-metadata',
  'ioredis',
];
/** Each area of core, and an area that it may not import. */
const FORBIDDEN_AREA: Files = {
  kernel: 'changes',
  changes: 'payments',
  ledger: 'payments',
  payments: 'events',
  events: 'access',
  oauth: 'payments',
  expunging: 'events',
  billing: 'events',
  access: 'payments',
  store: 'triggers',
  'stripe-form': 'store',
  triggers: 'access',
};
const AREAS = Object.keys(FORBIDDEN_AREA);

/** Each slice that a table names, its area, and one that it may not import. */
const FORBIDDEN_SLICE: Readonly<Record<string, readonly [area: string, other: string]>> = {
  contacts: ['payments', 'customers'],
  'test-clocks': ['payments', 'customers'],
  processor: ['payments', 'payment-methods'],
  'payment-methods': ['payments', 'bank-accounts'],
  'bank-accounts': ['payments', 'operations'],
  customers: ['payments', 'bank-accounts'],
  operations: ['payments', 'charges'],
  adjustments: ['payments', 'charges'],
  files: ['payments', 'disputes'],
  charges: ['payments', 'disputes'],
  disputes: ['payments', 'refunds'],
  refunds: ['payments', 'notices'],
  payouts: ['payments', 'charges'],
  settlements: ['payments', 'payouts'],
  'billing-settings': ['billing', 'prices'],
  prices: ['billing', 'balance'],
  balance: ['billing', 'invoices'],
  'customer-texts': ['billing', 'customer-mails'],
  'customer-mails': ['billing', 'invoices'],
  reminders: ['billing', 'prices'],
  invoices: ['billing', 'subscriptions'],
  subscriptions: ['billing', 'others'],
  notices: ['payments', 'wiring'],
  wiring: ['payments', 'others'],
  deliveries: ['events', 'replays'],
  replays: ['events', 'feed'],
  accounts: ['access', 'keys'],
  grants: ['oauth', 'tokens'],
  interactions: ['oauth', 'others'],
  tokens: ['oauth', 'others'],
  keys: ['access', 'leaks'],
  leaks: ['access', 'platforms'],
};
/** Areas whose folders are slices: one that is named nowhere may import no other. */
const SLICED_AREAS = ['changes', 'payments', 'billing', 'events', 'access', 'oauth'];
/** Slices that others may not import, and that may import none. */
const PLAIN_SLICES: readonly (readonly [area: string, slice: string])[] = [
  ...SLICED_AREAS.map((area) => [area, 'others'] as const),
  ['events', 'feed'],
  ['access', 'platforms'],
];

/** Each folder of a package that has rules for them, and what it may not import there. */
const FORBIDDEN_FOLDER: Readonly<Record<string, Files>> = {
  paymount: {
    adapters: '../options/lawful.ts',
    options: '../parts/container.ts',
    parts: '../index.ts',
    host: '../mount/lawful.ts',
    mount: '../adapters/redis.ts',
    testing: '../parts/container.ts',
  },
  'storage-postgres': {
    connection: '../transaction/open.ts',
    transaction: '../host-transaction/open.ts',
    'host-transaction': '../schema/open.ts',
    schema: '../host-transaction/open.ts',
    verification: '../charges/open.ts',
  },
  webhooks: {
    egress: '../attempts/open.ts',
    lanes: '../claims/open.ts',
    retries: '../claims/open.ts',
    attempts: '../claims/open.ts',
    claims: '../retries/open.ts',
  },
  testing: {
    run: '../storage/open.ts',
    processor: '../storage/open.ts',
    storage: '../processor/open.ts',
  },
};
/** The names of the rules: the package, and the folder. */
const FOLDERS: Readonly<Record<string, readonly [name: string, folder: string, other: string]>> =
  Object.fromEntries(
    Object.entries(FORBIDDEN_FOLDER).flatMap(([name, inPackage]) =>
      Object.entries(inPackage).map(([folder, other]) => [
        `${name}-${folder}`,
        [name, folder, other] as const,
      ]),
    ),
  );

/** For each package, one that it may not import. */
const FORBIDDEN_LAYER: Files = {
  core: 'auth',
  receiver: 'core',
  auth: 'webhooks',
  http: 'webhooks',
  oauth: 'storage-postgres',
  management: 'storage-postgres',
  documents: 'auth',
  dashboard: 'webhooks',
  webhooks: 'auth',
  'storage-postgres': 'auth',
  'processor-sandbox': 'receiver',
  testing: 'storage-postgres',
  paymount: 'cli',
  cli: 'core',
};

/** For each package, one that its planted package.json lacks. */
const UNDECLARED: Files = { ...FORBIDDEN_LAYER, paymount: 'auth', cli: 'auth' };

const use = (specifier: string): string => `import { here } from '${specifier}';\nvoid here;\n`;

/** Rule name -> the planted file that breaks it -> its text. */
const PLANTED: Readonly<Record<string, Files>> = {
  'no-cycles': {
    'packages/core/src/kernel/basics/cycle-a.ts': `${use('./cycle-b.ts')}export const a = 1;\n`,
    'packages/core/src/kernel/basics/cycle-b.ts': `import { a } from './cycle-a.ts';\nexport const here = a;\n`,
  },
  'no-unresolved': { 'packages/core/src/kernel/basics/unresolved.ts': use('./nowhere.ts') },
  'no-undeclared': { 'packages/core/src/kernel/basics/undeclared.ts': use('undeclared-library') },
  'front-door': {
    'packages/http/src/side-door.ts': use('../../core/src/payments/charges/charge.ts'),
  },
  'one-container': {
    'packages/paymount/src/metadata.ts': use('reflect-metadata'),
    'packages/paymount/src/second-container.ts': use('tsyringe'),
  },
  'one-redis': { 'packages/paymount/src/second-redis.ts': use('ioredis') },
  'one-storage': { 'packages/paymount/src/parts/core-parts.ts': use('@paymount/storage-postgres') },
  'pure-rules': {
    'packages/core/src/payments/refunds/refund.ts': use('./refund-service.ts'),
    'packages/core/src/events/deliveries/delivery.ts': use('./delivery-service.ts'),
    'packages/core/src/changes/audit/audit.ts': use('./audit-repository.ts'),
  },
  'pure-rules-built-ins': {
    'packages/core/src/payments/refunds/refund-states.ts':
      "import { readFileSync } from 'node:fs';\nvoid readFileSync;\n",
  },
  'host-face': { 'example-host/src/behind.ts': use('@paymount/core/kernel') },
  'shared-in-support': { 'test/http/borrowed.test.ts': use('../unit/core/lawful.ts') },
  'no-tests-in-source': {
    'packages/core/src/kernel/basics/testing.ts': use('../../../../../test/support/clock.ts'),
  },
  'no-development-in-source': { 'packages/core/src/kernel/basics/development.ts': use('chai') },
  ...planted('layers', PACKAGES, (name) => [
    `packages/${name}/src/wrong-layer.ts`,
    toSpecifier(FORBIDDEN_LAYER[name]),
  ]),
  ...planted('no-undeclared', PACKAGES, (name) => [
    `packages/${name}/src/undeclared-sibling.ts`,
    toSpecifier(UNDECLARED[name]),
  ]),
  ...planted(
    'technology',
    LIBRARIES.filter(
      (name) => !['tsyringe', 'reflect-metadata', 'ioredis', 'commander'].includes(name),
    ),
    (name) => [`packages/receiver/src/technology-${name.replaceAll(/\W/g, '-')}.ts`, name],
  ),
  'technology-commander': {
    'packages/paymount/src/commands/second-program.ts': use('commander'),
  },
  ...planted('folders', Object.keys(FOLDERS), (key) => {
    const [name, folder, other = ''] = FOLDERS[key] ?? [];
    return [`packages/${name}/src/${folder}/wrong-folder.ts`, other];
  }),
  ...planted('areas', AREAS, (area) => [
    `packages/core/src/${area}/wrong-area.ts`,
    `../${FORBIDDEN_AREA[area]}/open.ts`,
  ]),
  ...planted('slices', Object.keys(FORBIDDEN_SLICE), (slice) => {
    const [area, other] = FORBIDDEN_SLICE[slice] ?? [];
    return [`packages/core/src/${area}/${slice}/wrong-slice.ts`, `../${other}/open.ts`];
  }),
  ...planted('slices-of', SLICED_AREAS, (area) => [
    `packages/core/src/${area}/things/wrong-slice.ts`,
    '../others/open.ts',
  ]),
};

/** Core is entered by its areas. */
function toSpecifier(name: string | undefined): string {
  return name === 'core' ? '@paymount/core/kernel' : `@paymount/${name}`;
}

function planted(
  prefix: string,
  names: readonly string[],
  plant: (name: string) => [file: string, specifier: string],
): Record<string, Files> {
  return Object.fromEntries(
    names.map((name) => {
      const [file, specifier] = plant(name);
      return [`${prefix}-${name}`, { [file]: use(specifier) }];
    }),
  );
}

/** The shape of the workspace, and imports that every rule allows. */
function lawfulFiles(): Files {
  const here = 'export const here = 1;\n';
  const files: Record<string, string> = {
    'package.json': JSON.stringify({ name: 'planted' }),
    'packages/core/src/payments/charges/charge.ts': here,
    'packages/core/src/payments/refunds/refund-service.ts': use('../charges/charge.ts') + here,
    'packages/core/src/events/deliveries/delivery-service.ts': here,
    'packages/core/src/changes/audit/audit-repository.ts': here,
    'packages/http/src/lawful.ts': use('@paymount/core/kernel'),
    'packages/webhooks/src/lawful.ts': use('bullmq'),
    'packages/storage-postgres/src/charges/open.ts': use('../transaction/open.ts') + here,
    'packages/paymount/src/parts/container.ts': use('tsyringe'),
    'packages/paymount/src/options/lawful.ts': here,
    'packages/paymount/src/mount/lawful.ts': use('../options/lawful.ts') + here,
    // The one command carries the merchants' ones.
    'packages/paymount/src/commands/lawful.ts': use('@paymount/cli'),
    'packages/paymount/src/adapters/redis.ts': use('ioredis'),
    'example-host/package.json': JSON.stringify({ dependencies: { paymount: '1.0.0' } }),
    'example-host/src/lawful.ts': use('paymount'),
    'test/support/clock.ts': here,
    'test/unit/core/lawful.ts': use('../../../packages/core/src/payments/charges/charge.ts'),
    'node_modules/undeclared-library/index.js': here,
  };
  for (const area of AREAS) {
    files[`packages/core/src/${area}/open.ts`] = here;
    files[`packages/core/src/${area}/index.ts`] = here;
  }
  for (const [slice, [area]] of Object.entries(FORBIDDEN_SLICE)) {
    files[`packages/core/src/${area}/${slice}/open.ts`] = here;
  }
  for (const [name, folder] of Object.values(FOLDERS)) {
    files[`packages/${name}/src/${folder}/open.ts`] = here;
  }
  for (const [area, slice] of PLAIN_SLICES) {
    files[`packages/core/src/${area}/${slice}/open.ts`] = here;
  }
  for (const name of PACKAGES) {
    files[`packages/${name}/src/index.ts`] = here;
    files[`packages/${name}/package.json`] = readManifest(name);
  }
  for (const name of [...LIBRARIES, 'chai', 'undeclared-library']) {
    files[`node_modules/${name}/package.json`] = JSON.stringify({ name, exports: './index.js' });
    files[`node_modules/${name}/index.js`] = here;
  }
  return files;
}

function readManifest(name: string): string {
  const siblings = name === 'core' || name === 'receiver' ? [] : ['@paymount/core'];
  if (name === 'paymount') siblings.push('@paymount/cli');
  return JSON.stringify({
    name: name === 'paymount' ? 'paymount' : `@paymount/${name}`,
    type: 'module',
    exports: {
      [name === 'core' ? './*' : '.']: {
        '@paymount/source': name === 'core' ? './src/*/index.ts' : './src/index.ts',
      },
    },
    dependencies: Object.fromEntries([...LIBRARIES, ...siblings].map((other) => [other, '1.0.0'])),
    devDependencies: { chai: '1.0.0' },
  });
}

function siblingLinks(): Files {
  const links: Record<string, string> = { 'node_modules/paymount': 'packages/paymount' };
  for (const name of PACKAGES) links[`node_modules/@paymount/${name}`] = `packages/${name}`;
  return links;
}

interface Violation {
  readonly rule: { readonly name: string };
  readonly from: string;
  readonly to: string;
}

function violationsIn(report: string): Violation[] {
  return JSON.parse(report).summary.violations;
}

const CRUISE = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json'] as const;

describe('the layers', () => {
  let tree: PlantedTree;
  let violations: Violation[];

  before(async function () {
    this.timeout(180_000);
    const plants = Object.assign({}, ...Object.values(PLANTED));
    const configurations = [
      '.dependency-cruiser.cjs',
      '.dependency-cruiser.tables.cjs',
      'tsconfig.base.json',
    ];
    tree = await plantTree({ ...lawfulFiles(), ...plants }, configurations, siblingLinks());
    violations = violationsIn(
      await tree.run('depcruise', 'packages', 'example-host', 'test', ...CRUISE),
    );
  });

  after(() => tree.remove());

  for (const { name } of readRules()) {
    it(`catch a planted violation of ${name}`, () => {
      const files = Object.keys(PLANTED[name] ?? {});
      expect(files, 'plant a violation of this rule in PLANTED').not.to.deep.equal([]);
      const caught = violations.filter(({ rule }) => rule.name === name).map(({ from }) => from);
      expect(caught).to.include.members(name === 'no-cycles' ? files.slice(0, 1) : files);
    });
  }

  it('report nothing in a file that keeps to them', () => {
    const plants = new Set(Object.values(PLANTED).flatMap((files) => Object.keys(files)));
    expect(violations.filter(({ from }) => !plants.has(from))).to.deep.equal([]);
  });

  it('hold in this repository', async function () {
    this.timeout(180_000);
    const found = violationsIn(
      await output(
        `${ROOT}/node_modules/.bin/depcruise`,
        ['packages', 'example-host', 'test', ...CRUISE],
        ROOT,
      ),
    );
    expect(found.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)).to.deep.equal([]);
  });
});

describe('the tables of slices', () => {
  const { AREAS, PAYMENT_TIERS, slicesOf } = readTables();

  it('list no two slices that may import each other', () => {
    const mutual = Object.values(AREAS).flatMap(({ slices = {} }) =>
      Object.entries(slices).flatMap(([slice, may]) =>
        may.filter((other) => slices[other]?.includes(slice)).map((other) => [slice, other]),
      ),
    );
    expect(mutual).to.deep.equal([]);
  });

  it('let no slice of payments import one of a higher tier', () => {
    const tiers = Object.values(PAYMENT_TIERS).map((tier) => Object.keys(tier));
    expect(tiers).to.have.length.above(3);
    const tierOf = (slice: string): number => tiers.findIndex((tier) => tier.includes(slice));
    const climbing = Object.entries(AREAS['payments']?.slices ?? {}).flatMap(([slice, may]) =>
      may.filter((other) => tierOf(other) > tierOf(slice)).map((other) => [slice, other]),
    );
    expect(climbing).to.deep.equal([]);
  });

  it('refuse a slice that climbs, and two that name each other', () => {
    expect(() => slicesOf({ lower: { a: ['b'] }, upper: { b: [] } })).to.throw('a lists b');
    expect(() => slicesOf({ only: { a: ['b'], b: ['a'] } })).to.throw('a lists b');
    expect(slicesOf({ lower: { a: [] }, upper: { b: [], c: ['b'] } })).to.deep.equal({
      a: [],
      b: ['a'],
      c: ['a', 'b'],
    });
  });

  it('place every slice of payments in a tier, and leave no file beside index.ts', () => {
    const placed = Object.values(PAYMENT_TIERS).flatMap((tier) => Object.keys(tier));
    expect(new Set(placed).size).to.equal(placed.length);
    const found = readdirSync(join(ROOT, 'packages/core/src/payments'));
    expect(found.filter((name) => !placed.includes(name))).to.deep.equal(['index.ts']);
  });
});
