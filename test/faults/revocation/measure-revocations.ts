import { makeSealingKeys } from '../../support/make.ts';
import { percentile } from '../../support/statistics.ts';
import { KINDS, makeSubject } from './access-changes.ts';
import type { GroupResult } from './check-group.ts';
import { FAULTS, type Fault } from './faults.ts';
import { measureGroup } from './measure-group.ts';
import { type Accelerators, openSetup, type Setup } from './setup.ts';

/** What all groups of one fault showed. */
export interface FaultResult {
  readonly fault: string;
  readonly revocations: number;
  /** Milliseconds from the acknowledged commit to the last decision to accept. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly turnMs: number;
  readonly recoveryMs: number;
  readonly violations: readonly string[];
}

/** The quick part runs where others share the machine. */
export const SELDOM_MS = 10;
const AT_ONCE = 4;
/** One of each kind. */
const QUICK_GROUP = KINDS.length;
const ALL: readonly Accelerators[] = ['all', 'none'];

/**
 * Runs the matrix of faults.
 * @param revocations at least so many; fewer than the whole matrix needs: its quick part only
 * @param onResult told of each fault as soon as its groups are done
 */
export async function measureRevocations(
  databaseUrl: string,
  revocations: number,
  onResult: (result: FaultResult) => void,
): Promise<readonly FaultResult[]> {
  const { faults, rounds, askEveryMs, warmUps } = buildPlan(revocations);
  const results: FaultResult[] = [];
  const sealingKeys = makeSealingKeys();
  for (const accelerators of ALL) {
    const chosen = faults.filter((fault) => fault.accelerators === accelerators);
    if (chosen.length === 0) continue;
    const setup = await openSetup({ databaseUrl, accelerators, sealingKeys, askEveryMs });
    try {
      await warmUp(setup, warmUps);
      for (const fault of chosen) {
        const groups: GroupResult[] = [];
        for (let round = 0; round < rounds; round += 1) {
          groups.push(await measureGroup(setup, fault, round));
        }
        const result = toResult(fault, groups);
        results.push(result);
        onResult(result);
      }
    } finally {
      await setup.close();
    }
  }
  return results;
}

interface Plan {
  readonly faults: readonly Fault[];
  readonly rounds: number;
  readonly askEveryMs: number;
  /** Requests to each server beforehand, until its code is compiled. */
  readonly warmUps: number;
}

function buildPlan(revocations: number): Plan {
  const whole = FAULTS.reduce((sum, { group }) => sum + group, 0);
  if (revocations >= whole) {
    return {
      faults: FAULTS,
      rounds: Math.ceil(revocations / whole),
      askEveryMs: 2,
      warmUps: 5_000,
    };
  }
  const quick = FAULTS.filter((fault) => fault.quick);
  const faults = quick.map((fault) => ({ ...fault, group: QUICK_GROUP }));
  return { faults, rounds: 1, askEveryMs: SELDOM_MS, warmUps: 0 };
}

async function warmUp({ owner, servers }: Setup, requests: number): Promise<void> {
  const { secret } = await makeSubject(owner, 'revoke');
  const warmed = servers.map(async (server) => {
    for (let asked = 0; asked < requests; asked += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, () => server.ask(secret)));
    }
  });
  await Promise.all(warmed);
}

function toResult(fault: Fault, groups: readonly GroupResult[]): FaultResult {
  const lastAccepts = groups.flatMap(({ samples }) => samples.map((sample) => sample.lastAcceptMs));
  return {
    fault: fault.name,
    revocations: groups.length * fault.group,
    p50Ms: percentile(lastAccepts, 0.5),
    p99Ms: percentile(lastAccepts, 0.99),
    maxMs: Math.max(...lastAccepts),
    turnMs: Math.max(...groups.map(({ turnMs }) => turnMs)),
    recoveryMs: Math.max(...groups.map(({ recoveryMs }) => recoveryMs)),
    violations: groups.flatMap(({ violations }) => violations),
  };
}
