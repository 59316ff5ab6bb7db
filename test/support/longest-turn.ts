import { existsSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** On a machine that is busy, collections of garbage take long, and each of a few runs may meet one. */
const MAX_RUNS = 20;
/** The nanoseconds for which the main thread has had a processor, and other numbers. */
const MAIN_THREAD = `/proc/self/task/${process.pid}/schedstat`;

/**
 * The CPU time of the longest turn of the event loop while some work runs, in milliseconds. CPU time
 * does not depend on what else the machine does; that of compiling and collecting is part of it.
 */
async function longestTurnMs(work: () => Promise<unknown>, readMs: () => number): Promise<number> {
  let [isOver, longest] = [false, 0];
  let before = readMs();
  const measure = (): void => {
    const now = readMs();
    longest = Math.max(longest, now - before);
    before = now;
    if (!isOver) setImmediate(measure);
  };
  setImmediate(measure);
  try {
    await work();
  } finally {
    isOver = true;
  }
  return longest;
}

/**
 * The same, of the first run below a limit, or the least of twenty: the first ones are compiled, and
 * any may meet a collection.
 * @param readMs the time that counts. @defaultValue the CPU time of the process
 */
export async function leastTurnMs(
  work: () => Promise<unknown>,
  limitMs: number,
  readMs: () => number = processMs,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < MAX_RUNS && least >= limitMs; run += 1) {
    least = Math.min(least, await longestTurnMs(work, readMs));
  }
  return least;
}

function processMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The CPU time of the main thread alone, for work of other threads; where no file tells it, the clock. */
export function mainThreadMs(): number {
  if (!existsSync(MAIN_THREAD)) return performance.now();
  return Number(readFileSync(MAIN_THREAD, 'utf8').split(' ')[0]) / 1_000_000;
}
