import assert from 'node:assert/strict';
import type { AttemptCount, CountInterval } from '@paymount/core/events';
import { AT } from '../samples.ts';
import { race, type StorageCases, type StorageSetup } from '../setup.ts';
import { claim, end, published, storedEndpoint } from './fan-out.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The start of the interval of the attempts, and the moment at which the last one is over. */
const begin = (lengthMs: number): Date => new Date(Math.floor(AT.getTime() / lengthMs) * lengthMs);
const soon = new Date(begin(HOUR_MS).getTime() + HOUR_MS - 1);

async function countAll({ deliveries }: StorageSetup): Promise<void> {
  while (await deliveries.countAttempts(soon));
}

function read({ storage, owner }: StorageSetup, interval: CountInterval, of = owner) {
  const from = begin(interval === 'hour' ? HOUR_MS : DAY_MS);
  const to = new Date(from.getTime() + (interval === 'hour' ? HOUR_MS : DAY_MS));
  return storage.read.deliveries.counts(of, { interval, from, to });
}

/** An attempt that succeeded, and one that failed. */
async function attempted(setup: StorageSetup): Promise<void> {
  for (const next of ['succeeded', 'failed'] as const) {
    const delivery = await claim(setup, await published(setup));
    assert.ok(delivery);
    await end(setup, delivery, { next });
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
    setup,
  ) => {
    const endpoint = await storedEndpoint(setup);
    await attempted(setup);
    await race(() => setup.deliveries.countAttempts(soon));
    await countAll(setup);
    await attempted(setup);
    await countAll(setup);
    const expected = [
      { outcome: 'failed', attempts: 2, ended: 0 },
      { outcome: 'succeeded', attempts: 2, ended: 2 },
    ];
    for (const interval of ['hour', 'day'] as const) {
      const { byInterval, byEndpoint, countedAt } = await read(setup, interval);
      assert.deepEqual(byOutcome(byInterval), expected);
      assert.deepEqual(byOutcome(byEndpoint), expected);
      assert.ok(byEndpoint.every(({ endpointId }) => endpointId === endpoint.id));
      assert.ok(countedAt && countedAt >= soon);
    }
    for (const stranger of setup.strangers) {
      assert.deepEqual((await read(setup, 'day', stranger)).byEndpoint, []);
    }
  },
  'deletes counts of intervals that began before a time, and no others': async (setup) => {
    await storedEndpoint(setup);
    await attempted(setup);
    await countAll(setup);
    assert.equal(await setup.deliveries.purgeCounts('hour', begin(HOUR_MS), 1_000), 0);
    assert.ok((await setup.deliveries.purgeCounts('hour', soon, 1_000)) >= 2);
    assert.deepEqual((await read(setup, 'hour')).byInterval, []);
    assert.equal((await read(setup, 'day')).byEndpoint.length, 2);
  },
};
