import { percentile } from '../../bench/statistics.ts';
import { makeSealingKeys } from '../../support/make.ts';
import { KINDS } from './access-changes.ts';
import { FAULTS, type Fault } from './faults.ts';
import type { GroupResult } from './judge-group.ts';
import { measureGroup } from './measure-group.ts';
import { type Accelerators, openStage, type StageOptions } from './stage.ts';

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

/** One of each kind. */
const QUICK_GROUP = KINDS.length;
const ALL: readonly Accelerators[] = ['all', 'none'];

/**
 * Runs the matrix of faults.
 * @param revocations at least so many; fewer than the whole matrix needs: its quick part only
 * @param onResult told of each fault as soon as its groups are done
 */
export async function measureRevocations(
  stage: Omit<StageOptions, 'accelerators' | 'sealingKeys'>,
  revocations: number,
  onResult: (result: FaultResult) => void,
): Promise<readonly FaultResult[]> {
  const { faults, rounds } = planOf(revocations);
  const results: FaultResult[] = [];
  const sealingKeys = makeSealingKeys();
  for (const accelerators of ALL) {
    const chosen = faults.filter((fault) => fault.accelerators === accelerators);
    if (chosen.length === 0) continue;
    const opened = await openStage({ ...stage, accelerators, sealingKeys });
    try {
      for (const fault of chosen) {
        const groups: GroupResult[] = [];
        for (let round = 0; round < rounds; round += 1) {
          groups.push(await measureGroup(opened, fault, round));
        }
        const result = resultOf(fault, groups);
        results.push(result);
        onResult(result);
      }
    } finally {
      await opened.close();
    }
  }
  return results;
}

function planOf(revocations: number): {
  readonly faults: readonly Fault[];
  readonly rounds: number;
} {
  const whole = FAULTS.reduce((sum, { group }) => sum + group, 0);
  if (revocations < whole) {
    const quick = FAULTS.filter((fault) => fault.quick);
    return { faults: quick.map((fault) => ({ ...fault, group: QUICK_GROUP })), rounds: 1 };
  }
  return { faults: FAULTS, rounds: Math.ceil(revocations / whole) };
}

function resultOf(fault: Fault, groups: readonly GroupResult[]): FaultResult {
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
