import type { Accelerators, Setup } from './setup.ts';

/** What goes wrong around a group of revocations. */
export interface Fault {
  readonly name: string;
  /** What the servers are told by; `none` leaves them nothing but the lease. */
  readonly accelerators: Accelerators;
  /** How many lose their access. */
  readonly group: number;
  /** One after the other, each watched on its own; else all at once. */
  readonly spaced?: true;
  /** Part of the small run in `npm test`. */
  readonly quick?: true;
  /** Their keys are not in any cache when it begins. */
  readonly cold?: true;
  /** No server reaches the database: none may accept anything once its lease has lapsed. */
  readonly severs?: true;
  /** Before the first revocation. */
  before?(setup: Setup): void | Promise<void>;
  /** At the moment of the first revocation. */
  during?(setup: Setup): void;
  /** Right after the last one was acknowledged. */
  after?(setup: Setup): Promise<void>;
  /** When the bound is over. */
  mend?(setup: Setup): void;
}

const HOUR_MS = 3_600_000;
const BLOCK_MS = 400;
const GROUP = 15;
/** A look-up takes its snapshot after this time, and is back after twice as much. */
const LOOK_UP_DELAY_MS = 60;
/**
 * More than any server lags behind. One that never saw the changes that went missing could not miss
 * them; where the revocations are lost with their changes, as in a failover, it need not.
 */
const LOST_CHANGES = 500;

const stepWall = (ms: number): Pick<Fault, 'during' | 'mend'> => ({
  during: ({ servers }) => {
    for (const server of servers) server.tell({ do: 'stepWall', ms });
  },
  mend: ({ servers }) => {
    for (const server of servers) server.tell({ do: 'stepWall', ms: -ms });
  },
});

const cutRedis = ({ redis }: Setup): void => redis?.cut();
const mendRedis = ({ redis }: Setup): void => redis?.mend();
const mendDatabase = ({ database }: Setup): void => database.mend();

/** The matrix of faults. */
export const FAULTS: readonly Fault[] = [
  { name: 'none', accelerators: 'all', group: 20, spaced: true, quick: true },
  { name: 'Redis down', accelerators: 'all', group: GROUP, before: cutRedis, mend: mendRedis },
  {
    name: 'LISTEN killed, Redis down',
    accelerators: 'all',
    group: GROUP,
    before: async (setup) => {
      cutRedis(setup);
      await setup.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'paymount-watch' AND datname = current_database()`,
      );
    },
    mend: mendRedis,
  },
  {
    name: 'NOTIFY dropped, Redis down',
    accelerators: 'all',
    group: GROUP,
    before: (setup) => {
      cutRedis(setup);
      setup.lost.notifications = true;
    },
    mend: (setup) => {
      mendRedis(setup);
      setup.lost.notifications = false;
    },
  },
  {
    name: 'database cut before',
    accelerators: 'all',
    group: GROUP,
    severs: true,
    before: ({ database }) => database.cut(),
    mend: mendDatabase,
  },
  {
    name: 'database silent before',
    accelerators: 'all',
    group: GROUP,
    quick: true,
    severs: true,
    before: ({ database }) => database.freeze(),
    mend: ({ database }) => database.mend({ keepFrozen: true }),
  },
  {
    name: 'database cut during the commit',
    accelerators: 'all',
    group: GROUP,
    quick: true,
    severs: true,
    before: ({ database, ownerDatabase }) => {
      ownerDatabase.onUpstream = (bytes) => {
        if (!bytes.includes('COMMIT\0')) return;
        database.cut();
        ownerDatabase.cut();
      };
    },
    after: async ({ ownerDatabase }) => {
      ownerDatabase.onUpstream = () => undefined;
      ownerDatabase.mend();
    },
    mend: mendDatabase,
  },
  {
    name: 'database 100 ms away',
    accelerators: 'all',
    group: GROUP,
    before: ({ database }) => {
      database.delayMs = 100;
    },
    mend: ({ database }) => {
      database.delayMs = 0;
    },
  },
  {
    name: 'event loop blocked 400 ms',
    accelerators: 'all',
    group: GROUP,
    during: ({ servers }) => {
      for (const server of servers) {
        setTimeout(() => server.tell({ do: 'block', ms: BLOCK_MS }), Math.random() * 60);
      }
    },
  },
  { name: 'wall clock + 1 h', accelerators: 'all', group: GROUP, ...stepWall(HOUR_MS) },
  { name: 'wall clock - 1 h', accelerators: 'all', group: GROUP, ...stepWall(-HOUR_MS) },
  {
    name: 'cold fill in progress',
    accelerators: 'all',
    // A process has two at a time; the news comes past them.
    group: 4,
    cold: true,
    before: ({ database }) => {
      database.delayMs = LOOK_UP_DELAY_MS;
      database.isSlow = (greeting) => !greeting.includes('paymount-watch');
    },
    mend: ({ database }) => {
      database.delayMs = 0;
      database.isSlow = () => true;
    },
  },
  { name: 'NOTIFY off, no Redis', accelerators: 'none', group: GROUP },
  {
    name: 'log purged',
    accelerators: 'none',
    group: GROUP,
    after: async ({ sql }) => {
      await sql(
        `DELETE FROM paymount.auth_change WHERE gen < (SELECT gen FROM paymount.auth_epoch)`,
      );
    },
  },
  {
    name: 'generation decreased',
    accelerators: 'none',
    group: GROUP,
    after: async ({ sql }) => {
      await sql(
        `WITH epoch AS (
           UPDATE paymount.auth_epoch SET gen = gen - ${LOST_CHANGES}, mark = gen_random_uuid()
           RETURNING gen, mark),
         lost AS (DELETE FROM paymount.auth_change USING epoch WHERE auth_change.gen > epoch.gen)
         INSERT INTO paymount.auth_change (gen, mark, subjects)
         SELECT gen, mark, '{}' FROM epoch
         ON CONFLICT (gen) DO UPDATE SET mark = excluded.mark`,
      );
    },
  },
  {
    name: 'history forked',
    accelerators: 'none',
    group: GROUP,
    after: async ({ sql }) => {
      await sql(
        `WITH others AS (
           UPDATE paymount.auth_change SET mark = gen_random_uuid(), subjects = '{}'
           RETURNING gen, mark)
         UPDATE paymount.auth_epoch SET mark = others.mark FROM others
         WHERE others.gen = auth_epoch.gen`,
      );
    },
  },
];
