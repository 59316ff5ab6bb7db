import assert from 'node:assert/strict';
import {
  type ClaimedDelivery,
  type FailingEndpoint,
  type FailingVerdict,
  WARN_AFTER_MS,
} from '@paymount/core/events';
import { type DeliveryId, newId } from '@paymount/core/kernel';
import { AT, later, sampleAttempt } from '../samples.ts';
import { expectCount, RACERS, race, type StorageCases, type StorageSetup } from '../setup.ts';
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

async function claimed(setup: StorageSetup): Promise<ClaimedDelivery> {
  const delivery = await claim(setup, await published(setup));
  assert.ok(delivery);
  return delivery;
}

const attempts: StorageCases = {
  [`gives a delivery to one of ${RACERS} claimers`]: async (setup) => {
    await storedEndpoint(setup);
    const id = await published(setup);
    const got = await race(async () => (await claim(setup, id)) !== undefined);
    expectCount(got, true, 1);
  },
  [`closes an attempt only once with ${RACERS} concurrent results`]: async (setup) => {
    await storedEndpoint(setup);
    const delivery = await claimed(setup);
    const verdict = { next: 'retry', attempt: 2, waitMs: 300_000 } as const;
    const closed = await race(async () => (await end(setup, delivery, verdict))?.closed);
    expectCount<boolean | undefined>(closed, true, 1);
  },
  'measures the wait from the end of the attempt, and is not due earlier': async (setup) => {
    await storedEndpoint(setup);
    const delivery = await claimed(setup);
    const waiting = await end(setup, delivery, { next: 'retry', attempt: 2, waitMs: 300_000 });
    assert.ok(waiting?.dueAt);
    assert.equal(await claim(setup, delivery.id, { attempt: 2, shiftMs: 298_000 }), undefined);
    assert.equal(await claim(setup, delivery.id, { attempt: 1, shiftMs: 300_000 }), undefined);
    const second = await claim(setup, delivery.id, { attempt: 2, shiftMs: 300_000 });
    assert.equal(second?.attempt, 2);
  },
  'ends a delivery that succeeded or failed, and shows that on its event': async (setup) => {
    await storedEndpoint(setup);
    const { events } = setup.storage.read;
    const delivered = async (deliverySuccess: boolean) =>
      (await events.list(setup.owner, { deliverySuccess }, { limit: 10 })).data.map(({ id }) => id);
    const first = await claimed(setup);
    assert.deepEqual(await delivered(false), [first.eventId]);
    await end(setup, first, { next: 'succeeded' });
    assert.equal(await claim(setup, first.id), undefined);
    const second = await claimed(setup);
    await end(setup, second, { next: 'failed' });
    assert.equal(await claim(setup, second.id), undefined);
    assert.deepEqual(await delivered(true), [first.eventId]);
    assert.deepEqual(await delivered(false), [second.eventId]);
  },
  'releases an unsent delivery only for the holder of its lease': async (setup) => {
    await storedEndpoint(setup);
    const delivery = await claimed(setup);
    await setup.deliveries.release(newId('req'), [delivery.id]);
    assert.equal(await claim(setup, delivery.id), undefined);
    await setup.deliveries.release(delivery.leaseToken, [delivery.id]);
    assert.equal((await claim(setup, delivery.id))?.abandoned, undefined);
  },
  'lengthens a lease only for its holder': async (setup) => {
    await storedEndpoint(setup);
    const { id, leaseToken } = await claimed(setup);
    await setup.deliveries.renewLeases([{ id, leaseToken: newId('req') }], 10 * LEASE_MS);
    await setup.deliveries.renewLeases([{ id, leaseToken }], 3 * LEASE_MS);
    assert.equal(await claim(setup, id, { shiftMs: 2 * LEASE_MS }), undefined);
    assert.equal((await claim(setup, id, { shiftMs: 4 * LEASE_MS }))?.attempt, 1);
  },
  'tells which attempts deliveries wait for': async (setup) => {
    await storedEndpoint(setup);
    const first = await claimed(setup);
    const second = await claimed(setup);
    await end(setup, first, { next: 'retry', attempt: 2, waitMs: 300_000 });
    await end(setup, second, { next: 'succeeded' });
    const named = [first, second].flatMap(({ id }) => [1, 2].map((attempt) => ({ id, attempt })));
    assert.deepEqual(await setup.deliveries.findWaiting(named), [{ id: first.id, attempt: 2 }]);
  },
  'records a result again as what it was, if the answer was lost': async (setup) => {
    await storedEndpoint(setup);
    const { id, attempt, ...rest } = await claimed(setup);
    const record = { ...sampleAttempt({ id, attempt, ...rest }), outcome: 'failed' } as const;
    const verdict = { next: 'retry', attempt: 2, waitMs: 300_000 } as const;
    const result = { id, attempt, verdict, record, endedAt: AT, endedAgoMs: 0 };
    const [first] = await setup.deliveries.close([result], () => undefined);
    assert.equal(first?.closed, true);
    assert.deepEqual(await setup.deliveries.close([result], () => undefined), [first]);
  },
  'returns who held a delivery when its lease expired': async (setup) => {
    await storedEndpoint(setup);
    const first = await claimed(setup);
    const second = await claim(setup, first.id, { shiftMs: LEASE_MS + 1_000 });
    assert.equal(second?.abandoned?.token, first.leaseToken);
    assert.equal(second?.attempt, 1);
    await setup.deliveries.recordAbandoned([{ ...sampleAttempt(first), outcome: 'unknown' }]);
  },
};

const failing: StorageCases = {
  'knows since when an endpoint fails, and forgets it at a success': async (setup) => {
    const endpoint = await storedEndpoint(setup);
    const since = async () =>
      (await setup.storage.read.endpoints.find(setup.owner, endpoint.id))?.failingSince;
    assert.equal(await since(), undefined);
    await end(setup, await claimed(setup), { next: 'failed' }, { at: AT });
    assert.deepEqual(await since(), AT);
    const scope = { accounts: 'all', environments: ['live', 'test'] } as const;
    const listed = async (failing: boolean) => {
      const filter = { account: setup.owner.accountId, failing };
      const page = await setup.directory.endpoints.list(scope, filter, { limit: 10 });
      return page.data.map(({ id }) => id);
    };
    assert.deepEqual(await listed(true), [endpoint.id]);
    assert.deepEqual(await listed(false), []);
    await end(setup, await claimed(setup), { next: 'failed' }, { at: later(1) });
    assert.deepEqual(await since(), AT);
    await end(setup, await claimed(setup), { next: 'succeeded' }, { at: later(2) });
    assert.equal(await since(), undefined);
    await end(setup, await claimed(setup), { next: 'failed' }, { at: later(3) });
    assert.deepEqual(await since(), later(3));
    await turn(setup, await turn(setup, endpoint, 'disabled'), 'enabled');
    assert.equal(await since(), undefined);
  },
  [`commits the verdict about a failing endpoint once with ${RACERS} concurrent results`]: async (
    setup,
  ) => {
    const endpoint = await storedEndpoint(setup);
    await end(setup, await claimed(setup), { next: 'failed' }, { at: AT });
    const running: ClaimedDelivery[] = [];
    for (let count = 0; count < RACERS; count += 1) running.push(await claimed(setup));
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
      return end(setup, delivery, { next: 'failed' }, { decide, at });
    });
    assert.equal(decided, 1);
    const found = await setup.storage.read.endpoints.find(setup.owner, endpoint.id);
    assert.deepEqual([found?.status, found?.version], ['disabled', 2]);
  },
};

const backlog: StorageCases = {
  'leaves deliveries that are overdue by less than the grace period': async (setup) => {
    await storedEndpoint(setup);
    await publish(setup);
    assert.deepEqual(await claimDue(setup, 'event', { graceMs: 60_000 }), []);
    assert.ok((await setup.deliveries.overdueMs(60_000)).fast >= 60_000);
    assert.equal((await claimDue(setup, 'event')).length, 1);
  },
  'parks the deliveries of a disabled endpoint, resumes them, and cancels them on deletion': async (
    setup,
  ) => {
    const endpoint = await storedEndpoint(setup);
    const id = await published(setup);
    const disabled = await turn(setup, endpoint, 'disabled');
    assert.equal(await claim(setup, id), undefined);
    await settle(setup);
    const state = async () => (await setup.directory.deliveries.find(id))?.state;
    assert.equal(await state(), 'parked');
    const enabled = await turn(setup, disabled, 'enabled');
    await settle(setup);
    const running = await claim(setup, id);
    assert.ok(running);
    const again = await turn(setup, enabled, 'disabled');
    await end(setup, running, { next: 'retry', attempt: 2, waitMs: 0 });
    await settle(setup);
    assert.equal(await state(), 'parked');
    const back = await turn(setup, again, 'enabled');
    await settle(setup);
    assert.equal((await claim(setup, id, { attempt: 2 }))?.attempt, 2);
    await turn(setup, back, 'deleted');
    assert.equal(await claim(setup, id, { attempt: 2, shiftMs: LEASE_MS + 1_000 }), undefined);
    await settle(setup);
    assert.equal(await state(), 'pending');
    assert.equal(await claim(setup, id, { attempt: 2, shiftMs: LEASE_MS + 1_000 }), undefined);
  },
  'applies a status in steps, and each status that the endpoint gets meanwhile': async (setup) => {
    const endpoint = await storedEndpoint(setup);
    const ids: DeliveryId[] = [];
    for (let count = 0; count < 5; count += 1) ids.push(await published(setup));
    const states = async () => {
      const found = await Promise.all(ids.map((id) => setup.directory.deliveries.find(id)));
      return found.map((delivery) => delivery?.state).toSorted();
    };
    const disabled = await turn(setup, endpoint, 'disabled');
    assert.equal(await setup.deliveries.applyStatuses(2), true);
    assert.deepEqual(await states(), ['parked', 'parked', 'pending', 'pending', 'pending']);
    const enabled = await turn(setup, disabled, 'enabled');
    await settle(setup);
    assert.deepEqual(await states(), Array(5).fill('pending'));
    const again = await turn(setup, enabled, 'disabled');
    await race(() => setup.deliveries.applyStatuses(1));
    await settle(setup);
    assert.deepEqual(await states(), Array(5).fill('parked'));
    await turn(setup, again, 'deleted');
    await race(() => setup.deliveries.applyStatuses(1));
    await settle(setup);
    assert.deepEqual(await states(), Array(5).fill('canceled'));
  },
};

/** The use of storage by the delivery engine. */
export const deliveryCases: StorageCases = { ...attempts, ...failing, ...backlog };
