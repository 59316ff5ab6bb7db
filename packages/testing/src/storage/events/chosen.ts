import assert from 'node:assert/strict';
import type { Event } from '@paymount/core/changes';
import { type Delivery, type Endpoint, newDelivery } from '@paymount/core/events';
import type { Owner } from '@paymount/core/kernel';
import type { StoredChange } from '@paymount/core/store';
import { RACERS, RecordingDispatch, race, type StorageBench, type StorageCases } from '../bench.ts';
import { AT, sampleClaim, sampleEndpoint, sampleEvent } from '../samples.ts';
import { claim, settle, storedEndpoint, turn } from './fan-out.ts';

async function recorded(bench: StorageBench): Promise<Event> {
  const event = sampleEvent(bench.owner, 'payout.paid');
  await bench.apply({ writes: [], events: [event] });
  return event;
}

function again(event: Event, endpoints: readonly Endpoint[]): readonly Delivery[] {
  return endpoints.map((endpoint) => newDelivery(event, endpoint, { origin: 'replay', at: AT }));
}

async function listDeliveries(bench: StorageBench, event: Event): Promise<readonly Delivery[]> {
  const { accountId, environment } = bench.owner;
  const scope = { accounts: [accountId], environments: [environment] };
  const filter = { event: event.id };
  return (await bench.directory.deliveries.list(scope, filter, { limit: 100 })).data;
}

/** Requested deliveries, and the endpoints that they may go to. */
export const chosenCases: StorageCases = {
  'adds the requested deliveries, due now, and notifies the sender': async (bench) => {
    const event = await recorded(bench);
    const endpoints = [await storedEndpoint(bench, ['dispute.won']), await storedEndpoint(bench)];
    const engine = new RecordingDispatch(9);
    bench.hub.attach(engine);
    const few = again(event, endpoints);
    const many = [1, 2, 3].flatMap(() => again(event, endpoints));
    for (const chosenDeliveries of [few, many]) {
      assert.equal(await bench.apply({ writes: [], chosenDeliveries }), 'applied');
    }
    bench.hub.detach(engine);
    const chosen = [...few, ...many];
    const ids = chosen.map(({ id }) => id).toSorted();
    assert.deepEqual([engine.announced.toSorted(), engine.sent], [ids, []]);
    const stored = await listDeliveries(bench, event);
    assert.deepEqual(
      stored.map(({ dueAt: _, ...rest }) => rest).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      chosen.map(({ dueAt: _, ...rest }) => rest).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
    for (const delivery of chosen) {
      const claimed = await claim(bench, delivery.id);
      assert.equal(claimed?.origin, 'replay');
      assert.equal(claimed.body, event.body);
    }
  },
  'sends an event for chosen endpoints only to these': async (bench) => {
    const [, named] = [await storedEndpoint(bench), await storedEndpoint(bench, ['dispute.won'])];
    const [event, other] = [sampleEvent(bench.owner), sampleEvent(bench.owner)];
    const delivery = newDelivery(event, named, { origin: 'event', at: AT });
    const events = [event, other];
    await bench.apply({ writes: [], events, chosenDeliveries: [delivery] });
    const ids = (await listDeliveries(bench, event)).map(({ id }) => id);
    assert.deepEqual(ids, [delivery.id]);
    assert.equal((await listDeliveries(bench, other)).length, 1);
  },
  'finds only the enabled endpoints that are subscribed to a type': async (bench) => {
    const wanting = [await storedEndpoint(bench), await storedEndpoint(bench, ['payout.*'])];
    await storedEndpoint(bench, ['charge.*']);
    await turn(bench, await storedEndpoint(bench), 'disabled');
    await turn(bench, await storedEndpoint(bench), 'deleted');
    const { endpoints } = bench.storage.read;
    assert.deepEqual(await endpoints.enabledFor(bench.owner, 'payout.paid'), wanting);
    for (const stranger of bench.strangers) {
      assert.deepEqual(await endpoints.enabledFor(stranger, 'payout.paid'), []);
    }
  },
  'finds an endpoint with many pending replays, also if these are parked': async (bench) => {
    const event = await recorded(bench);
    const stored = [await storedEndpoint(bench), await storedEndpoint(bench)];
    const [one, two] = stored.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    assert.ok(one && two);
    const chosenDeliveries = again(event, [one, one, two, two, two]);
    await bench.apply({ writes: [], chosenDeliveries });
    const { endpoints } = bench.storage.read;
    const full = (limit: number) => endpoints.fullOfReplays([two.id, one.id], limit);
    assert.deepEqual(await Promise.all([2, 3, 4].map(full)), [one.id, two.id, undefined]);
    const disabled = await turn(bench, two, 'disabled');
    await settle(bench);
    assert.equal(await full(3), two.id);
    assert.equal(await endpoints.fullOfReplays([one.id], 3), undefined);
    await turn(bench, disabled, 'deleted');
    await settle(bench);
    assert.equal(await full(3), undefined);
  },
  'writes nothing for an endpoint that is disabled, deleted or of another account': async (
    bench,
  ) => {
    const event = await recorded(bench);
    const good = await storedEndpoint(bench);
    const disabled = await turn(bench, await storedEndpoint(bench), 'disabled');
    const deleted = await turn(bench, await storedEndpoint(bench), 'deleted');
    const foreign = await Promise.all(bench.strangers.map((owner) => storedFor(bench, owner)));
    for (const bad of [disabled, deleted, ...foreign]) {
      await assertRaced(bench, event, [good, bad]);
      await assertRaced(bench, event, [bad]);
    }
  },
  [`applies ${RACERS} concurrent changes completely or not at all while their endpoint is disabled`]:
    async (bench) => {
      const event = await recorded(bench);
      const endpoint = await storedEndpoint(bench, ['dispute.won']);
      const disabling = 20;
      const results = await race(async (caller) => {
        if (caller === disabling) await turn(bench, endpoint, 'disabled');
        const chosenDeliveries = again(event, [endpoint]);
        return bench.apply({ writes: [], chosenDeliveries });
      });
      const applied = results.filter((result) => result === 'applied').length;
      assert.equal(results.filter((result) => result === 'raced').length, RACERS - applied);
      assert.ok(applied < RACERS, 'Nobody came after the endpoint was disabled.');
      const made = await listDeliveries(bench, event);
      assert.equal(made.length, applied);
      await settle(bench);
      const states = (await listDeliveries(bench, event)).map(({ state }) => state);
      assert.deepEqual(new Set(states), new Set(applied > 0 ? ['parked'] : []));
    },
};

async function storedFor(bench: StorageBench, owner: Owner): Promise<Endpoint> {
  const row = sampleEndpoint(owner);
  const writes = [{ mode: 'insert', kind: 'endpoint', row }] as const;
  await bench.storage.changes.apply({ ...owner, at: AT, writes });
  return row;
}

/** Alone and in a transaction, with everything else that such a change can contain. */
async function assertRaced(
  bench: StorageBench,
  event: Event,
  endpoints: readonly Endpoint[],
): Promise<void> {
  const other = sampleEvent(bench.owner);
  const claimed = sampleClaim(bench.owner, other.id);
  // Its deliveries belong to the account of the bench, even if the endpoint does not.
  const chosenDeliveries = again(event, endpoints);
  const change: StoredChange = {
    ...bench.owner,
    at: AT,
    writes: [],
    events: [other],
    chosenDeliveries,
    claim: claimed,
    response: { key: claimed.key, response: { status: 200, body: '{}' } },
  };
  const engine = new RecordingDispatch(9);
  bench.hub.attach(engine);
  assert.equal(await bench.storage.changes.apply(change), 'raced');
  await bench.storage.transaction(async ({ changes }) => {
    assert.equal(await changes.apply(change), 'raced');
  });
  bench.hub.detach(engine);
  assert.deepEqual([engine.announced, engine.sent], [[], []]);
  assert.equal(await bench.storage.read.events.find(bench.owner, other.id), undefined);
  assert.equal(await bench.storage.idempotency.find(bench.owner, claimed.key), undefined);
  assert.deepEqual(await listDeliveries(bench, event), []);
}
