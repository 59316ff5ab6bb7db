import assert from 'node:assert/strict';
import type { Event, EventPosition } from '@paymount/core/changes';
import { newDelivery } from '@paymount/core/events';
import { firstIdAt, newId, parseId } from '@paymount/core/kernel';
import type { Stores } from '@paymount/core/store';
import { AT, sampleEvent } from '../samples.ts';
import { RACERS, race, type StorageCases, type StorageSetup } from '../setup.ts';
import { storedEndpoint } from './fan-out.ts';
import { sendSome, storedReplay } from './replays.ts';

/** Before all other events of the store, which are not deleted. */
const OLD = new Date('2020-02-01T00:00:00.000Z');
const DAY_MS = 86_400_000;

/** An event whose id and `created` are this much before `OLD`. */
function oldEvent({ owner }: StorageSetup, beforeMs: number): Event {
  const atMs = OLD.getTime() - beforeMs;
  const id = parseId('evt', firstIdAt('evt', atMs).slice(0, 14) + newId('evt').slice(14));
  assert.ok(id);
  return { ...sampleEvent(owner), id, created: new Date(atMs) };
}

async function purgeAll({ events }: StorageSetup, limit: number): Promise<number> {
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
  { storage, owner }: StorageSetup,
  events: readonly Event[],
): Promise<readonly boolean[]> {
  const found = await Promise.all(events.map(({ id }) => storage.read.events.find(owner, id)));
  return found.map((event) => event !== undefined);
}

/** Events that have been kept long enough. */
export const oldEventCases: StorageCases = {
  'deletes events that were created before, step by step, and no later ones': async (setup) => {
    const old = [DAY_MS, 2, 1].map((ms) => oldEvent(setup, ms));
    const young = [oldEvent(setup, 0), oldEvent(setup, -DAY_MS), sampleEvent(setup.owner)];
    const events = [...old, ...young];
    await setup.apply({ writes: [], events });
    for (const [index, owner] of setup.strangers.entries()) {
      const event = { ...oldEvent(setup, index + 1), ...owner };
      await setup.storage.changes.apply({ ...owner, at: AT, writes: [], events: [event] });
    }
    assert.equal(await purgeAll(setup, 2), 5);
    assert.deepEqual(await leftOf(setup, events), [false, false, false, true, true, true]);
    assert.equal(await purgeAll(setup, 2), 0);
  },
  'keeps an old event while it has a delivery': async (setup) => {
    await storedEndpoint(setup);
    const events = [oldEvent(setup, 1)];
    await setup.apply({ writes: [], events });
    assert.equal(await purgeAll(setup, 50), 0);
    assert.deepEqual(await leftOf(setup, events), [true]);
  },
  'keeps old events that an open replay has yet to read': async (setup) => {
    const events = [3, 2, 1].map((ms) => oldEvent(setup, ms));
    await setup.apply({ writes: [], events });
    const endpoint = await storedEndpoint(setup);
    const replay = await storedReplay(setup, [endpoint]);
    assert.equal((await sendSome(setup, replay, 1))?.made.length, 1);
    assert.equal(await purgeAll(setup, 50), 0);
    const ended = { status: 'canceled', isOpen: false, finishedAt: AT } as const;
    await setup.storage.transaction(({ replays }) => replays.save({ ...replay, ...ended }));
    assert.equal(await purgeAll(setup, 50), 2);
    assert.deepEqual(await leftOf(setup, events), [true, false, false]);
  },
  [`deletes each old event once with ${RACERS} concurrent callers`]: async (setup) => {
    const events = [4, 3, 2, 1].map((ms) => oldEvent(setup, ms));
    await setup.apply({ writes: [], events });
    const deleted = await race(() => purgeAll(setup, 2));
    assert.ok(deleted.reduce((sum, count) => sum + count, 0) <= 4);
    await purgeAll(setup, 2);
    assert.deepEqual(await leftOf(setup, events), [false, false, false, false]);
  },
  'exports old events before it deletes them, and keeps them if that fails': async (setup) => {
    const events = [2, 1].map((ms) => oldEvent(setup, ms));
    await setup.apply({ writes: [], events: [...events, oldEvent(setup, 0)] });
    const failing = exportAll(setup, () => Promise.reject(new Error('It is full.')));
    await assert.rejects(failing, /It is full/);
    assert.deepEqual(await leftOf(setup, events), [true, true]);
    const given: string[] = [];
    const other = setup.open();
    const deleted = await exportAll(setup, async (rows) => {
      given.push(...rows.map(({ id }) => id));
      assert.equal(await exportAll(other, () => assert.fail('Two export it.')), 0);
    });
    assert.deepEqual(
      given,
      events.map(({ id }) => id),
    );
    assert.equal(deleted, 2);
    assert.deepEqual(await leftOf(setup, events), [false, false]);
  },
  'makes no delivery of an event that was deleted meanwhile': async (setup) => {
    const endpoint = await storedEndpoint(setup);
    const event = oldEvent(setup, 1);
    const chosenDeliveries = [newDelivery(event, endpoint, { origin: 'replay', at: AT })];
    assert.equal(await setup.apply({ writes: [], chosenDeliveries }), 'raced');
  },
  'leaves of concurrent deliveries and purges no delivery without its event': async (setup) => {
    const events = Array.from({ length: RACERS }, (_, index) => oldEvent(setup, index + 1));
    await setup.apply({ writes: [], events });
    const endpoint = await storedEndpoint(setup);
    const made = await race(async (caller) => {
      const event = events[caller];
      assert.ok(event);
      if (caller % 10 === 0) await purgeAll(setup, 50);
      const chosenDeliveries = [newDelivery(event, endpoint, { origin: 'replay', at: AT })];
      return (await setup.apply({ writes: [], chosenDeliveries })) === 'applied';
    });
    const left = await leftOf(setup, events);
    for (const [index, isMade] of made.entries()) assert.ok(!isMade || left[index] === true);
  },
};
