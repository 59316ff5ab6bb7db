import type { Dispatch } from '../deliveries/dispatch.ts';
import type { Clock } from '../shared/clock.ts';
import type { CrashPoint } from '../shared/crash-point.ts';
import type { DeliveryId, ReplayId } from '../shared/id.ts';
import type { Logger } from '../shared/logger.ts';
import {
  allowanceOf,
  MAX_UNFINISHED,
  MAX_UNFINISHED_PER_ENDPOINT,
  type Replay,
  shareOf,
} from './replay.ts';
import type { ReplayQueue, ReplaySteps, SendingTarget } from './replay-store.ts';

/** Replays that one round looks at; each costs some milliseconds. */
const MAX_REPLAYS = 1_000;
/** Events that one step of one replay looks at, whatever matches. */
const MAX_LOOKED = 20_000;
const WINDOW = 5_000;
/** The share of a target that is one of many. */
const MIN_WINDOW = 200;
/** What a look at no event costs, as if it were so many. */
const LOOK_COST = 100;

export interface AdvanceReplaysPorts {
  readonly replays: ReplayQueue;
  readonly dispatch: Pick<Dispatch, 'announce'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly crashPoint: CrashPoint;
  /** Once true, no further step is begun. */
  readonly isClosing: () => boolean;
}

interface Step {
  /** False while nothing can be done but wait for endpoints. */
  readonly isActive: boolean;
  /** Whether anything was written. */
  readonly isWritten: boolean;
  readonly made: readonly DeliveryId[];
}

const NOTHING: Step = { isActive: false, isWritten: false, made: [] };

/**
 * Does one step of each open replay that is due for one: counts what matches, makes deliveries, or
 * cancels those of a canceled one. A step is one transaction, cursors and deliveries together, so
 * that it can be killed anywhere and the next one goes on where the last one ended.
 * @returns whether any replay has more to do in `STEP_MS`
 */
export async function advanceReplays(ports: AdvanceReplaysPorts): Promise<boolean> {
  let isActive = false;
  for (const id of await ports.replays.open(MAX_REPLAYS)) {
    if (ports.isClosing()) return false;
    const step = await guarded(ports, id);
    if (step.isWritten) ports.crashPoint('replay.after_batch');
    if (step.made.length > 0) ports.dispatch.announce(step.made);
    isActive ||= step.isActive;
  }
  return isActive;
}

/** One replay that cannot be advanced holds up no other. */
async function guarded({ replays, clock, logger }: AdvanceReplaysPorts, id: ReplayId) {
  try {
    const now = clock.now();
    return (await replays.step(id, (rows, replay) => stepOf(rows, replay, now))) ?? NOTHING;
  } catch (error) {
    const err = error instanceof Error ? error : undefined;
    logger.warn({ replay: id, err }, 'A step of a replay failed; it is tried again.');
    return NOTHING;
  }
}

async function stepOf(rows: ReplaySteps, replay: Replay, now: Date): Promise<Step> {
  if (replay.status === 'canceled') return endCanceled(rows, replay);
  if (replay.status === 'running') return send(rows, replay, now);
  const counted = await count(rows, replay, now);
  await rows.save(counted);
  const step = { isActive: counted.isOpen, isWritten: true, made: [] };
  if (counted.status !== 'running') return step;
  return { ...(await send(rows, counted, now)), isWritten: true };
}

/** An attempt that was under way may have left its delivery waiting for another. */
async function endCanceled(rows: ReplaySteps, replay: Replay): Promise<Step> {
  if ((await rows.cancelWaiting()) > 0) return NOTHING;
  await rows.save({ ...replay, isOpen: false });
  return { ...NOTHING, isWritten: true };
}

async function count(rows: ReplaySteps, replay: Replay, now: Date): Promise<Replay> {
  let { matched } = replay;
  let left = MAX_LOOKED;
  for (let target of await rows.targets('counting')) {
    while (left > 0 && target.phase === 'counting') {
      const seen = await rows.count(target, WINDOW);
      matched += seen.matched;
      left -= seen.looked + LOOK_COST;
      target =
        seen.cursor === undefined
          ? { ...target, phase: replay.dryRun ? 'done' : 'sending', cursor: '' }
          : { ...target, cursor: seen.cursor };
    }
    await rows.saveTarget(target);
    if (target.phase === 'counting') return { ...replay, matched };
  }
  const isEmpty = (await rows.left()) === 0;
  return isEmpty
    ? completed({ ...replay, matched }, now)
    : { ...replay, matched, status: 'running' };
}

function completed(replay: Replay, now: Date): Replay {
  return { ...replay, status: 'completed', isOpen: false, finishedAt: now };
}

async function send(rows: ReplaySteps, replay: Replay, now: Date): Promise<Step> {
  const allowance = allowanceOf(replay, now);
  if (allowance === undefined) return { ...NOTHING, isActive: true };
  const { targets, unfinished } = await rows.sending();
  const looked = Math.max(MIN_WINDOW, Math.min(WINDOW, Math.floor(MAX_LOOKED / targets.length)));
  const made: DeliveryId[] = [];
  let left = Math.min(allowance.count, MAX_UNFINISHED - unfinished);
  let isWritten = false;
  for (const [index, target] of targets.entries()) {
    const limit = shareOf(left, targets.length - index, roomOf(target));
    const moved = await sendTo(rows, target, { limit, looked });
    made.push(...moved.made);
    left -= moved.made.length;
    isWritten ||= moved.isWritten;
  }
  if (!isWritten) return NOTHING;
  const isDone = (await rows.left()) === 0;
  const sent: Replay = {
    ...replay,
    createdCount: replay.createdCount + made.length,
    ...(made.length > 0 && { steppedAt: allowance.steppedAt }),
  };
  await rows.save(isDone ? completed(sent, now) : sent);
  return { isActive: !isDone, isWritten, made };
}

function roomOf({ status, unfinished }: SendingTarget): number {
  return status === 'enabled' ? MAX_UNFINISHED_PER_ENDPOINT - unfinished : 0;
}

/** A disabled endpoint waits to be enabled; of a deleted one nothing is left to do. */
async function sendTo(
  rows: ReplaySteps,
  { status, unfinished: _, ...target }: SendingTarget,
  bounds: { readonly limit: number; readonly looked: number },
): Promise<Pick<Step, 'isWritten' | 'made'>> {
  if (status === 'deleted') {
    await rows.saveTarget({ ...target, phase: 'done' });
    return { isWritten: true, made: [] };
  }
  if (bounds.limit === 0) return { isWritten: false, made: [] };
  const { made, cursor } = await rows.send(target, bounds);
  await rows.saveTarget(
    cursor === undefined ? { ...target, phase: 'done' } : { ...target, cursor },
  );
  return { isWritten: true, made };
}
