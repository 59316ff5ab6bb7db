import assert from 'node:assert/strict';
import type { Event } from '@paymount/core/changes';
import type { Endpoint } from '@paymount/core/events';
import type { Owner } from '@paymount/core/kernel';
import type { Stores } from '@paymount/core/store';
import { storeKeys } from '../access/keys.ts';
import { sampleKey } from '../access/samples.ts';
import { AT, sampleEndpoint, sampleEvent, sampleSecret } from '../samples.ts';
import {
  expectCount,
  RACERS,
  RecordingDispatch,
  race,
  type StorageCases,
  type StorageSetup,
} from '../setup.ts';
import { publish, storedEndpoint, turn } from './fan-out.ts';

function record({ storage }: Pick<Stores, 'storage'>, event: Event) {
  const { accountId, environment } = event;
  return storage.changes.apply({ accountId, environment, at: AT, writes: [], events: [event] });
}

async function endpointOf({ storage }: StorageSetup, owner: Owner): Promise<Endpoint> {
  const row = sampleEndpoint(owner);
  const writes = [{ mode: 'insert', kind: 'endpoint', row }] as const;
  await storage.changes.apply({ ...owner, at: AT, writes, secret: sampleSecret(owner, row.id) });
  return row;
}

/** The states of the deliveries to an endpoint, sorted. */
async function statesAt({ storage }: StorageSetup, endpoint: Endpoint): Promise<readonly string[]> {
  const filter = { endpoint: endpoint.id };
  const { data } = await storage.read.deliveries.list(endpoint, filter, { limit: 100 });
  return data.map(({ state }) => state).toSorted();
}

function times(count: number, state: string): readonly string[] {
  return Array.from({ length: count }, () => state);
}

/** Events that many callers record at the same time. */
export const concurrentEventCases: StorageCases = {
  'records concurrent events of several accounts, each once, if one of them is refused': async (
    setup,
  ) => {
    const owners = [setup.owner, ...setup.strangers];
    const recorded = sampleEvent(setup.owner);
    await record(setup, recorded);
    const endpoints = await Promise.all(owners.map((owner) => endpointOf(setup, owner)));
    await Promise.all(owners.map((owner) => record(setup, sampleEvent(owner))));
    const outcomes = await race(async (caller) => {
      const owner = owners[caller % owners.length] ?? setup.owner;
      const event = caller === 9 ? recorded : sampleEvent(owner);
      return await record(setup, event).catch(() => 'refused');
    });
    expectCount(outcomes, 'refused', 1);
    expectCount(outcomes, 'applied', RACERS - 1);
    const states = await Promise.all(endpoints.map((endpoint) => statesAt(setup, endpoint)));
    assert.deepEqual(
      states,
      [17, 18, 17].map((count) => times(count, 'pending')),
    );
  },
  'records the concurrent events of all keys but those that have changed': async (setup) => {
    const key = sampleKey(setup.owner);
    await storeKeys(setup, key);
    await storedEndpoint(setup);
    await publish(setup);
    const outcomes = await race(async (caller) => {
      const event = sampleEvent(setup.owner);
      const keyVersion = caller % 10 === 0 ? 2 : key.version;
      const credential = { keyId: key.id, keyVersion, accountVersion: 1 };
      const applied = await setup.apply({ writes: [], events: [event], credential });
      const found = await setup.storage.read.events.find(setup.owner, event.id);
      assert.equal(found !== undefined, applied === 'applied');
      return applied;
    });
    expectCount(outcomes, 'access_changed', RACERS / 10);
    expectCount(outcomes, 'applied', RACERS - RACERS / 10);
  },
  'reserves slots for concurrent events while there are any, and announces the others': async (
    setup,
  ) => {
    await storedEndpoint(setup);
    await publish(setup);
    const engine = new RecordingDispatch(5);
    setup.hub.attach(engine);
    await race(() => record(setup, sampleEvent(setup.owner)));
    setup.hub.detach(engine);
    const { sent, announced, givenBack } = engine;
    assert.deepEqual([sent.length, announced.length, givenBack.length], [5, RACERS - 5, 0]);
    assert.equal(new Set([...sent.map(({ id }) => id), ...announced]).size, RACERS);
  },
  'sends concurrent events to the endpoints as they are, in each of two processes': async (
    setup,
  ) => {
    const processes = [setup, setup.open()];
    const old = await storedEndpoint(setup);
    await Promise.all(processes.map((each) => record(each, sampleEvent(setup.owner))));
    await turn(setup, old, 'disabled');
    const added = await storedEndpoint(setup);
    await race((caller) => record(processes[caller % 2] ?? setup, sampleEvent(setup.owner)));
    assert.deepEqual(await statesAt(setup, old), [
      ...times(2, 'pending'),
      ...times(RACERS, 'skipped'),
    ]);
    assert.deepEqual(await statesAt(setup, added), times(RACERS, 'pending'));
  },
};
