import assert from 'node:assert/strict';
import {
  type ClaimedDelivery,
  type FailingEndpoint,
  type FailingVerdict,
  WARN_AFTER_MS,
} from '@paymount/core/events';
import { type DeliveryId, newId } from '@paymount/core/kernel';
import { expectCount, RACERS, race, type StorageBench, type StorageCases } from '../bench.ts';
import { AT, later, sampleAttempt } from '../samples.ts';
import {
  claim,
  claimDue,
  end,
  LEASE_MS,
  publish,
  published,
  settle,
  storedEndpoint,
  turn,
} from './fan-out.ts';

async function claimed(bench: StorageBench): Promise<ClaimedDelivery> {
  const delivery = await claim(bench, await published(bench));
  assert.ok(delivery);
  return delivery;
}

const attempts: StorageCases = {
  [`gives a delivery to one of ${RACERS} claimers`]: async (bench) => {
    await storedEndpoint(bench);
    const id = await published(bench);
    const got = await race(async () => (await claim(bench, id)) !== undefined);
    expectCount(got, true, 1);
  },
  [`closes an attempt only once with ${RACERS} concurrent results`]: async (bench) => {
    await storedEndpoint(bench);
    const delivery = await claimed(bench);
    const verdict = { next: 'retry', attempt: 2, waitMs: 300_000 } as const;
    const closed = await race(async () => (await end(bench, delivery, verdict))?.closed);
    expectCount<boolean | undefined>(closed, true, 1);
  },
  'measures the wait from the end of the attempt, and is not due earlier': async (bench) => {
    await storedEndpoint(bench);
    const delivery = await claimed(bench);
    const waiting = await end(bench, delivery, { next: 'retry', attempt: 2, waitMs: 300_000 });
    assert.ok(waiting?.dueAt);
    assert.equal(await claim(bench, delivery.id, { attempt: 2, shiftMs: 298_000 }), undefined);
    assert.equal(await claim(bench, delivery.id, { attempt: 1, shiftMs: 300_000 }), undefined);
    const second = await claim(bench, delivery.id, { attempt: 2, shiftMs: 300_000 });
    assert.equal(second?.attempt, 2);
  },
  'ends a delivery that succeeded or failed, and shows that on its event': async (bench) => {
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
  'releases an unsent delivery only for the holder of its lease': async (bench) => {
    await storedEndpoint(bench);
    const delivery = await claimed(bench);
    await bench.deliveries.release(newId('req'), [delivery.id]);
    assert.equal(await claim(bench, delivery.id), undefined);
    await bench.deliveries.release(delivery.leaseToken, [delivery.id]);
    assert.equal((await claim(bench, delivery.id))?.abandoned, undefined);
  },
  'returns who held a delivery when its lease expired': async (bench) => {
    await storedEndpoint(bench);
    const first = await claimed(bench);
    const second = await claim(bench, first.id, { shiftMs: LEASE_MS + 1_000 });
    assert.equal(second?.abandoned?.token, first.leaseToken);
    assert.equal(second?.attempt, 1);
    await bench.deliveries.recordAbandoned([{ ...sampleAttempt(first), outcome: 'unknown' }]);
  },
};

const failing: StorageCases = {
  'knows since when an endpoint fails, and forgets it at a success': async (bench) => {
    const endpoint = await storedEndpoint(bench);
    const since = async () =>
      (await bench.storage.read.endpoints.find(bench.owner, endpoint.id))?.failingSince;
    assert.equal(await since(), undefined);
    await end(bench, await claimed(bench), { next: 'failed' }, { at: AT });
    assert.deepEqual(await since(), AT);
    const scope = { accounts: 'all', environments: ['live', 'test'] } as const;
    const listed = async (failing: boolean) => {
      const filter = { account: bench.owner.accountId, failing };
      const page = await bench.directory.endpoints.list(scope, filter, { limit: 10 });
      return page.data.map(({ id }) => id);
    };
    assert.deepEqual(await listed(true), [endpoint.id]);
    assert.deepEqual(await listed(false), []);
    await end(bench, await claimed(bench), { next: 'failed' }, { at: later(1) });
    assert.deepEqual(await since(), AT);
    await end(bench, await claimed(bench), { next: 'succeeded' }, { at: later(2) });
    assert.equal(await since(), undefined);
    await end(bench, await claimed(bench), { next: 'failed' }, { at: later(3) });
    assert.deepEqual(await since(), later(3));
    await turn(bench, await turn(bench, endpoint, 'disabled'), 'enabled');
    assert.equal(await since(), undefined);
  },
  [`commits the verdict about a failing endpoint once with ${RACERS} concurrent results`]: async (
    bench,
  ) => {
    const endpoint = await storedEndpoint(bench);
    await end(bench, await claimed(bench), { next: 'failed' }, { at: AT });
    const running: ClaimedDelivery[] = [];
    for (let count = 0; count < RACERS; count += 1) running.push(await claimed(bench));
    const at = new Date(AT.getTime() + WARN_AFTER_MS);
    let decided = 0;
    const decide = (found: FailingEndpoint): FailingVerdict => {
      decided += 1;
      assert.deepEqual([found.failingSince, found.failedAt], [AT, at]);
      const { accountId, environment } = endpoint;
      const row = { ...found.endpoint, version: found.endpoint.version + 1 };
      const disabled = { ...row, status: 'disabled', disabledReason: 'failing' } as const;
      const writes = [{ kind: 'endpoint', mode: 'update', row: disabled }] as const;
      const change = { accountId, environment, at, writes };
      return { kind: 'disabling', mails: [], change, isUnmailable: false, isUnwarned: false };
    };
    await race((racer) => {
      const delivery = running[racer];
      assert.ok(delivery);
      return end(bench, delivery, { next: 'failed' }, { decide, at });
    });
    assert.equal(decided, 1);
    const found = await bench.storage.read.endpoints.find(bench.owner, endpoint.id);
    assert.deepEqual([found?.status, found?.version], ['disabled', 2]);
  },
};

const backlog: StorageCases = {
  'leaves deliveries that are overdue by less than the grace period': async (bench) => {
    await storedEndpoint(bench);
    await publish(bench);
    assert.deepEqual(await claimDue(bench, 'event', { graceMs: 60_000 }), []);
    assert.ok((await bench.deliveries.overdueMs(60_000)).fast >= 60_000);
    assert.equal((await claimDue(bench, 'event')).length, 1);
  },
  'parks the deliveries of a disabled endpoint, resumes them, and cancels them on deletion': async (
    bench,
  ) => {
    const endpoint = await storedEndpoint(bench);
    const id = await published(bench);
    const disabled = await turn(bench, endpoint, 'disabled');
    assert.equal(await claim(bench, id), undefined);
    await settle(bench);
    const state = async () => (await bench.directory.deliveries.find(id))?.state;
    assert.equal(await state(), 'parked');
    const enabled = await turn(bench, disabled, 'enabled');
    await settle(bench);
    const running = await claim(bench, id);
    assert.ok(running);
    const again = await turn(bench, enabled, 'disabled');
    await end(bench, running, { next: 'retry', attempt: 2, waitMs: 0 });
    await settle(bench);
    assert.equal(await state(), 'parked');
    const back = await turn(bench, again, 'enabled');
    await settle(bench);
    assert.equal((await claim(bench, id, { attempt: 2 }))?.attempt, 2);
    await turn(bench, back, 'deleted');
    assert.equal(await claim(bench, id, { attempt: 2, shiftMs: LEASE_MS + 1_000 }), undefined);
    await settle(bench);
    assert.equal(await state(), 'pending');
    assert.equal(await claim(bench, id, { attempt: 2, shiftMs: LEASE_MS + 1_000 }), undefined);
  },
  'applies a status in steps, and each status that the endpoint gets meanwhile': async (bench) => {
    const endpoint = await storedEndpoint(bench);
    const ids: DeliveryId[] = [];
    for (let count = 0; count < 5; count += 1) ids.push(await published(bench));
    const states = async () => {
      const found = await Promise.all(ids.map((id) => bench.directory.deliveries.find(id)));
      return found.map((delivery) => delivery?.state).toSorted();
    };
    const disabled = await turn(bench, endpoint, 'disabled');
    assert.equal(await bench.deliveries.applyStatuses(2), true);
    assert.deepEqual(await states(), ['parked', 'parked', 'pending', 'pending', 'pending']);
    const enabled = await turn(bench, disabled, 'enabled');
    await settle(bench);
    assert.deepEqual(await states(), Array(5).fill('pending'));
    const again = await turn(bench, enabled, 'disabled');
    await race(() => bench.deliveries.applyStatuses(1));
    await settle(bench);
    assert.deepEqual(await states(), Array(5).fill('parked'));
    await turn(bench, again, 'deleted');
    await race(() => bench.deliveries.applyStatuses(1));
    await settle(bench);
    assert.deepEqual(await states(), Array(5).fill('canceled'));
  },
};

/** The use of storage by the delivery engine. */
export const deliveryCases: StorageCases = { ...attempts, ...failing, ...backlog };
