import { HookError } from '../../changes/change.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { type ClockWork, nextWork } from './clock-work.ts';
import type { ClaimedClock, TestClockQueue } from './test-clock-repository.ts';

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

export interface AdvancePorts {
  readonly testClocks: TestClockQueue;
  readonly works: readonly ClockWork[];
  readonly logger: Logger;
  readonly crashPoint: CrashPoint;
  /** Ends the turn early. */
  readonly isClosing: () => boolean;
}

/** A step failed, and why. */
class StepError extends Error {
  readonly sentence: string;

  constructor(work: ClockWork, due: Date, cause: unknown) {
    super(`${work.name} failed.`, { cause });
    this.sentence = `The ${work.name} that were due at ${due.toISOString()} could not be done${why(cause)}.`;
  }
}

/**
 * Gives one advancing clock its turn: runs what is due in order of time, each step at its own time,
 * and ends with the target. After a crash another worker continues, because the clock itself says how
 * far it is.
 * @returns whether there was one
 */
export async function advanceClocks(ports: AdvancePorts): Promise<boolean> {
  const { testClocks, logger } = ports;
  const clock = await testClocks.claim(LEASE_MS);
  if (clock === undefined) return false;
  try {
    const isDone = await takeTurn(ports, clock);
    if (!isDone) await testClocks.giveBack(clock, { waitMs: 0, failed: false });
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    logger.error(
      { test_clock: clock.id, err: isError(error.cause) ? error.cause : undefined },
      `Test clock: ${error.sentence}`,
    );
    await onFailure(ports, clock, error.sentence);
  }
  return true;
}

/** @returns false if the clock is neither at its target nor in other hands */
async function takeTurn(ports: AdvancePorts, clock: ClaimedClock): Promise<boolean> {
  const { testClocks, works, crashPoint, isClosing } = ports;
  const { targetTime } = clock;
  let now = clock.frozenTime;
  let idle = 0;
  for (let step = 0; step < STEPS_OF_A_TURN; step += 1) {
    if (isClosing()) return false;
    const next = await nextWork(works, clock, targetTime);
    // What was recorded while the clock moved is found by a second look at the target.
    if (next === undefined && now.getTime() === targetTime.getTime()) {
      await testClocks.finish(clock);
      return true;
    }
    now = latest(now, next?.due ?? targetTime);
    crashPoint('test_clock.before_move');
    if (!(await testClocks.move(clock, now, LEASE_MS))) return true;
    crashPoint('test_clock.after_move');
    if (next === undefined) continue;
    const done = await runStep(next.work, clock, now);
    idle = done > 0 ? 0 : idle + 1;
    if (idle >= IDLE_STEPS) throw new StepError(next.work, next.due, undefined);
    crashPoint('test_clock.after_step');
  }
  return false;
}

async function runStep(work: ClockWork, clock: ClaimedClock, now: Date): Promise<number> {
  try {
    return await work.run(clock, now);
  } catch (cause) {
    throw new StepError(work, now, cause);
  }
}

async function onFailure(
  { testClocks }: AdvancePorts,
  clock: ClaimedClock,
  sentence: string,
): Promise<void> {
  const waitMs = RETRY_WAITS_MS[clock.failures];
  if (waitMs === undefined) await testClocks.fail(clock, sentence);
  else await testClocks.giveBack(clock, { waitMs, failed: true });
}

/** Only what may be shown: the error itself is in the log. */
function why(cause: unknown): string {
  if (HookError.is(cause)) return ': the hook of the host refused it, or a process has no hook';
  return PaymountError.is(cause) ? `: ${cause.code}` : '';
}

function latest(a: Date, b: Date): Date {
  return a.getTime() > b.getTime() ? a : b;
}
