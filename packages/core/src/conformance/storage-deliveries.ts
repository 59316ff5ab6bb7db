import assert from 'node:assert/strict';
import type { ClaimedDelivery, Verdict } from '../events/deliveries/delivery.ts';
import type { Endpoint } from '../events/endpoints/endpoint.ts';
import { newId } from '../kernel/basics/id.ts';
import { expectCount, RACERS, race, type StorageBench } from './storage-bench.ts';
import { claim, LEASE_MS, publish, storedEndpoint } from './storage-fan-out.ts';
import { sampleAttempt } from './storage-samples.ts';

type Cases = Record<string, (bench: StorageBench) => Promise<void>>;

async function claimed(bench: StorageBench): Promise<ClaimedDelivery> {
  const [id] = (await publish(bench)).announced;
  assert.ok(id);
  const delivery = await claim(bench, id);
  assert.ok(delivery);
  return delivery;
}

async function end(bench: StorageBench, delivery: ClaimedDelivery, verdict: Verdict) {
  const { id, attempt } = delivery;
  const record = sampleAttempt(delivery);
  const closed = await bench.deliveries.close([{ id, attempt, verdict, record, endedAgoMs: 0 }]);
  assert.equal(closed.length, 1);
  return closed[0];
}

const attempts: Cases = {
  [`gives a delivery to one of ${RACERS} claimers`]: async (bench) => {
    await storedEndpoint(bench);
    const [id] = (await publish(bench)).announced;
    assert.ok(id);
    const got = await race(async () => (await claim(bench, id)) !== undefined);
    expectCount(got, true, 1);
  },
  [`closes an attempt once, with ${RACERS} results at once`]: async (bench) => {
    await storedEndpoint(bench);
    const delivery = await claimed(bench);
    const verdict = { next: 'retry', attempt: 2, waitMs: 300_000 } as const;
    const closed = await race(async () => (await end(bench, delivery, verdict))?.closed);
    expectCount<boolean | undefined>(closed, true, 1);
  },
  'waits from the end of the attempt, and is not due a moment earlier': async (bench) => {
    await storedEndpoint(bench);
    const delivery = await claimed(bench);
    const waiting = await end(bench, delivery, { next: 'retry', attempt: 2, waitMs: 300_000 });
    assert.ok(waiting?.dueAt);
    assert.equal(await claim(bench, delivery.id, { attempt: 2, shiftMs: 298_000 }), undefined);
    assert.equal(await claim(bench, delivery.id, { attempt: 1, shiftMs: 300_000 }), undefined);
    const second = await claim(bench, delivery.id, { attempt: 2, shiftMs: 300_000 });
    assert.equal(second?.attempt, 2);
  },
  'ends a delivery that succeeded or failed, and says so of its event': async (bench) => {
    await storedEndpoint(bench);
    const { events } = bench.storage.read;
    const delivered = async (deliverySuccess: boolean) =>
      (await events.list(bench.owner, { deliverySuccess }, { limit: 10 })).data.map(({ id }) => id);
    const first = await claimed(bench);
    assert.deepEqual(await delivered(false), [first.eventId]);
    await end(bench, first, { next: 'succeeded' });
    assert.equal(await claim(bench, first.id), undefined);
    const second = await claimed(bench);
    await end(bench, second, { next: 'failed' });
    assert.equal(await claim(bench, second.id), undefined);
    assert.deepEqual(await delivered(true), [first.eventId]);
    assert.deepEqual(await delivered(false), [second.eventId]);
  },
  'hands a delivery back unsent, but only to the holder of its lease': async (bench) => {
    await storedEndpoint(bench);
    const delivery = await claimed(bench);
    await bench.deliveries.release(newId('req'), [delivery.id]);
    assert.equal(await claim(bench, delivery.id), undefined);
    await bench.deliveries.release(delivery.leaseToken, [delivery.id]);
    assert.equal((await claim(bench, delivery.id))?.abandoned, undefined);
  },
  'tells who held a delivery when the lease ran out': async (bench) => {
    await storedEndpoint(bench);
    const first = await claimed(bench);
    const second = await claim(bench, first.id, { shiftMs: LEASE_MS + 1_000 });
    assert.equal(second?.abandoned?.token, first.leaseToken);
    assert.equal(second?.attempt, 1);
    await bench.deliveries.recordAbandoned([{ ...sampleAttempt(first), outcome: 'unknown' }]);
  },
};

const backlog: Cases = {
  'claims what is overdue fairly: four of each endpoint, round and round': async (bench) => {
    const endpoints = [await storedEndpoint(bench), await storedEndpoint(bench)];
    for (let event = 0; event < 6; event += 1) await publish(bench);
    const leaseToken = newId('req');
    const lease = { leaseToken, leaseMs: LEASE_MS };
    const due = { ...lease, shiftMs: 0, limit: 1_000, origin: 'event', graceMs: 0 } as const;
    const count = async (excluded: readonly Endpoint[]) => {
      const excludedIds = excluded.map(({ id }) => id);
      const got = await bench.deliveries.claimDue({ ...due, cursor: '', excluded: excludedIds });
      return endpoints.map((each) => got.filter(({ endpointId }) => endpointId === each.id).length);
    };
    assert.deepEqual(await count(endpoints), [0, 0]);
    assert.deepEqual(await count(endpoints.slice(0, 1)), [0, 4]);
    assert.deepEqual(await count([]), [4, 2]);
    assert.deepEqual(await count([]), [2, 0]);
  },
  'leaves what has not been overdue for the grace': async (bench) => {
    await storedEndpoint(bench);
    await publish(bench);
    const claimDue = { shiftMs: 0, limit: 1_000, leaseToken: newId('req'), leaseMs: LEASE_MS };
    const due = { ...claimDue, cursor: '', excluded: [], origin: 'event' } as const;
    const mine = (got: readonly ClaimedDelivery[]) =>
      got.filter(({ accountId }) => accountId === bench.owner.accountId).length;
    assert.equal(mine(await bench.deliveries.claimDue({ ...due, graceMs: 60_000 })), 0);
    assert.ok((await bench.deliveries.overdueMs(60_000)) >= 60_000);
    assert.equal(mine(await bench.deliveries.claimDue({ ...due, graceMs: 0 })), 1);
  },
  'parks what waits for a disabled endpoint, brings it back, and ends it on deletion': async (
    bench,
  ) => {
    const endpoint = await storedEndpoint(bench);
    const [id] = (await publish(bench)).announced;
    assert.ok(id);
    const turn = (version: number, status: Endpoint['status']) =>
      bench.apply({
        writes: [{ mode: 'update', kind: 'endpoint', row: { ...endpoint, version, status } }],
      });
    await turn(2, 'disabled');
    assert.equal(await claim(bench, id), undefined);
    await turn(3, 'enabled');
    const running = await claim(bench, id);
    assert.ok(running);
    await turn(4, 'disabled');
    await end(bench, running, { next: 'retry', attempt: 2, waitMs: 0 });
    assert.ok((await bench.deliveries.parkDisabled(1_000)) >= 1);
    assert.equal(await bench.deliveries.resumeEnabled(1_000), 0);
    await turn(5, 'enabled');
    assert.equal((await claim(bench, id, { attempt: 2 }))?.attempt, 2);
    await turn(6, 'deleted');
    assert.equal(await claim(bench, id, { attempt: 2, shiftMs: LEASE_MS + 1_000 }), undefined);
  },
};

/** What the delivery engine does with the rows. */
export const deliveryCases: Cases = { ...attempts, ...backlog };
