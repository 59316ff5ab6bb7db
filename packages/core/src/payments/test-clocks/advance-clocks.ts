import { HookError } from '../../changes/change.ts';
import type { HookLog } from '../../changes/hook-log.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import {
  type ClockWait,
  type ClockWork,
  type DueWork,
  nextWork,
  type WorkingClock,
} from './clock-work.ts';
import type { ClaimedClock, TestClockQueue } from './test-clock-repository.ts';
import { ObjectWorkError } from './work-on.ts';

/**
 * Longer than a step, which is small, or one request to a processor. If a step takes longer all the
 * same, two workers are at it, and what each changes is guarded as ever.
 */
const LEASE_MS = 60_000;
/** After so many steps, other clocks have their turn. */
const STEPS_OF_A_TURN = 200;
/** Steps without progress, one after another: something is due, and nothing is done about it. */
const IDLE_STEPS = 3;
/** The waits after work has failed; after one more failure a person must look. */
const RETRY_WAITS_MS = [1_000, 5_000, 15_000, 60_000] as const;
/** The hook: as long as results of operations and notices wait for it. */
const WAITS_MS: Readonly<Record<ClockWait, number>> = { answer: 1_000, hook: 10_000 };

export interface AdvancePorts {
  readonly testClocks: TestClockQueue;
  readonly works: readonly ClockWork[];
  readonly logger: Logger;
  /** Kept between turns. */
  readonly hookLog: HookLog;
  readonly crashPoint: CrashPoint;
  /** Ends the turn early. */
  readonly isClosing: () => boolean;
}

/** A step failed, at which object, and why. */
class StepError extends Error {
  readonly object: string;
  /** What a person reads about it. */
  readonly sentence: string;

  constructor({ task, byHand }: ClockWork, { due, object }: DueWork, cause: unknown) {
    super(`A test clock could not ${task} ${object}.`, { cause });
    this.object = object;
    const hand = byHand === undefined ? '' : ` ${byHand},`;
    this.sentence = `Paymount could not ${task} ${object} at ${due.toISOString()}${why(cause)}. Advance the clock again to retry it,${hand} or delete the clock.`;
  }
}

/**
 * Gives one advancing clock its turn: runs what is due in order of time, each step at its own time,
 * and ends with the target. After a crash another worker continues, because the clock itself says how
 * far it is.
 * @returns whether there was one
 */
export async function advanceClocks(ports: AdvancePorts): Promise<boolean> {
  const { testClocks } = ports;
  const clock = await testClocks.claim(LEASE_MS);
  if (clock === undefined) return false;
  try {
    const because = await takeTurn(ports, clock);
    ports.hookLog.forget(clock.id);
    if (because === 'turn') await testClocks.giveBack(clock, { waitMs: 0, because });
    else if (because !== 'done') {
      await testClocks.giveBack(clock, { waitMs: WAITS_MS[because], because });
    }
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    if (HookError.is(error.cause)) await waitForHook(ports, clock, error, error.cause);
    else {
      ports.hookLog.forget(clock.id);
      await onFailure(ports, clock, error);
    }
  }
  return true;
}

/** @returns why it ends; `done`: the clock is at its target, or in other hands */
async function takeTurn(
  ports: AdvancePorts,
  clock: ClaimedClock,
): Promise<'done' | 'turn' | ClockWait> {
  const { testClocks, works, crashPoint, isClosing } = ports;
  const { targetTime } = clock;
  let now = clock.frozenTime;
  let idle = 0;
  for (let step = 0; step < STEPS_OF_A_TURN; step += 1) {
    if (isClosing()) return 'turn';
    const next = await nextWork(works, { ...clock, frozenTime: now }, targetTime);
    // What was recorded while the clock moved is found by a second look at the target.
    if (next === undefined && now.getTime() === targetTime.getTime()) {
      await testClocks.finish(clock);
      return 'done';
    }
    now = latest(now, next?.due ?? targetTime);
    crashPoint('test_clock.before_move');
    if (!(await testClocks.move(clock, now, LEASE_MS))) return 'done';
    crashPoint('test_clock.after_move');
    if (next === undefined) continue;
    const done = await runStep(next, { ...clock, frozenTime: now });
    if (typeof done === 'string') return done;
    idle = done > 0 ? 0 : idle + 1;
    if (idle >= IDLE_STEPS) throw new StepError(next.work, next, undefined);
    crashPoint('test_clock.after_step');
  }
  return 'turn';
}

async function runStep(
  { work, object }: DueWork & { readonly work: ClockWork },
  clock: WorkingClock,
): Promise<number | ClockWait> {
  const due = clock.frozenTime;
  try {
    return await work.run(clock);
  } catch (error) {
    if (!(error instanceof ObjectWorkError)) throw new StepError(work, { due, object }, error);
    throw new StepError(work, { due, object: error.object }, error.cause);
  }
}

/** It is no failure of the work: the clock stands until a process with the hook records the result. */
async function waitForHook(
  { testClocks, hookLog }: AdvancePorts,
  clock: ClaimedClock,
  { object }: StepError,
  error: HookError,
): Promise<void> {
  const { id } = clock;
  const consequence = `Test clock ${id} stands until it is recorded, and tries again.`;
  hookLog.report(error, { id, object, consequence, facts: { test_clock: id } });
  await testClocks.giveBack(clock, { waitMs: WAITS_MS.hook, because: 'hook' });
}

async function onFailure(
  { testClocks, logger }: AdvancePorts,
  clock: ClaimedClock,
  { object, cause, sentence }: StepError,
): Promise<void> {
  const facts = { test_clock: clock.id, object, err: isError(cause) ? cause : undefined };
  logger.error(facts, `Test clock: ${sentence}`);
  const waitMs = RETRY_WAITS_MS[clock.failures];
  if (waitMs === undefined) await testClocks.fail(clock, sentence);
  else await testClocks.giveBack(clock, { waitMs, because: 'error' });
}

/** Only what may be shown: the error itself is in the log. */
function why(cause: unknown): string {
  if (cause === undefined) return ', although it is due';
  return PaymountError.is(cause) ? ` (${cause.code})` : '; the log of the worker has the error';
}

function latest(a: Date, b: Date): Date {
  return a.getTime() > b.getTime() ? a : b;
}
