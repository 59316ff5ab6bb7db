import { setTimeout as wait } from 'node:timers/promises';
import { KINDS, makeSubject, type Subject } from './access-changes.ts';
import { BOUND_MS, checkGroup, type GroupResult } from './check-group.ts';
import { type Ended, endAll } from './end-all.ts';
import type { Fault } from './faults.ts';
import { Asker } from './request-loop.ts';
import { machineMs } from './server-messages.ts';
import type { Setup } from './setup.ts';

/** How long the fault stays, and servers are watched, after the bound. */
const WATCH_MS = 100;
/** After the fault; what was taken away must stay so. */
const AFTERMATH_MS = 150;
const BUSY_MS = 30;
/** Until look-ups of cold keys have taken their snapshots, and are on their way back. */
const LOOK_UPS_UNDER_WAY_MS = 75;
const WARM_LIMIT_MS = 60_000;
const RECOVERY_LIMIT_MS = 60_000;
const POLL_MS = 5;

/**
 * Takes access away from a group of keys under one fault, while all servers are asked for them.
 * @param first of the kinds, which take turns
 */
export async function measureGroup(
  setup: Setup,
  fault: Fault,
  first: number,
): Promise<GroupResult> {
  const control = await makeSubject(setup.owner, 'revoke');
  const subjects: Subject[] = [];
  for (let made = 0; made < fault.group; made += 1) {
    subjects.push(await makeSubject(setup.owner, KINDS[(first + made) % KINDS.length] ?? 'revoke'));
  }
  const asker = new Asker(setup.servers, setup.askEveryMs);
  try {
    const secrets = subjects.map(({ secret }) => secret);
    const warm = fault.cold ? [control.secret] : [control.secret, ...secrets];
    asker.add(...warm);
    await untilAccepted(asker, warm, { servers: setup.servers.length, limitMs: WARM_LIMIT_MS });
    await wait(BUSY_MS);
    await fault.before?.(setup);
    if (fault.cold) {
      asker.add(...secrets);
      await wait(LOOK_UPS_UNDER_WAY_MS);
    }
    fault.during?.(setup);
    const ended = await endAll(setup, fault, { subjects, asker });
    await wait(latestEnd(ended) + BOUND_MS + WATCH_MS - machineMs());
    const mendedMs = machineMs();
    fault.mend?.(setup);
    const seen = { servers: setup.servers.length, limitMs: RECOVERY_LIMIT_MS, sinceMs: mendedMs };
    const recoveredMs = await untilAccepted(asker, [control.secret], seen);
    await wait(AFTERMATH_MS);
    await asker.stop();
    return checkGroup({ fault, ended, answers: asker.answers, mendedMs, recoveredMs });
  } finally {
    await asker.stop();
  }
}

function latestEnd(ended: readonly Ended[]): number {
  return Math.max(...ended.map(({ endedMs }) => endedMs));
}

/**
 * Waits until every server has accepted every one of the keys twice, so the second time from its
 * cache.
 * @returns when the last of them did
 */
async function untilAccepted(
  { answers }: Asker,
  keys: readonly string[],
  seen: { readonly servers: number; readonly limitMs: number; readonly sinceMs?: number },
): Promise<number> {
  const { servers, limitMs, sinceMs = 0 } = seen;
  const wanted = new Set(keys);
  const counts = new Map<string, number>();
  const deadlineMs = machineMs() + limitMs;
  let lastMs = 0;
  let read = 0;
  while (counts.size < servers * keys.length || [...counts.values()].some((count) => count < 2)) {
    for (const answer of answers.slice(read)) {
      read += 1;
      const { said, decidedMs, key, server } = answer;
      if (said !== 'accepted' || decidedMs < sinceMs || !wanted.has(key)) continue;
      const slot = `${server} ${key}`;
      const count = (counts.get(slot) ?? 0) + 1;
      counts.set(slot, count);
      if (count <= 2) lastMs = Math.max(lastMs, decidedMs);
    }
    if (machineMs() > deadlineMs) {
      throw new Error(`Not every server accepted a good key within ${limitMs} ms.`);
    }
    await wait(POLL_MS);
  }
  return lastMs;
}
