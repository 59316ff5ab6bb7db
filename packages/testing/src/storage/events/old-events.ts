import assert from 'node:assert/strict';
import type { Event, EventPosition } from '@paymount/core/changes';
import { newDelivery } from '@paymount/core/events';
import { firstIdAt, newId, parseId } from '@paymount/core/kernel';
import type { Stores } from '@paymount/core/store';
import { RACERS, race, type StorageBench, type StorageCases } from '../bench.ts';
import { AT, sampleEvent } from '../samples.ts';
import { storedEndpoint } from './fan-out.ts';
import { sendSome, storedReplay } from './replays.ts';

/** Before all other events of the store, which are not deleted. */
const OLD = new Date('2020-02-01T00:00:00.000Z');
const DAY_MS = 86_400_000;

/** An event whose id and `created` are this much before `OLD`. */
function oldEvent({ owner }: StorageBench, beforeMs: number): Event {
  const atMs = OLD.getTime() - beforeMs;
  const id = parseId('evt', firstIdAt('evt', atMs).slice(0, 14) + newId('evt').slice(14));
  assert.ok(id);
  return { ...sampleEvent(owner), id, created: new Date(atMs) };
}

async function purgeAll({ events }: StorageBench, limit: number): Promise<number> {
  let deleted = 0;
  let after: EventPosition | undefined;
  do {
    const step = await events.purge({ ...(after && { after }), createdBefore: OLD, limit });
    assert.ok(step.deleted <= limit);
    deleted += step.deleted;
    after = step.next;
  } while (after !== undefined);
  return deleted;
}

async function exportAll(
  { exports }: Stores,
  give: Parameters<Stores['exports']['step']>[1],
): Promise<number> {
  let deleted = 0;
  let after: string | undefined;
  do {
    const walk = { table: 'events', before: OLD, ...(after && { after }), limit: 100 } as const;
    const step = await exports.step(walk, give);
    deleted += step.deleted;
    after = step.next;
  } while (after !== undefined);
  return deleted;
}

async function leftOf(
  { storage, owner }: StorageBench,
  events: readonly Event[],
): Promise<readonly boolean[]> {
  const found = await Promise.all(events.map(({ id }) => storage.read.events.find(owner, id)));
  return found.map((event) => event !== undefined);
}

/** Events that have been kept long enough. */
export const oldEventCases: StorageCases = {
  'deletes events that were created before, step by step, and no later ones': async (bench) => {
    const old = [DAY_MS, 2, 1].map((ms) => oldEvent(bench, ms));
    const young = [oldEvent(bench, 0), oldEvent(bench, -DAY_MS), sampleEvent(bench.owner)];
    const events = [...old, ...young];
    await bench.apply({ writes: [], events });
    for (const [index, owner] of bench.strangers.entries()) {
      const event = { ...oldEvent(bench, index + 1), ...owner };
      await bench.storage.changes.apply({ ...owner, at: AT, writes: [], events: [event] });
    }
    assert.equal(await purgeAll(bench, 2), 5);
    assert.deepEqual(await leftOf(bench, events), [false, false, false, true, true, true]);
    assert.equal(await purgeAll(bench, 2), 0);
  },
  'keeps an old event while it has a delivery': async (bench) => {
    await storedEndpoint(bench);
    const events = [oldEvent(bench, 1)];
    await bench.apply({ writes: [], events });
    assert.equal(await purgeAll(bench, 50), 0);
    assert.deepEqual(await leftOf(bench, events), [true]);
  },
  'keeps old events that an open replay has yet to read': async (bench) => {
    const events = [3, 2, 1].map((ms) => oldEvent(bench, ms));
    await bench.apply({ writes: [], events });
    const endpoint = await storedEndpoint(bench);
    const replay = await storedReplay(bench, [endpoint]);
    assert.equal((await sendSome(bench, replay, 1))?.made.length, 1);
    assert.equal(await purgeAll(bench, 50), 0);
    const ended = { status: 'canceled', isOpen: false, finishedAt: AT } as const;
    await bench.storage.transaction(({ replays }) => replays.save({ ...replay, ...ended }));
    assert.equal(await purgeAll(bench, 50), 2);
    assert.deepEqual(await leftOf(bench, events), [true, false, false]);
  },
  [`deletes each old event once with ${RACERS} concurrent callers`]: async (bench) => {
    const events = [4, 3, 2, 1].map((ms) => oldEvent(bench, ms));
    await bench.apply({ writes: [], events });
    const deleted = await race(() => purgeAll(bench, 2));
    assert.ok(deleted.reduce((sum, count) => sum + count, 0) <= 4);
    await purgeAll(bench, 2);
    assert.deepEqual(await leftOf(bench, events), [false, false, false, false]);
  },
  'exports old events before it deletes them, and keeps them if that fails': async (bench) => {
    const events = [2, 1].map((ms) => oldEvent(bench, ms));
    await bench.apply({ writes: [], events: [...events, oldEvent(bench, 0)] });
    const failing = exportAll(bench, () => Promise.reject(new Error('It is full.')));
    await assert.rejects(failing, /It is full/);
    assert.deepEqual(await leftOf(bench, events), [true, true]);
    const given: string[] = [];
    const other = bench.open();
    const deleted = await exportAll(bench, async (rows) => {
      given.push(...rows.map(({ id }) => id));
      assert.equal(await exportAll(other, () => assert.fail('Two export it.')), 0);
    });
    assert.deepEqual(
      given,
      events.map(({ id }) => id),
    );
    assert.equal(deleted, 2);
    assert.deepEqual(await leftOf(bench, events), [false, false]);
  },
  'makes no delivery of an event that was deleted meanwhile': async (bench) => {
    const endpoint = await storedEndpoint(bench);
    const event = oldEvent(bench, 1);
    const chosenDeliveries = [newDelivery(event, endpoint, { origin: 'replay', at: AT })];
    assert.equal(await bench.apply({ writes: [], chosenDeliveries }), 'raced');
  },
  'leaves of concurrent deliveries and purges no delivery without its event': async (bench) => {
    const events = Array.from({ length: RACERS }, (_, index) => oldEvent(bench, index + 1));
    await bench.apply({ writes: [], events });
    const endpoint = await storedEndpoint(bench);
    const made = await race(async (caller) => {
      const event = events[caller];
      assert.ok(event);
      if (caller % 10 === 0) await purgeAll(bench, 50);
      const chosenDeliveries = [newDelivery(event, endpoint, { origin: 'replay', at: AT })];
      return (await bench.apply({ writes: [], chosenDeliveries })) === 'applied';
    });
    const left = await leftOf(bench, events);
    for (const [index, isMade] of made.entries()) assert.ok(!isMade || left[index] === true);
  },
};
