import assert from 'node:assert/strict';
import {
  type ClaimedDelivery,
  type Delivery,
  type Endpoint,
  newDelivery,
} from '@paymount/core/events';
import type { DeliveryId } from '@paymount/core/kernel';
import { AT, sampleEvent } from '../samples.ts';
import { RACERS, race, type StorageCases, type StorageSetup } from '../setup.ts';
import {
  claim,
  claimDue,
  claimNamed,
  end,
  publish,
  settle,
  storedEndpoint,
  turn,
} from './fan-out.ts';

/** Records events, delivers them to their subscribers, and replays each to `endpoints`. */
async function replayed(
  setup: StorageSetup,
  endpoints: readonly Endpoint[],
  events: number,
): Promise<readonly Delivery[]> {
  const made: Delivery[] = [];
  for (let count = 0; count < events; count += 1) {
    const event = sampleEvent(setup.owner);
    await setup.apply({ writes: [], events: [event] });
    const again = endpoints.map((each) => newDelivery(event, each, { origin: 'replay', at: AT }));
    assert.equal(await setup.apply({ writes: [], chosenDeliveries: again }), 'applied');
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
    setup,
  ) => {
    const stored = await Promise.all([1, 2, 3].map(() => storedEndpoint(setup)));
    const endpoints = stored.toSorted((one, two) => (one.id < two.id ? -1 : 1));
    const ids = endpoints.map(({ id }) => id);
    await replayed(setup, endpoints, 6);
    for (const [origin, expected] of [
      ['replay', TWO_OF_EACH],
      ['event', FOUR_OF_EACH],
    ] as const) {
      const claims = [
        await claimDue(setup, origin, { excluded: ids }),
        await claimDue(setup, origin, { excluded: ids.slice(0, 1) }),
        await claimDue(setup, origin, { cursor: ids[1] ?? '' }),
        await claimDue(setup, origin),
        await claimDue(setup, origin),
        await claimDue(setup, origin),
      ];
      assert.deepEqual(
        claims.map((claimed) => shares(claimed, endpoints)),
        expected,
      );
      assert.ok(claims.flat().every((each) => each.origin === origin));
    }
  },
  'claims first of slow endpoints that had accepted an event before': async (setup) => {
    const [back, never] = [await storedEndpoint(setup), await storedEndpoint(setup)];
    await publish(setup);
    for (const delivery of await claimDue(setup, 'event')) {
      const next = delivery.endpointId === back.id ? 'succeeded' : 'failed';
      await end(setup, delivery, { next });
    }
    const slow = [back, never].map(({ id }) => [id, 'slow'] as const);
    await setup.deliveries.changeLanes(new Map(slow));
    await publish(setup);
    const claimed = await claimDue(setup, 'event', { lane: 'slow', wasQuick: true });
    assert.deepEqual(shares(claimed, [back, never]), [1, 0]);
    assert.deepEqual(
      shares(await claimDue(setup, 'event', { lane: 'slow' }), [back, never]),
      [0, 1],
    );
  },
  [`gives each due replay to one of ${RACERS} claimers`]: async (setup) => {
    const endpoints = [await storedEndpoint(setup), await storedEndpoint(setup)];
    const made = await replayed(setup, endpoints, 8);
    const claimed = (await race(() => claimDue(setup, 'replay'))).flat();
    assert.deepEqual(claimed.map(({ id }) => id).toSorted(), made.map(({ id }) => id).toSorted());
  },
  'claims the named replays up to the limit, and all named fresh events': async (setup) => {
    const endpoint = await storedEndpoint(setup);
    const again = await replayed(setup, [endpoint], 4);
    const ids = again.map(({ id }) => id);
    const named = async (replays: number) =>
      (await claimNamed(setup, ids, { aheadMs: 0, replays })).deliveries.length;
    assert.equal(await named(0), 0);
    assert.equal(await named(1), 1);
    assert.equal((await claimDue(setup, 'replay')).length, 2);
    assert.equal((await claimDue(setup, 'replay')).length, 1);
    assert.equal(await named(4), 0);
    const [fresh] = await claimDue(setup, 'event', { leaseMs: 0 });
    assert.ok(fresh);
    assert.equal((await claim(setup, fresh.id, { shiftMs: 1_000 }))?.origin, 'event');
  },
  'claims as few named deliveries of each endpoint, and says of which origin it left some': async (
    setup,
  ) => {
    const stored = await Promise.all([1, 2, 3].map(() => storedEndpoint(setup)));
    const again = (await replayed(setup, stored, 6)).map(({ id }) => id);
    const fresh: DeliveryId[] = [];
    for (let count = 0; count < 6; count += 1) fresh.push(...(await publish(setup)).announced);
    const [slow, full, quick] = stored.map(({ id }) => id);
    assert.ok(slow && full && quick);
    for (const [named, origin, expected] of [
      [fresh, 'event', [4, 0, 5]],
      [again, 'replay', [2, 0, 3]],
    ] as const) {
      const batch = await claimNamed(setup, named, {
        excluded: origin === 'event' ? [full] : [],
        excludedFromReplays: [full],
        quick: { endpoints: [quick], perEndpoint: 5, replays: 3 },
      });
      assert.deepEqual(shares(batch.deliveries, stored), expected);
      assert.deepEqual(batch.left, [origin]);
    }
    const { accountId } = setup.owner;
    const none = await claimNamed(setup, fresh, { excludedAccounts: [accountId] });
    assert.deepEqual(none, { deliveries: [], left: ['event'] });
    // Nothing may be sent to these now, so no free slot can take what is left.
    const held = await claimNamed(setup, fresh, { held: stored.map(({ id }) => id) });
    assert.deepEqual(held, { deliveries: [], left: [] });
    const rest = await claimNamed(setup, fresh, {
      quick: { endpoints: [slow, full, quick], perEndpoint: 9, replays: 0 },
    });
    assert.deepEqual(shares(rest.deliveries, stored), [2, 6, 1]);
    assert.deepEqual(rest.left, []);
  },
  'parks the replays of a disabled endpoint with its other deliveries, resumes them, and cancels them':
    async (setup) => {
      const endpoint = await storedEndpoint(setup);
      const [again] = await replayed(setup, [endpoint], 1);
      assert.ok(again);
      const state = async () => (await setup.directory.deliveries.find(again.id))?.state;
      const disabled = await turn(setup, endpoint, 'disabled');
      await settle(setup);
      assert.equal(await state(), 'parked');
      const enabled = await turn(setup, disabled, 'enabled');
      await settle(setup);
      assert.equal(await state(), 'pending');
      const running = await claim(setup, again.id);
      assert.ok(running);
      const paused = await turn(setup, enabled, 'disabled');
      await setup.deliveries.release(running.leaseToken, [again.id]);
      assert.equal(await state(), 'pending');
      await settle(setup);
      assert.equal(await state(), 'parked');
      await turn(setup, await turn(setup, paused, 'enabled'), 'deleted');
      await settle(setup);
      assert.equal(await state(), 'canceled');
    },
};
