/** One part of the nightly run: programs that each end with the closing line. */
export interface Part {
  readonly name: string;
  /** One sentence: what it tests. */
  readonly about: string;
  /** Below `test`, and its arguments. */
  readonly program: string;
  readonly args: readonly string[];
  /** How often it is run in a row. @defaultValue 1 */
  readonly times?: number;
  /** Passes the seed on: what is random follows from it. */
  readonly takesSeed?: true;
}

/** Every folder of tests is in one of these parts; `test/architecture/nightly.test.ts` checks that. */
export const FOLDERS = {
  api: [
    'auth',
    'bench',
    'cli',
    'clients',
    'docs',
    'faults',
    'http',
    'leaks',
    'management',
    'openapi',
    'operations',
    'security',
    'unit',
    'webhooks',
  ],
  pages: ['dashboard', 'oauth'],
  storage: ['conformance'],
  hosts: ['architecture', 'deployment', 'journeys', 'packages'],
} as const;

const suite = (name: keyof typeof FOLDERS, about: string, times?: number): Part => ({
  name,
  about,
  program: 'run.ts',
  args: FOLDERS[name].map((folder) => `test/${folder}`),
  ...(times !== undefined && { times }),
  takesSeed: true,
});

/** In the order in which they are run. */
export const PARTS: readonly Part[] = [
  suite('api', 'The API, its callers and workers: matrices of all routes and credentials, whole.'),
  suite('pages', 'Every page and journey in Chromium: light, dark and phone.'),
  suite('storage', 'The ports on each adapter, PGlite too, three times.', 3),
  suite('hosts', 'Hosts of every kind, the packages as npm would install them, the demo.'),
  {
    name: 'faults',
    about: 'Every fault run in its nightly size.',
    program: 'faults/run.ts',
    args: [],
    takesSeed: true,
  },
  {
    name: 'deep',
    about: 'Random sequences and races of money.',
    program: 'faults/deep/run.ts',
    args: [],
    takesSeed: true,
  },
  {
    name: 'clients',
    about: 'Clients that others made, in every language that this machine has.',
    program: 'clients/run.ts',
    args: [],
  },
  {
    name: 'scale',
    about: 'Large tables, dead endpoints and long replays.',
    program: 'scale/run.ts',
    args: [],
  },
  {
    name: 'bench',
    about: 'Every benchmark; one that misses its limit fails.',
    program: 'bench/run.ts',
    args: [],
  },
];
