import assert from 'node:assert/strict';
import {
  type ClaimedDelivery,
  type Delivery,
  type Endpoint,
  newDelivery,
} from '@paymount/core/events';
import type { DeliveryId } from '@paymount/core/kernel';
import { RACERS, race, type StorageBench, type StorageCases } from '../bench.ts';
import { AT, sampleEvent } from '../samples.ts';
import { claim, claimDue, claimNamed, publish, settle, storedEndpoint, turn } from './fan-out.ts';

/** Records events, delivers them to their subscribers, and replays each to `endpoints`. */
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

function shares(claimed: readonly ClaimedDelivery[], endpoints: readonly Endpoint[]): number[] {
  return endpoints.map(({ id }) => claimed.filter((each) => each.endpointId === id).length);
}

/** How many of six deliveries of each of three endpoints the claims of one case take. */
const FOUR_OF_EACH = [
  [0, 0, 0],
  [0, 4, 4],
  [0, 0, 2],
  [4, 2, 0],
  [2, 0, 0],
  [0, 0, 0],
];
const TWO_OF_EACH = [
  [0, 0, 0],
  [0, 2, 2],
  [0, 0, 2],
  [2, 2, 2],
  [2, 2, 0],
  [2, 0, 0],
];

/** Claims of replays. */
export const claimCases: StorageCases = {
  'claims fresh events and replays separately, each fairly: four or two of each endpoint': async (
    bench,
  ) => {
    const stored = await Promise.all([1, 2, 3].map(() => storedEndpoint(bench)));
    const endpoints = stored.toSorted((one, two) => (one.id < two.id ? -1 : 1));
    const ids = endpoints.map(({ id }) => id);
    await replayed(bench, endpoints, 6);
    for (const [origin, expected] of [
      ['replay', TWO_OF_EACH],
      ['event', FOUR_OF_EACH],
    ] as const) {
      const claims = [
        await claimDue(bench, origin, { excluded: ids }),
        await claimDue(bench, origin, { excluded: ids.slice(0, 1) }),
        await claimDue(bench, origin, { cursor: ids[1] ?? '' }),
        await claimDue(bench, origin),
        await claimDue(bench, origin),
        await claimDue(bench, origin),
      ];
      assert.deepEqual(
        claims.map((claimed) => shares(claimed, endpoints)),
        expected,
      );
      assert.ok(claims.flat().every((each) => each.origin === origin));
    }
  },
  [`gives each due replay to one of ${RACERS} claimers`]: async (bench) => {
    const endpoints = [await storedEndpoint(bench), await storedEndpoint(bench)];
    const made = await replayed(bench, endpoints, 8);
    const claimed = (await race(() => claimDue(bench, 'replay'))).flat();
    assert.deepEqual(claimed.map(({ id }) => id).toSorted(), made.map(({ id }) => id).toSorted());
  },
  'claims the named replays up to the limit, and all named fresh events': async (bench) => {
    const endpoint = await storedEndpoint(bench);
    const again = await replayed(bench, [endpoint], 4);
    const ids = again.map(({ id }) => id);
    const named = async (replays: number) =>
      (await claimNamed(bench, ids, { aheadMs: 0, replays })).deliveries.length;
    assert.equal(await named(0), 0);
    assert.equal(await named(1), 1);
    assert.equal((await claimDue(bench, 'replay')).length, 2);
    assert.equal((await claimDue(bench, 'replay')).length, 1);
    assert.equal(await named(4), 0);
    const [fresh] = await claimDue(bench, 'event', { leaseMs: 0 });
    assert.ok(fresh);
    assert.equal((await claim(bench, fresh.id, { shiftMs: 1_000 }))?.origin, 'event');
  },
  'claims as few named deliveries of each endpoint, and says of which origin it left some': async (
    bench,
  ) => {
    const stored = await Promise.all([1, 2, 3].map(() => storedEndpoint(bench)));
    const again = (await replayed(bench, stored, 6)).map(({ id }) => id);
    const fresh: DeliveryId[] = [];
    for (let count = 0; count < 6; count += 1) fresh.push(...(await publish(bench)).announced);
    const [slow, full, quick] = stored.map(({ id }) => id);
    assert.ok(slow && full && quick);
    for (const [named, origin, expected] of [
      [fresh, 'event', [4, 0, 5]],
      [again, 'replay', [2, 0, 3]],
    ] as const) {
      const batch = await claimNamed(bench, named, {
        excluded: origin === 'event' ? [full] : [],
        excludedFromReplays: [full],
        quick: { endpoints: [quick], perEndpoint: 5, replays: 3 },
      });
      assert.deepEqual(shares(batch.deliveries, stored), expected);
      assert.deepEqual(batch.left, [origin]);
    }
    const { accountId } = bench.owner;
    const none = await claimNamed(bench, fresh, { excludedAccounts: [accountId] });
    assert.deepEqual(none, { deliveries: [], left: ['event'] });
    const rest = await claimNamed(bench, fresh, {
      quick: { endpoints: [slow, full, quick], perEndpoint: 9, replays: 0 },
    });
    assert.deepEqual(shares(rest.deliveries, stored), [2, 6, 1]);
    assert.deepEqual(rest.left, []);
  },
  'parks the replays of a disabled endpoint with its other deliveries, resumes them, and cancels them':
    async (bench) => {
      const endpoint = await storedEndpoint(bench);
      const [again] = await replayed(bench, [endpoint], 1);
      assert.ok(again);
      const state = async () => (await bench.directory.deliveries.find(again.id))?.state;
      const disabled = await turn(bench, endpoint, 'disabled');
      await settle(bench);
      assert.equal(await state(), 'parked');
      const enabled = await turn(bench, disabled, 'enabled');
      await settle(bench);
      assert.equal(await state(), 'pending');
      const running = await claim(bench, again.id);
      assert.ok(running);
      const paused = await turn(bench, enabled, 'disabled');
      await bench.deliveries.release(running.leaseToken, [again.id]);
      assert.equal(await state(), 'pending');
      await settle(bench);
      assert.equal(await state(), 'parked');
      await turn(bench, await turn(bench, paused, 'enabled'), 'deleted');
      await settle(bench);
      assert.equal(await state(), 'canceled');
    },
};
