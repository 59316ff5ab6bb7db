import { setTimeout as wait } from 'node:timers/promises';
import { endBackends } from '../money/faults.ts';
import type { Fleet } from '../money/fleet.ts';
import type { SeededRandom } from '../money/seeded-random.ts';
import type { RestartablePostgres } from '../restartable-postgres.ts';
import type { Tally } from '../scenario.ts';
import type { Buyers } from './buyers.ts';
import type { CommitCutter } from './commit-cutter.ts';
import type { RestartableRedis } from './restartable-redis.ts';

/** What goes wrong once. */
export type Fault =
  | { readonly kind: 'worker killed'; readonly number: number }
  | { readonly kind: 'worker frozen'; readonly number: number; readonly ms: number }
  | { readonly kind: 'database restarted' }
  /** Bursts of backends that are told to end, so that some are hit while they connect. */
  | { readonly kind: 'backends ended'; readonly bursts: number; readonly share: number }
  | { readonly kind: 'connections cut in COMMIT'; readonly count: number }
  | { readonly kind: 'Redis wiped' }
  /** Killed, and gone for a while. */
  | { readonly kind: 'Redis killed' | 'Redis frozen'; readonly ms: number };

/** What faults are done to. */
export interface Exposed {
  readonly fleet: Fleet;
  readonly postgres: RestartablePostgres;
  readonly cutter: CommitCutter;
  /** Absent: the run goes without it. */
  readonly redis: RestartableRedis | undefined;
  readonly buyers: Buyers;
  readonly random: SeededRandom;
  readonly tally: Tally;
}

const FREEZE_MS = [500, 4_000] as const;
const DOWN_MS = [200, 1_500] as const;
const BURST_EVERY_MS = 60;

/**
 * Each kind of fault once in every round, in an order that follows from the seed.
 * @param hasRedis false leaves out those of Redis
 */
export function planFaults(
  random: SeededRandom,
  rounds: number,
  hasRedis: boolean,
): readonly Fault[] {
  return Array.from({ length: rounds }, () =>
    random.shuffle<Fault>([
      { kind: 'worker killed', number: random.between(0, 99) },
      { kind: 'worker frozen', number: random.between(0, 99), ms: random.between(...FREEZE_MS) },
      { kind: 'database restarted' },
      { kind: 'backends ended', bursts: random.between(2, 8), share: 0.1 + random.next() / 2 },
      { kind: 'connections cut in COMMIT', count: random.between(2, 8) },
      ...(hasRedis ? planRedisFaults(random) : []),
    ]),
  ).flat();
}

function planRedisFaults(random: SeededRandom): readonly Fault[] {
  return [
    { kind: 'Redis wiped' },
    { kind: 'Redis killed', ms: random.between(...DOWN_MS) },
    { kind: 'Redis frozen', ms: random.between(...FREEZE_MS) },
  ];
}

/**
 * Lets the faults begin one after the other, evenly over the charges. When it returns the last one
 * is over, and every process runs.
 * @param events how many charges are made in all
 */
export async function carryOut(
  plan: readonly Fault[],
  events: number,
  exposed: Exposed,
): Promise<void> {
  const thawing: Promise<void>[] = [];
  // Redis cannot be killed or wiped while it stands still.
  let redisAgain: Promise<void> = Promise.resolve();
  for (const [number, fault] of plan.entries()) {
    // While a fault lasts there is work, but not so much that none is left for the next one.
    exposed.buyers.allow(Math.ceil(((number + 1) * events) / plan.length));
    await exposed.buyers.reached(Math.floor((number * events) / plan.length));
    if (fault.kind === 'worker frozen') {
      const thawed = freezeWorker(fault, exposed);
      // It is awaited at the end.
      thawed.catch(() => undefined);
      thawing.push(thawed);
    } else if (fault.kind.startsWith('Redis')) {
      await redisAgain;
      redisAgain = happenToRedis(fault, exposed.redis);
    } else await happen(fault, exposed);
    exposed.tally.add('faults');
    exposed.tally.add(`fault: ${fault.kind}`);
  }
  await Promise.all([...thawing, redisAgain]);
  await exposed.fleet.booted();
}

async function freezeWorker(
  { number, ms }: Extract<Fault, { kind: 'worker frozen' }>,
  { fleet }: Exposed,
): Promise<void> {
  const thaw = await fleet.freeze('worker', number);
  await wait(ms);
  thaw();
}

async function happenToRedis(fault: Fault, redis: RestartableRedis | undefined): Promise<void> {
  if (redis === undefined) return;
  if (fault.kind === 'Redis wiped') return redis.wipe();
  if (fault.kind === 'Redis killed') {
    await redis.kill();
    await wait(fault.ms);
    return redis.startAgain();
  }
  if (fault.kind !== 'Redis frozen') return;
  redis.freeze();
  await wait(fault.ms);
  redis.thaw();
}

async function happen(fault: Fault, exposed: Exposed): Promise<void> {
  const { fleet, postgres, cutter, random, tally } = exposed;
  if (fault.kind === 'worker killed') return fleet.kill('worker', fault.number);
  if (fault.kind === 'database restarted') return postgres.restart();
  if (fault.kind === 'backends ended') {
    for (let burst = 0; burst < fault.bursts; burst += 1) {
      await endBackends({ databaseUrl: postgres.url, random, tally }, fault.share);
      await wait(BURST_EVERY_MS);
    }
  }
  if (fault.kind === 'connections cut in COMMIT') {
    tally.add('connections cut in COMMIT in all', await cutter.cut(fault.count));
  }
}
