import type { Clock } from '../../kernel/basics/clock.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { DeliveryId, ReplayId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import type { Dispatch } from '../deliveries/dispatch.ts';
import {
  MAX_UNFINISHED,
  type OpenTarget,
  PAST_LAST,
  type Replay,
  replayAllowance,
  replayCapacity,
  replayShare,
} from './replay.ts';
import type {
  ChosenEvents,
  CreatedDelivery,
  ReplayQueue,
  ReplayStepRepository,
} from './replay-repository.ts';

/** The number of replays in one round. */
const MAX_REPLAYS = 1_000;
/**
 * A round that takes longer ends, and the next one continues with the replays that waited longest.
 */
const ROUND_MS = 1_000;
/**
 * An endpoint that accepted nothing for this time is slow or dead: one check per second is enough.
 */
const BUSY_MS = 2_000;
/**
 * Events that one step reads to count them; more if there is nothing else to do. A thousand take
 * some 20 ms, and other replays wait for their turn.
 */
const MAX_COUNTED = { dryRun: 10_000, sending: 2_500 } as const;
/** Events that one step reads to send them, whether they match or not. */
const MAX_PASSED = 5_000;
const WINDOW = 5_000;
/** The share of one of many targets. */
const MIN_WINDOW = 100;
/** The cost of a read without events, as a number of events. */
const LOOK_COST = 100;

export interface AdvanceReplaysPorts {
  readonly replays: ReplayQueue;
  readonly dispatch: Pick<Dispatch, 'announce'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly crashPoint: CrashPoint;
  /** Once it returns true, no further step is started. */
  readonly isClosing: () => boolean;
}

interface Step {
  /** False after a time in which it only waited for endpoints, or for attempts to end. */
  readonly isActive: boolean;
  readonly made: readonly DeliveryId[];
}

const NOTHING: Step = { isActive: false, made: [] };

/** The result of one half of a step. */
interface Half {
  readonly matched: number;
  /** The changed targets. */
  readonly moved: readonly OpenTarget[];
}

/**
 * Does one step of each open replay: counts matching events, makes deliveries, or cancels those of
 * a canceled replay. A step is one transaction with cursors and deliveries, so that it can be
 * killed anywhere and the next step continues where the last one ended.
 * @returns whether any replay has more to do in `STEP_MS`
 */
export async function advanceReplays(ports: AdvanceReplaysPorts): Promise<boolean> {
  const { clock, replays } = ports;
  const endMs = clock.monotonicMs() + ROUND_MS;
  let isActive = false;
  for (const id of await replays.open(MAX_REPLAYS)) {
    if (ports.isClosing()) return false;
    if (clock.monotonicMs() >= endMs) return true;
    const step = await guarded(ports, id);
    if (step.made.length > 0) {
      ports.crashPoint('replay.after_batch');
      ports.dispatch.announce(step.made);
    }
    isActive ||= step.isActive;
  }
  return isActive;
}

/** A replay that fails does not delay the others. */
async function guarded({ replays, clock, logger }: AdvanceReplaysPorts, id: ReplayId) {
  const now = clock.now();
  try {
    return (await replays.step(id, (rows, replay) => advance(rows, replay, now))) ?? NOTHING;
  } catch (error) {
    const err = isError(error) ? error : undefined;
    const failure = replays.whyNever(error);
    if (failure === undefined) {
      logger.warn({ replay: id, err }, 'A step of a replay failed; Paymount tries again.');
    } else {
      logger.error({ replay: id, err }, 'A replay failed.');
      await replays.fail(id, now, failure).catch(() => undefined);
    }
    // Also if it could not be ended, so that the others have their turns.
    await replays.postpone(id, now).catch(() => undefined);
    return NOTHING;
  }
}

async function advance(rows: ReplayStepRepository, replay: Replay, now: Date): Promise<Step> {
  if (replay.status === 'canceled') return endCanceled(rows, { ...replay, lookedAt: now });
  const { open, unfinished } = await rows.targets();
  const counted = await count(rows, open, replay);
  const targets = merged(open, counted.moved);
  const allowance = replayAllowance(replay, now);
  const left = Math.min(allowance?.count ?? 0, MAX_UNFINISHED - unfinished);
  const sent = await send(rows, targets, left);
  const made = sent.made.map(({ id }) => id);
  const ends = merged(targets, sent.moved);
  const skipped = await countSkipped(rows, replay, { before: open, after: ends });
  const isCounting = ends.some(({ countedTo }) => countedTo !== PAST_LAST);
  const isDone = !isCounting && ends.every(({ sentTo }) => sentTo === PAST_LAST);
  const after: Replay = {
    ...replay,
    status: isDone ? 'completed' : 'running',
    isOpen: !isDone,
    isCounting,
    lookedAt: now,
    matched: replay.matched + counted.matched + sent.matched,
    createdCount: replay.createdCount + made.length,
    skipped: replay.skipped + skipped,
    ...(isDone && { finishedAt: now }),
    ...(made.length > 0 && allowance && { steppedAt: allowance.steppedAt }),
  };
  const moved = ends.filter((target, index) => target !== open[index]);
  for (const target of moved) await rows.saveTarget(target);
  // A replay that only waits for capacity takes its turns, and writes that no more often than
  // necessary.
  if (moved.length > 0 || isDone || !isWithin(ROUND_MS, replay.lookedAt, now))
    await rows.save(after);
  const isBusy = moved.length > 0 || isWithin(BUSY_MS, after.steppedAt, now);
  return { isActive: isBusy && !isDone, made };
}

function isWithin(ms: number, moment: Date | undefined, now: Date): boolean {
  return moment !== undefined && Math.abs(now.getTime() - moment.getTime()) < ms;
}

function merged(
  targets: readonly OpenTarget[],
  moved: readonly OpenTarget[],
): readonly OpenTarget[] {
  const byEndpoint = new Map(moved.map((target) => [target.endpointId, target]));
  return targets.map((target) => byEndpoint.get(target.endpointId) ?? target);
}

/** A dry run passes events when it counts them, any other replay when it sends them. */
async function countSkipped(
  rows: ReplayStepRepository,
  { dryRun }: Replay,
  { before, after }: Readonly<Record<'before' | 'after', readonly OpenTarget[]>>,
): Promise<number> {
  const passed = dryRun ? 'countedTo' : 'sentTo';
  let skipped = 0;
  for (const [index, target] of after.entries()) {
    const from = before[index]?.[passed] ?? '';
    if (target.status === 'deleted' || target[passed] === from) continue;
    skipped += await rows.countExpunged(target, { after: from, to: target[passed] });
  }
  return skipped;
}

/** An attempt in progress may have left its delivery waiting for another attempt. */
async function endCanceled(rows: ReplayStepRepository, replay: Replay): Promise<Step> {
  const { left } = await rows.cancelWaiting();
  await rows.save({ ...replay, isOpen: left > 0 });
  return NOTHING;
}

async function count(
  rows: ReplayStepRepository,
  targets: readonly OpenTarget[],
  { dryRun }: Replay,
): Promise<Half> {
  const moved: OpenTarget[] = [];
  let matched = 0;
  let left: number = dryRun ? MAX_COUNTED.dryRun : MAX_COUNTED.sending;
  for (const target of targets) {
    let { countedTo } = target;
    while (left > 0 && countedTo !== PAST_LAST) {
      const seen = await rows.count({ ...target, countedTo }, Math.min(WINDOW, left));
      matched += seen.matched;
      left -= seen.looked + LOOK_COST;
      countedTo = seen.cursor;
    }
    if (countedTo !== target.countedTo) moved.push({ ...target, countedTo });
  }
  return { matched, moved };
}

/** For a disabled endpoint it waits; for a deleted one nothing is left to do. */
async function send(
  rows: ReplayStepRepository,
  targets: readonly OpenTarget[],
  allowed: number,
): Promise<Half & { readonly made: readonly CreatedDelivery[] }> {
  const deleted = targets.filter(({ status }) => status === 'deleted');
  const ended = deleted.map((each) => ({ ...each, countedTo: PAST_LAST, sentTo: PAST_LAST }));
  const sending = targets.filter((each) => each.sentTo !== PAST_LAST && each.status === 'enabled');
  const looked = Math.max(MIN_WINDOW, Math.min(WINDOW, Math.floor(MAX_PASSED / sending.length)));
  const chosen: ChosenEvents[] = [];
  let left = allowed;
  for (const [index, target] of sending.entries()) {
    const limit = replayShare(left, sending.length - index, replayCapacity(target));
    if (limit === 0) continue;
    const found = await rows.choose(target, { limit, looked });
    chosen.push(found);
    left -= found.events.length;
  }
  const made = await rows.make(chosen.filter(({ events }) => events.length > 0));
  const halves = sending.map((target) => afterSending(target, { chosen, made }));
  return {
    made,
    matched: halves.reduce((sum, { matched }) => sum + matched, 0),
    moved: [...ended, ...halves.flatMap(({ moved }) => moved)],
  };
}

/** Events that are sent before they are counted count by being sent. */
function afterSending(
  target: OpenTarget,
  all: { readonly chosen: readonly ChosenEvents[]; readonly made: readonly CreatedDelivery[] },
): Half {
  const chosen = all.chosen.find(({ endpointId }) => endpointId === target.endpointId);
  const made = all.made.filter(({ endpointId }) => endpointId === target.endpointId);
  const isWhole = chosen !== undefined && made.length === chosen.events.length;
  const sentTo = isWhole ? chosen.cursor : made.at(-1)?.eventId;
  if (sentTo === undefined) return { matched: 0, moved: [] };
  const isAhead = sentTo > target.countedTo;
  return {
    matched: made.filter(({ eventId }) => eventId > target.countedTo).length,
    moved: [{ ...target, sentTo, ...(isAhead && { countedTo: sentTo }) }],
  };
}
