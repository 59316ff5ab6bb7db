import { setTimeout as wait } from 'node:timers/promises';
import { endAccess, type Subject } from './access-changes.ts';
import type { Fault } from './faults.ts';
import type { Asker } from './request-loop.ts';
import { machineMs } from './server-messages.ts';
import type { Setup } from './setup.ts';

/** Between two revocations that are measured on their own. */
const SPACE_MS = 100;
const FOCUS_MS = 20;
/** A commit whose answer was lost is in force by then, or never. */
const SEEN_LIMIT_MS = 50;

/** A key that lost its access. */
export interface Ended extends Subject {
  /** When the commit was acknowledged; or, when its answer was lost, seen by a bystander. */
  readonly endedMs: number;
}

/** Takes access away from all, at once or one after the other, and tries again what failed. */
export async function endAll(
  setup: Setup,
  fault: Fault,
  { subjects, asker }: { readonly subjects: readonly Subject[]; readonly asker: Asker },
): Promise<readonly Ended[]> {
  const ended: Ended[] = [];
  if (fault.spaced) {
    for (const subject of subjects) {
      asker.focus = subject.secret;
      await wait(FOCUS_MS);
      ended.push({ ...subject, endedMs: await endOne(setup, subject) });
      await wait(SPACE_MS);
    }
    asker.focus = undefined;
    await fault.after?.(setup);
    return ended;
  }
  const tried = await Promise.allSettled(subjects.map((subject) => endOne(setup, subject)));
  await fault.after?.(setup);
  for (const [index, subject] of subjects.entries()) {
    const first = tried[index];
    const endedMs = first?.status === 'fulfilled' ? first.value : await endAgain(setup, subject);
    ended.push({ ...subject, endedMs });
  }
  return ended;
}

async function endOne(setup: Setup, subject: Subject): Promise<number> {
  try {
    await endAccess(setup.owner, subject);
    return machineMs();
  } catch (error) {
    const seenMs = await seen(setup, subject);
    if (seenMs === undefined) throw error;
    return seenMs;
  }
}

/** As anybody does whose request failed. */
async function endAgain(setup: Setup, subject: Subject): Promise<number> {
  await endAccess(setup.owner, subject);
  return machineMs();
}

/** @returns when a bystander saw that the change had been committed all the same */
async function seen({ sql }: Setup, { id, account }: Subject): Promise<number | undefined> {
  const deadlineMs = machineMs() + SEEN_LIMIT_MS;
  while (machineMs() < deadlineMs) {
    const [row] = await sql(
      `SELECT true AS ended WHERE
         EXISTS (SELECT FROM paymount.accounts WHERE id = $2 AND version > 1)
         OR EXISTS (SELECT FROM paymount.api_keys WHERE id = $1 AND version > 1)
         OR EXISTS (SELECT FROM paymount.platforms WHERE id = $1 AND version > 1)
         OR EXISTS (SELECT FROM paymount.grants WHERE id = $1 AND status = 'revoked')`,
      [id, account],
    );
    if (row?.['ended'] === true) return machineMs();
    await wait(1);
  }
  return undefined;
}
