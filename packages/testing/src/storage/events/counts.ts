import assert from 'node:assert/strict';
import type { AttemptCount, CountInterval } from '@paymount/core/events';
import { race, type StorageBench, type StorageCases } from '../bench.ts';
import { AT } from '../samples.ts';
import { claim, end, published, storedEndpoint } from './fan-out.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The start of the interval of the attempts, and the moment at which the last one is over. */
const begin = (lengthMs: number): Date => new Date(Math.floor(AT.getTime() / lengthMs) * lengthMs);
const soon = new Date(begin(HOUR_MS).getTime() + HOUR_MS - 1);

async function countAll({ deliveries }: StorageBench): Promise<void> {
  while (await deliveries.countAttempts(soon));
}

function read({ storage, owner }: StorageBench, interval: CountInterval, of = owner) {
  const from = begin(interval === 'hour' ? HOUR_MS : DAY_MS);
  const to = new Date(from.getTime() + (interval === 'hour' ? HOUR_MS : DAY_MS));
  return storage.read.deliveries.counts(of, { interval, from, to });
}

/** An attempt that succeeded, and one that failed. */
async function attempted(bench: StorageBench): Promise<void> {
  for (const next of ['succeeded', 'failed'] as const) {
    const delivery = await claim(bench, await published(bench));
    assert.ok(delivery);
    await end(bench, delivery, { next });
  }
}

function byOutcome(counts: readonly AttemptCount[]): readonly unknown[] {
  return counts
    .map(({ outcome, attempts, ended }) => ({ outcome, attempts, ended }))
    .toSorted((a, b) => (a.outcome < b.outcome ? -1 : 1));
}

/** The counts of attempts. */
export const countCases: StorageCases = {
  'counts each attempt once by hour and by day, also when several processes count': async (
    bench,
  ) => {
    const endpoint = await storedEndpoint(bench);
    await attempted(bench);
    await race(() => bench.deliveries.countAttempts(soon));
    await countAll(bench);
    await attempted(bench);
    await countAll(bench);
    const expected = [
      { outcome: 'failed', attempts: 2, ended: 0 },
      { outcome: 'succeeded', attempts: 2, ended: 2 },
    ];
    for (const interval of ['hour', 'day'] as const) {
      const { byInterval, byEndpoint, countedAt } = await read(bench, interval);
      assert.deepEqual(byOutcome(byInterval), expected);
      assert.deepEqual(byOutcome(byEndpoint), expected);
      assert.ok(byEndpoint.every(({ endpointId }) => endpointId === endpoint.id));
      assert.ok(countedAt && countedAt >= soon);
    }
    for (const stranger of bench.strangers) {
      assert.deepEqual((await read(bench, 'day', stranger)).byEndpoint, []);
    }
  },
  'deletes counts of intervals that began before a time, and no others': async (bench) => {
    await storedEndpoint(bench);
    await attempted(bench);
    await countAll(bench);
    assert.equal(await bench.deliveries.purgeCounts('hour', begin(HOUR_MS), 1_000), 0);
    assert.ok((await bench.deliveries.purgeCounts('hour', soon, 1_000)) >= 2);
    assert.deepEqual((await read(bench, 'hour')).byInterval, []);
    assert.equal((await read(bench, 'day')).byEndpoint.length, 2);
  },
};
