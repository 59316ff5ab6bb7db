import type { Kind } from './access-changes.ts';
import type { Ended } from './end-all.ts';
import type { Fault } from './faults.ts';
import type { Answer } from './request-loop.ts';

/** Nothing may be accepted later than this after a commit. */
export const BOUND_MS = 500;
/** From the end of a fault until every server accepts a good key again, on a busy machine too. */
const RECOVERY_MS = 30_000;

/** One revocation, over all servers. */
export interface Sample {
  readonly kind: Kind;
  /** The last decision to accept it, after the commit was acknowledged; below 0: before. */
  readonly lastAcceptMs: number;
}

/** What a group showed. */
export interface GroupResult {
  readonly samples: readonly Sample[];
  /** From a decision to accept to its answer: the longest. */
  readonly turnMs: number;
  /** From the end of the fault until every server accepted a good key again. */
  readonly recoveryMs: number;
  /** Sentences about what must not be; empty is good. */
  readonly violations: readonly string[];
}

/** What was seen of a group. */
export interface GroupRecord {
  readonly fault: Fault;
  readonly ended: readonly Ended[];
  readonly answers: readonly Answer[];
  readonly mendedMs: number;
  readonly recoveredMs: number;
}

/** Compares every decision with the commits. */
export function checkGroup(record: GroupRecord): GroupResult {
  const { fault, ended, answers, mendedMs, recoveredMs } = record;
  const accepted = answers.filter(({ said }) => said === 'accepted');
  const lastAccepts = new Map<string, Answer>();
  for (const answer of accepted) {
    const last = lastAccepts.get(answer.key);
    if (last === undefined || last.decidedMs < answer.decidedMs)
      lastAccepts.set(answer.key, answer);
  }
  const samples: Sample[] = [];
  const violations: string[] = [];
  for (const { kind, secret, endedMs } of ended) {
    const last = lastAccepts.get(secret);
    // A key that was in no cache may never have been accepted.
    if (last === undefined) continue;
    const lastAcceptMs = last.decidedMs - endedMs;
    samples.push({ kind, lastAcceptMs });
    if (lastAcceptMs <= BOUND_MS) continue;
    violations.push(
      `${fault.name}: server ${last.server} accepted a key ${Math.round(lastAcceptMs)} ms after "${kind}" had been committed.`,
    );
  }
  const recoveryMs = recoveredMs - mendedMs;
  if (recoveryMs > RECOVERY_MS) {
    violations.push(`${fault.name}: it took ${Math.round(recoveryMs)} ms to recover.`);
  }
  return {
    samples,
    turnMs: Math.max(0, ...accepted.map(({ answeredMs, decidedMs }) => answeredMs - decidedMs)),
    recoveryMs,
    violations: [...violations, ...whileSevered(record)],
  };
}

/** Without a database nobody can be proved good: 503, whoever asks. */
function whileSevered({ fault, ended, answers, mendedMs }: GroupRecord): readonly string[] {
  if (!fault.severs) return [];
  const lapsedMs = BOUND_MS + Math.max(...ended.map(({ endedMs }) => endedMs));
  const answered = answers.filter(
    ({ said, decidedMs }) => said !== 'unavailable' && decidedMs > lapsedMs && decidedMs < mendedMs,
  );
  const [one] = answered;
  if (one === undefined) return [];
  return [`${fault.name}: ${answered.length} requests were ${one.said} without a database.`];
}
