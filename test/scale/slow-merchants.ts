import { setTimeout as wait } from 'node:timers/promises';
import { newId } from '@paymount/core/kernel';
import { percentile } from '../support/statistics.ts';
import { monotonicMs } from './merchant-receivers.ts';
import type { Manner } from './merchant-receivers-process.ts';
import { type MerchantsSetup, openMerchantsSetup } from './merchants-setup.ts';
import type { Scenario } from './scenario.ts';

const LARGE_ACCOUNTS = 10;
const SINGLES = 100;
const WINDOW_SECONDS = 15;
const LARGE_EVERY_MS = 1_000;
const SINGLE_EVERY_MS = 100;
const IN_TIME_MS = 1_000;
const LEAST_SHARE = 0.95;
/** Its own request that hangs ends after 20 s, and is the only one at a time. */
const MOST_BACK_MS = 25_000;
/** More than are sent before their endpoints count as slow. */
const EVENTS_EACH = 8;
const PREPARE_MS = 5_000;
const GIVE_UP_MS = 360_000;

/** Ten merchants have many endpoints that answer just before they count as slow. */
export const slowAccounts: Scenario = {
  name: 'slow-accounts',
  law: `While ${LARGE_ACCOUNTS} accounts have 50 endpoints that answer after 2.9 s, accounts with one endpoint get ${LEAST_SHARE} of their deliveries within a second.`,
  sizes: { small: 20, whole: 50 },
  run: async (size) => {
    const large = Array<number>(LARGE_ACCOUNTS).fill(size);
    const setup = await openMerchantsSetup([...large, ...Array<number>(SINGLES).fill(1)]);
    try {
      const calm = await runWindow(setup, false);
      setup.setManners([
        ...Array<Manner>(LARGE_ACCOUNTS * size).fill('late'),
        ...Array<Manner>(SINGLES).fill('answering'),
      ]);
      const busy = await runWindow(setup, true);
      return {
        violations:
          busy.share < LEAST_SHARE ? [`only ${busy.share.toFixed(3)} arrived in time`] : [],
        figures: {
          'while all answer: in time, %': calm.share * 100,
          'while all answer: p99, ms': calm.p99,
          'beside the slow ones: in time, %': busy.share * 100,
          'beside the slow ones: p99, ms': busy.p99,
        },
      };
    } finally {
      await setup.close();
    }
  },
};

/** One endpoint that has answered before is back, while many have never answered. */
export const backAgain: Scenario = {
  name: 'back-again',
  law: `Beside 500 endpoints that hang, one that was quick before gets its deliveries within ${MOST_BACK_MS / 1_000} s when it is back.`,
  sizes: { small: 100, whole: 500 },
  run: async (size) => {
    const setup = await openMerchantsSetup(Array<number>(size + 1).fill(1));
    const { merchants, publish, setManners, arrivals } = setup;
    const back = merchants.at(-1);
    if (back === undefined) throw new RangeError('There is no merchant.');
    const silent = Array<Manner>(size).fill('silent');
    try {
      setManners([...silent, 'answering']);
      const before = newId('ch');
      await publish(back, before);
      await arrived(arrivals, before, PREPARE_MS);
      setManners([...silent, 'silent']);
      for (let count = 0; count < EVENTS_EACH; count += 1) {
        await Promise.all(merchants.map((merchant) => publish(merchant, newId('ch'))));
      }
      // By now all are slow, and each waits for its turn.
      await wait(PREPARE_MS);
      const wanted = newId('ch');
      await publish(back, wanted);
      setManners([...silent, 'answering']);
      const startedMs = monotonicMs();
      await arrived(arrivals, wanted, GIVE_UP_MS);
      const tookMs = monotonicMs() - startedMs;
      const late = tookMs > MOST_BACK_MS;
      return {
        violations: late ? [`it waited for ${(tookMs / 1_000).toFixed(1)} s`] : [],
        figures: { 'until the one that is back gets its delivery, ms': tookMs },
      };
    } finally {
      await setup.close();
    }
  },
};

async function arrived(
  arrivals: MerchantsSetup['arrivals'],
  id: string,
  limitMs: number,
): Promise<void> {
  const endMs = monotonicMs() + limitMs;
  while (!arrivals.has(id) && monotonicMs() < endMs) await wait(SINGLE_EVERY_MS);
}

/** Publishes to the accounts with one endpoint, and to the large ones if `withLarge`. */
async function runWindow(
  { merchants, publish, arrivals }: MerchantsSetup,
  withLarge: boolean,
): Promise<{ readonly share: number; readonly p99: number }> {
  const [large, singles] = [merchants.slice(0, LARGE_ACCOUNTS), merchants.slice(LARGE_ACCOUNTS)];
  const sent = new Map<string, number>();
  const endMs = monotonicMs() + WINDOW_SECONDS * 1_000;
  let largeAtMs = withLarge ? 0 : Number.POSITIVE_INFINITY;
  for (let turn = 0; monotonicMs() < endMs; turn += 1) {
    if (monotonicMs() >= largeAtMs) {
      largeAtMs = monotonicMs() + LARGE_EVERY_MS;
      await Promise.all(large.map((merchant) => publish(merchant, newId('ch'))));
    }
    const merchant = singles[turn % singles.length];
    if (merchant === undefined) throw new RangeError('There is no merchant.');
    const id = newId('ch');
    sent.set(id, monotonicMs());
    await publish(merchant, id);
    await wait(SINGLE_EVERY_MS);
  }
  await wait(IN_TIME_MS);
  const delays = [...sent].map(
    ([id, atMs]) => (arrivals.get(id) ?? Number.POSITIVE_INFINITY) - atMs,
  );
  return {
    share: delays.filter((ms) => ms <= IN_TIME_MS).length / delays.length,
    p99: percentile(delays, 0.99),
  };
}
