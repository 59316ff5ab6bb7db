import assert from 'node:assert/strict';
import type { Event } from '@paymount/core/changes';
import { type Delivery, type Endpoint, newDelivery } from '@paymount/core/events';
import type { Owner } from '@paymount/core/kernel';
import type { StoredChange } from '@paymount/core/store';
import { AT, sampleClaim, sampleEndpoint, sampleEvent } from '../samples.ts';
import { RACERS, RecordingDispatch, race, type StorageCases, type StorageSetup } from '../setup.ts';
import { claim, settle, storedEndpoint, turn } from './fan-out.ts';

async function recorded(setup: StorageSetup): Promise<Event> {
  const event = sampleEvent(setup.owner, 'payout.paid');
  await setup.apply({ writes: [], events: [event] });
  return event;
}

function again(event: Event, endpoints: readonly Endpoint[]): readonly Delivery[] {
  return endpoints.map((endpoint) => newDelivery(event, endpoint, { origin: 'replay', at: AT }));
}

async function listDeliveries(setup: StorageSetup, event: Event): Promise<readonly Delivery[]> {
  const { accountId, environment } = setup.owner;
  const scope = { accounts: [accountId], environments: [environment] };
  const filter = { event: event.id };
  return (await setup.directory.deliveries.list(scope, filter, { limit: 100 })).data;
}

/** Requested deliveries, and the endpoints that they may go to. */
export const chosenCases: StorageCases = {
  'adds the requested deliveries, due now, and notifies the sender': async (setup) => {
    const event = await recorded(setup);
    const endpoints = [await storedEndpoint(setup, ['dispute.won']), await storedEndpoint(setup)];
    const engine = new RecordingDispatch(9);
    setup.hub.attach(engine);
    const few = again(event, endpoints);
    const many = [1, 2, 3].flatMap(() => again(event, endpoints));
    for (const chosenDeliveries of [few, many]) {
      assert.equal(await setup.apply({ writes: [], chosenDeliveries }), 'applied');
    }
    setup.hub.detach(engine);
    const chosen = [...few, ...many];
    const ids = chosen.map(({ id }) => id).toSorted();
    assert.deepEqual([engine.announced.toSorted(), engine.sent], [ids, []]);
    const stored = await listDeliveries(setup, event);
    assert.deepEqual(
      stored.map(({ dueAt: _, ...rest }) => rest).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      chosen.map(({ dueAt: _, ...rest }) => rest).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
    for (const delivery of chosen) {
      const claimed = await claim(setup, delivery.id);
      assert.equal(claimed?.origin, 'replay');
      assert.equal(claimed.body, event.body);
    }
  },
  'sends an event for chosen endpoints only to these': async (setup) => {
    const [, named] = [await storedEndpoint(setup), await storedEndpoint(setup, ['dispute.won'])];
    const [event, other] = [sampleEvent(setup.owner), sampleEvent(setup.owner)];
    const delivery = newDelivery(event, named, { origin: 'event', at: AT });
    const events = [event, other];
    await setup.apply({ writes: [], events, chosenDeliveries: [delivery] });
    const ids = (await listDeliveries(setup, event)).map(({ id }) => id);
    assert.deepEqual(ids, [delivery.id]);
    assert.equal((await listDeliveries(setup, other)).length, 1);
  },
  'finds only the enabled endpoints that are subscribed to a type': async (setup) => {
    const wanting = [await storedEndpoint(setup), await storedEndpoint(setup, ['payout.*'])];
    await storedEndpoint(setup, ['charge.*']);
    await turn(setup, await storedEndpoint(setup), 'disabled');
    await turn(setup, await storedEndpoint(setup), 'deleted');
    const { endpoints } = setup.storage.read;
    assert.deepEqual(await endpoints.enabledFor(setup.owner, 'payout.paid'), wanting);
    for (const stranger of setup.strangers) {
      assert.deepEqual(await endpoints.enabledFor(stranger, 'payout.paid'), []);
    }
  },
  'finds an endpoint with many pending replays, also if these are parked': async (setup) => {
    const event = await recorded(setup);
    const stored = [await storedEndpoint(setup), await storedEndpoint(setup)];
    const [one, two] = stored.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    assert.ok(one && two);
    const chosenDeliveries = again(event, [one, one, two, two, two]);
    await setup.apply({ writes: [], chosenDeliveries });
    const { endpoints } = setup.storage.read;
    const full = (limit: number) => endpoints.fullOfReplays([two.id, one.id], limit);
    assert.deepEqual(await Promise.all([2, 3, 4].map(full)), [one.id, two.id, undefined]);
    const disabled = await turn(setup, two, 'disabled');
    await settle(setup);
    assert.equal(await full(3), two.id);
    assert.equal(await endpoints.fullOfReplays([one.id], 3), undefined);
    await turn(setup, disabled, 'deleted');
    await settle(setup);
    assert.equal(await full(3), undefined);
  },
  'writes nothing for an endpoint that is disabled, deleted or of another account': async (
    setup,
  ) => {
    const event = await recorded(setup);
    const good = await storedEndpoint(setup);
    const disabled = await turn(setup, await storedEndpoint(setup), 'disabled');
    const deleted = await turn(setup, await storedEndpoint(setup), 'deleted');
    const foreign = await Promise.all(setup.strangers.map((owner) => storedFor(setup, owner)));
    for (const bad of [disabled, deleted, ...foreign]) {
      await assertRaced(setup, event, [good, bad]);
      await assertRaced(setup, event, [bad]);
    }
  },
  [`applies ${RACERS} concurrent changes completely or not at all while their endpoint is disabled`]:
    async (setup) => {
      const event = await recorded(setup);
      const endpoint = await storedEndpoint(setup, ['dispute.won']);
      const disabling = 20;
      const results = await race(async (caller) => {
        if (caller === disabling) await turn(setup, endpoint, 'disabled');
        const chosenDeliveries = again(event, [endpoint]);
        return setup.apply({ writes: [], chosenDeliveries });
      });
      const applied = results.filter((result) => result === 'applied').length;
      assert.equal(results.filter((result) => result === 'raced').length, RACERS - applied);
      assert.ok(applied < RACERS, 'Nobody came after the endpoint was disabled.');
      const made = await listDeliveries(setup, event);
      assert.equal(made.length, applied);
      await settle(setup);
      const states = (await listDeliveries(setup, event)).map(({ state }) => state);
      assert.deepEqual(new Set(states), new Set(applied > 0 ? ['parked'] : []));
    },
};

async function storedFor(setup: StorageSetup, owner: Owner): Promise<Endpoint> {
  const row = sampleEndpoint(owner);
  const writes = [{ mode: 'insert', kind: 'endpoint', row }] as const;
  await setup.storage.changes.apply({ ...owner, at: AT, writes });
  return row;
}

/** Alone and in a transaction, with everything else that such a change can contain. */
async function assertRaced(
  setup: StorageSetup,
  event: Event,
  endpoints: readonly Endpoint[],
): Promise<void> {
  const other = sampleEvent(setup.owner);
  const claimed = sampleClaim(setup.owner, other.id);
  // Its deliveries belong to the account of the setup, even if the endpoint does not.
  const chosenDeliveries = again(event, endpoints);
  const change: StoredChange = {
    ...setup.owner,
    at: AT,
    writes: [],
    events: [other],
    chosenDeliveries,
    claim: claimed,
    response: { key: claimed.key, response: { status: 200, body: '{}' } },
  };
  const engine = new RecordingDispatch(9);
  setup.hub.attach(engine);
  assert.equal(await setup.storage.changes.apply(change), 'raced');
  await setup.storage.transaction(async ({ changes }) => {
    assert.equal(await changes.apply(change), 'raced');
  });
  setup.hub.detach(engine);
  assert.deepEqual([engine.announced, engine.sent], [[], []]);
  assert.equal(await setup.storage.read.events.find(setup.owner, other.id), undefined);
  assert.equal(await setup.storage.idempotency.find(setup.owner, claimed.key), undefined);
  assert.deepEqual(await listDeliveries(setup, event), []);
}
