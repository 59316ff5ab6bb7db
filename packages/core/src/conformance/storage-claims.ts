import assert from 'node:assert/strict';
import type { ClaimedDelivery } from '../events/deliveries/delivery.ts';
import type { Delivery } from '../events/deliveries/delivery-directory.ts';
import type { ClaimDue } from '../events/deliveries/delivery-store.ts';
import { newDelivery } from '../events/deliveries/destination.ts';
import type { Endpoint } from '../events/endpoints/endpoint.ts';
import { newId } from '../kernel/basics/id.ts';
import { RACERS, race, type StorageBench } from './storage-bench.ts';
import { claim, LEASE_MS, storedEndpoint } from './storage-fan-out.ts';
import { AT, sampleEvent } from './storage-samples.ts';

type Cases = Record<string, (bench: StorageBench) => Promise<void>>;

/** Records events, each delivered to its subscribers, and replays each to `endpoints`. */
async function replayed(
  bench: StorageBench,
  endpoints: readonly Endpoint[],
  events: number,
): Promise<readonly Delivery[]> {
  const made: Delivery[] = [];
  for (let count = 0; count < events; count += 1) {
    const event = sampleEvent(bench.owner);
    await bench.apply({ writes: [], events: [event] });
    const again = endpoints.map((each) => newDelivery(event, each, { origin: 'replay', at: AT }));
    assert.equal(await bench.apply({ writes: [], chosenDeliveries: again }), 'applied');
    made.push(...again);
  }
  return made;
}

/** Others' rows may be due in the same store, so that limits are not felt. @returns the bench's */
async function claimDue(
  bench: StorageBench,
  origin: ClaimDue['origin'],
  more: Partial<ClaimDue> = {},
): Promise<readonly ClaimedDelivery[]> {
  const claimed = await bench.deliveries.claimDue({
    ...{ shiftMs: 0, origin, limit: 1_000, leaseToken: newId('req'), leaseMs: LEASE_MS },
    ...{ cursor: '', excluded: [], graceMs: 0, ...more },
  });
  return claimed.filter(({ accountId }) => accountId === bench.owner.accountId);
}

function shares(claimed: readonly ClaimedDelivery[], endpoints: readonly Endpoint[]): number[] {
  return endpoints.map(({ id }) => claimed.filter((each) => each.endpointId === id).length);
}

/** Of claims, what is particular to replays. */
export const claimCases: Cases = {
  'claims fresh events and replays apart, each fairly: four of each endpoint': async (bench) => {
    const stored = [await storedEndpoint(bench), await storedEndpoint(bench)];
    const endpoints = stored.toSorted((one, two) => (one.id < two.id ? -1 : 1));
    await replayed(bench, endpoints, 6);
    for (const origin of ['replay', 'event'] as const) {
      const excluded = endpoints.slice(0, 1).map(({ id }) => id);
      const claims = [
        await claimDue(bench, origin, { excluded }),
        await claimDue(bench, origin, { cursor: endpoints[0]?.id ?? '' }),
        await claimDue(bench, origin),
        await claimDue(bench, origin),
        await claimDue(bench, origin),
      ];
      const expected = [
        [0, 4],
        [0, 2],
        [4, 0],
        [2, 0],
        [0, 0],
      ];
      assert.deepEqual(
        claims.map((claimed) => shares(claimed, endpoints)),
        expected,
      );
      assert.ok(claims.flat().every((each) => each.origin === origin));
    }
  },
  [`gives each replay that is due to one of ${RACERS} claimers`]: async (bench) => {
    const endpoints = [await storedEndpoint(bench), await storedEndpoint(bench)];
    const made = await replayed(bench, endpoints, 8);
    const claimed = (await race(() => claimDue(bench, 'replay'))).flat();
    assert.deepEqual(claimed.map(({ id }) => id).toSorted(), made.map(({ id }) => id).toSorted());
  },
  'takes of the replays that are named no more than it may, and of fresh events all': async (
    bench,
  ) => {
    const endpoint = await storedEndpoint(bench);
    const again = await replayed(bench, [endpoint], 4);
    const named = async (replays: number) => {
      const wanted = again.map(({ id }) => ({ id, attempt: 1 }));
      const lease = { leaseToken: newId('req'), leaseMs: LEASE_MS, aheadMs: 0 };
      return (await bench.deliveries.claimById({ ...lease, shiftMs: 0, wanted, replays })).length;
    };
    assert.equal(await named(0), 0);
    assert.equal(await named(1), 1);
    assert.equal((await claimDue(bench, 'replay')).length, 3);
    assert.equal(await named(4), 0);
    const [fresh] = await claimDue(bench, 'event', { leaseMs: 0 });
    assert.ok(fresh);
    assert.equal((await claim(bench, fresh.id, { shiftMs: 1_000 }))?.origin, 'event');
  },
  'parks replays with the rest of a disabled endpoint, brings them back, and ends them': async (
    bench,
  ) => {
    const endpoint = await storedEndpoint(bench);
    const [again] = await replayed(bench, [endpoint], 1);
    assert.ok(again);
    const turn = (version: number, status: Endpoint['status']) =>
      bench.apply({
        writes: [{ mode: 'update', kind: 'endpoint', row: { ...endpoint, version, status } }],
      });
    const state = async () => (await bench.directory.deliveries.find(again.id))?.state;
    await turn(2, 'disabled');
    assert.equal(await state(), 'parked');
    await turn(3, 'enabled');
    assert.equal(await state(), 'pending');
    const running = await claim(bench, again.id);
    assert.ok(running);
    await turn(4, 'disabled');
    await bench.deliveries.release(running.leaseToken, [again.id]);
    assert.equal(await state(), 'pending');
    assert.ok((await bench.deliveries.parkDisabled(1_000)) >= 1);
    assert.equal(await state(), 'parked');
    await turn(5, 'enabled');
    await turn(6, 'deleted');
    assert.equal(await state(), 'canceled');
  },
};
