import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { CommitCutter } from '../deliveries/commit-cutter.ts';
import type { RestartablePostgres } from '../restartable-postgres.ts';
import type { Tally } from '../scenario.ts';
import type { Fleet, Role } from './fleet.ts';
import type { SeededRandom } from './seeded-random.ts';

/** What goes wrong once. */
export type Fault =
  | { readonly kind: 'killed' | 'ended'; readonly role: Role; readonly number: number }
  | { readonly kind: 'frozen'; readonly role: Role; readonly number: number; readonly ms: number }
  /** Connections that are cut just after a COMMIT went out: nobody learns that it was carried out. */
  | { readonly kind: 'commits cut'; readonly count: number }
  /** Bursts of backends that are told to end, so that some are hit while they connect. */
  | { readonly kind: 'backends ended'; readonly bursts: number; readonly share: number }
  | { readonly kind: 'database restarted' };

/** What faults are done to. */
export interface Exposed {
  readonly fleet: Fleet;
  readonly postgres: RestartablePostgres;
  readonly cutter: CommitCutter;
  readonly databaseUrl: string;
  readonly random: SeededRandom;
  readonly tally: Tally;
}

/** Others go wrong meanwhile; from 3 s on, clients and waits for locks end before it does. */
const FREEZE_MS = [500, 4_500] as const;
const PAUSE_MS = [200, 900] as const;
const BURST_EVERY_MS = 60;
const CONNECT_LIMIT_MS = 5_000;

/** Each kind of fault once in every round, in an order that follows from the seed. */
export function planFaults(random: SeededRandom, rounds: number): readonly Fault[] {
  return Array.from({ length: rounds }, (_, round) =>
    random.shuffle<Fault>([
      { kind: 'killed', role: 'api', number: random.between(0, 99) },
      { kind: 'killed', role: 'worker', number: random.between(0, 99) },
      ...(round > 0 ? [ended(random)] : []),
      frozen(random, 'api'),
      frozen(random, 'worker'),
      { kind: 'commits cut', count: random.between(2, 6) },
      { kind: 'backends ended', bursts: random.between(2, 8), share: 0.1 + random.next() / 2 },
      { kind: 'database restarted' },
    ]),
  ).flat();
}

/** Not in the first round, which is all that `npm test` has time for. */
function ended(random: SeededRandom): Fault {
  return { kind: 'ended', role: random.pick(['api', 'worker']), number: random.between(0, 99) };
}

function frozen(random: SeededRandom, role: Role): Fault {
  return { kind: 'frozen', role, number: random.between(0, 99), ms: random.between(...FREEZE_MS) };
}

/**
 * Lets the faults begin one after the other. When it returns the last one is over, and every
 * process runs.
 */
export async function carryOut(plan: readonly Fault[], exposed: Exposed): Promise<void> {
  const frozen: Promise<void>[] = [];
  for (const fault of plan) {
    await wait(exposed.random.between(...PAUSE_MS));
    if (fault.kind === 'frozen') frozen.push(freeze(fault, exposed));
    else await happen(fault, exposed);
    exposed.tally.add('role' in fault ? `${fault.role} ${fault.kind}` : fault.kind);
  }
  await Promise.all(frozen);
  await exposed.fleet.booted();
}

async function freeze(
  { role, number, ms }: Extract<Fault, { kind: 'frozen' }>,
  { fleet }: Exposed,
): Promise<void> {
  const thaw = await fleet.freeze(role, number);
  await wait(ms);
  thaw();
}

async function happen(fault: Exclude<Fault, { kind: 'frozen' }>, exposed: Exposed): Promise<void> {
  const { fleet, postgres, cutter, tally } = exposed;
  switch (fault.kind) {
    case 'killed':
      return fleet.kill(fault.role, fault.number);
    case 'ended':
      return fleet.end(fault.role, fault.number);
    case 'commits cut':
      tally.add('commits cut in all', await cutter.cut(fault.count));
      return;
    case 'backends ended':
      for (let burst = 0; burst < fault.bursts; burst += 1) {
        await endBackends(exposed, fault.share);
        await wait(BURST_EVERY_MS);
      }
      return;
    case 'database restarted':
      return postgres.restart();
  }
}

/** @param share how many of the backends are told to end */
export async function endBackends(
  { databaseUrl, random, tally }: Pick<Exposed, 'databaseUrl' | 'random' | 'tally'>,
  share: number,
): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY pid`,
    );
    const chosen = rows.map(({ pid }) => pid).filter(() => random.chance(share));
    await client.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS t (pid)', [
      chosen,
    ]);
    tally.add('backends ended in all', chosen.length);
  } finally {
    await client.end();
  }
}
