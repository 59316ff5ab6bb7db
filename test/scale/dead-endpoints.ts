import { setTimeout as wait } from 'node:timers/promises';
import { newId } from '@paymount/core/kernel';
import { percentile } from '../support/statistics.ts';
import { monotonicMs } from './merchant-receivers.ts';
import type { Manner } from './merchant-receivers-process.ts';
import { type MerchantsSetup, openMerchantsSetup } from './merchants-setup.ts';
import type { Findings, Scenario } from './scenario.ts';

const PER_SECOND = 200;
/** A machine that cannot keep the rate publishes more slowly. */
const MOST_AT_ONCE = 50;
const WINDOW_SECONDS = 15;
/** Two real time-outs of 20 s, and what comes before the first. */
const WINDOWS = 4;
/** After a window, for what was published at its end. */
const REST_MS = 2_000;
const LEAST_SHARE = 0.95;
const MOST_RATIO = 3;
/** On a busy machine, a few milliseconds of waiting say nothing. */
const LEAST_P99_MS = 50;
const DEADLINE_MS = 20_000;
const DEADLINE_TOLERANCE_MS = 200;
const MOST_GROWTH_MIB = 100;
const MEASURE_MEMORY_EVERY_MS = 100;
const ENDLESS: readonly Manner[] = ['silent', 'endless_body', 'body_drip', 'header_drip'];

/** What the endpoints that answer got in one window. */
interface Window {
  readonly share: number;
  readonly p99: number;
}

/** Half of the endpoints stop answering. */
export const deadHalf: Scenario = {
  name: 'dead-half',
  law: `While half of the endpoints hang for 20 s each time, the others get ${LEAST_SHARE} of their deliveries at once, p99 within ${MOST_RATIO} times.`,
  sizes: { small: 100, whole: 100 },
  run: (size) => measure(size, size / 2, () => 'silent'),
};

/** One merchant's only endpoint stops answering. */
export const deadOne: Scenario = {
  name: 'dead-one',
  law: `While one endpoint of a hundred hangs, the others get ${LEAST_SHARE} of their deliveries at once, p99 within ${MOST_RATIO} times.`,
  sizes: { small: 100, whole: 100 },
  run: (size) => measure(size, 1, () => 'silent'),
};

/** As many receivers as those that answer never end their responses. */
export const deadMany: Scenario = {
  name: 'dead-many',
  law: `Silence, endless bodies and slow drips of 1,000 receivers neither delay 1,000 others nor take over ${MOST_GROWTH_MIB} MiB, and what has no headers is cut after 20.0 s.`,
  sizes: { small: 200, whole: 2_000 },
  run: (size) => measure(size, size / 2, (at) => ENDLESS[at % ENDLESS.length] ?? 'silent'),
};

async function measure(
  size: number,
  dead: number,
  mannerOf: (at: number) => Manner,
): Promise<Findings> {
  const setup = await openMerchantsSetup(Array<number>(size).fill(1));
  const memory = watchMemory();
  try {
    // The first one opens connections; of the others, the calmer one counts.
    await runWindow(setup, 0);
    const calm = [await runWindow(setup, 0), await runWindow(setup, 0)];
    const healthyP99 = Math.min(...calm.map(({ p99 }) => p99));
    memory.restart();
    setup.setManners(
      setup.merchants.map((_, at) => (at < dead ? mannerOf(at) : ('answering' as const))),
    );
    const windows: Window[] = [];
    for (let count = 0; count < WINDOWS; count += 1) windows.push(await runWindow(setup, dead));
    const grownMib = memory.grownMib();
    const found = judge(healthyP99, windows);
    const cuts = await judgeCuts(setup);
    return {
      violations: [
        ...found.violations,
        ...cuts.violations,
        ...(grownMib > MOST_GROWTH_MIB ? [`the memory grew by ${grownMib.toFixed(0)} MiB`] : []),
      ],
      figures: { ...found.figures, ...cuts.figures, 'growth of the memory, MiB': grownMib },
    };
  } finally {
    memory.stop();
    await setup.close();
  }
}

function judge(healthyP99: number, windows: readonly Window[]): Findings {
  const most = Math.max(LEAST_P99_MS, healthyP99 * MOST_RATIO);
  const figures: Record<string, number> = { 'p99 while all answer, ms': healthyP99 };
  const violations: string[] = [];
  for (const [index, { share, p99 }] of windows.entries()) {
    const from = index * WINDOW_SECONDS;
    figures[`from ${from} s: delivered, %`] = share * 100;
    figures[`from ${from} s: p99, ms`] = p99;
    if (share < LEAST_SHARE) violations.push(`from ${from} s only ${share.toFixed(3)} arrived`);
    if (p99 > most) violations.push(`from ${from} s p99 was ${p99.toFixed(0)} ms`);
  }
  return { violations, figures };
}

/** Looks in the log at each attempt that ended because no headers arrived. */
async function judgeCuts({ query }: MerchantsSetup): Promise<Findings> {
  const cuts = await query<{ readonly duration_ms: number }>(
    `SELECT duration_ms FROM paymount.delivery_attempts WHERE error_code = 'timeout'`,
  );
  const offMs = cuts.map(({ duration_ms: ms }) => Math.abs(ms - DEADLINE_MS));
  const wrong = offMs.filter((ms) => ms > DEADLINE_TOLERANCE_MS).length;
  const figures = { 'attempts cut': cuts.length, 'most off 20 s, ms': Math.max(0, ...offMs) };
  const violations = wrong > 0 ? [`${wrong} attempts were not cut at 20.0 s`] : [];
  if (cuts.length === 0) violations.push('no attempt was cut');
  return { violations, figures };
}

/** Publishes for one window, to one merchant after the other. @param dead the first so many */
async function runWindow(setup: MerchantsSetup, dead: number): Promise<Window> {
  const { merchants, publish, arrivals } = setup;
  const sent = new Map<string, number>();
  const startedMs = monotonicMs();
  const running = new Set<Promise<void>>();
  for (let count = 0; count < WINDOW_SECONDS * PER_SECOND; count += 1) {
    const aheadMs = startedMs + (count * 1_000) / PER_SECOND - monotonicMs();
    if (aheadMs > 0) await wait(aheadMs);
    while (running.size >= MOST_AT_ONCE) await Promise.race(running);
    const at = (count * 7_919) % merchants.length;
    const merchant = merchants[at];
    if (merchant === undefined) throw new RangeError('There is no merchant.');
    const id = newId('ch');
    if (at >= dead) sent.set(id, monotonicMs());
    const one = publish(merchant, id).finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
  await wait(REST_MS);
  const delays = [...sent].flatMap(([id, sentAtMs]) => {
    const atMs = arrivals.get(id);
    return atMs === undefined ? [] : [atMs - sentAtMs];
  });
  return {
    share: delays.length / sent.size,
    p99: percentile(delays.length > 0 ? delays : [Number.POSITIVE_INFINITY], 0.99),
  };
}

/** Measures how far the memory of this process grows, the worker's included. */
function watchMemory() {
  let startBytes = 0;
  let peakBytes = 0;
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  }, MEASURE_MEMORY_EVERY_MS);
  return {
    restart(): void {
      startBytes = process.memoryUsage.rss();
      peakBytes = startBytes;
    },
    grownMib: () => (peakBytes - startBytes) / 1_048_576,
    stop: () => clearInterval(timer),
  };
}
