/** On a machine that is busy, collections of garbage take long, and each of a few runs may meet one. */
const MAX_RUNS = 20;

/**
 * The CPU time of the longest turn of the event loop while some work runs, in milliseconds. CPU time
 * does not depend on what else the machine does; that of compiling and collecting is part of it.
 */
async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let [isOver, longest] = [false, 0];
  let before = process.cpuUsage();
  const measure = (): void => {
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.cpuUsage();
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
 */
export async function leastTurnMs(work: () => Promise<unknown>, limitMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < MAX_RUNS && least >= limitMs; run += 1) {
    least = Math.min(least, await longestTurnMs(work));
  }
  return least;
}
