import assert from 'node:assert/strict';
import type { Event } from '@paymount/core/changes';
import { newDelivery } from '@paymount/core/events';
import type { ExpungeRequest, ExpungeSelection } from '@paymount/core/expunging';
import { newId } from '@paymount/core/kernel';
import { claimDue, end, storedEndpoint } from './events/fan-out.ts';
import { AT, later, sampleEvent } from './samples.ts';
import { RACERS, race, type StorageCases, type StorageSetup } from './setup.ts';

async function stored(
  { storage, owner }: StorageSetup,
  selection: ExpungeSelection,
): Promise<ExpungeRequest> {
  const request: ExpungeRequest = {
    ...owner,
    id: newId('expr'),
    status: 'pending',
    selection,
    reason: 'A test.',
    counts: { events: 0, canceledDeliveries: 0, attempts: 0 },
    created: AT,
  };
  await storage.transaction(({ expunges }) => expunges.insert(request));
  return request;
}

async function recorded(setup: StorageSetup, count: number): Promise<readonly Event[]> {
  const events = Array.from({ length: count }, () => sampleEvent(setup.owner, 'payout.paid'));
  await setup.apply({ writes: [], events });
  return events;
}

/** One step, which ends the request if it is the last. */
function step({ expunges }: StorageSetup, { id }: ExpungeRequest) {
  return expunges.step(id, async (rows, request) => {
    const { eventIds, position, isLast } = await rows.choose();
    const { isWhole, ...counts } = await rows.expunge(eventIds, later(1));
    const facts = { ...request, startedAt: AT, counts };
    const after: ExpungeRequest =
      isLast && isWhole
        ? { ...facts, status: 'succeeded', finishedAt: later(1) }
        : { ...facts, status: 'running', ...(position && { position }) };
    await rows.save(after, later(1));
    return counts;
  });
}

/** Requests to delete the data of events, and what is left of them. */
export const expungingCases: StorageCases = {
  'keeps every field of an expunge request, and shows it only to admins who may see it': async (
    setup,
  ) => {
    const [event] = await recorded(setup, 1);
    assert.ok(event);
    const request = await stored(setup, {
      eventIds: [event.id],
      objectId: event.objectId,
      createdFilter: { gt: later(-2), gte: later(-1), lt: later(3), lte: later(2) },
    });
    const { expunges } = setup.directory;
    const { accountId, environment } = setup.owner;
    const scope = { accounts: [accountId], environments: [environment] };
    assert.deepEqual(await expunges.find(scope, request.id), request);
    const listed = await expunges.list(scope, { status: 'pending' }, { limit: 10 });
    assert.deepEqual(listed.data, [request]);
    for (const stranger of setup.strangers) {
      const other = { accounts: [stranger.accountId], environments: [stranger.environment] };
      assert.equal(await expunges.find(other, request.id), undefined);
      assert.deepEqual((await expunges.list(other, {}, { limit: 10 })).data, []);
    }
    await step(setup, request);
    await setup.expunges.fail(request.id, later(2), 'It has ended.');
    const ended = await expunges.find(scope, request.id);
    assert.deepEqual([ended?.status, ended?.counts.events], ['succeeded', 1]);
  },
  'deletes the bodies of events, and of their attempts, and cancels what waits': async (setup) => {
    const endpoint = await storedEndpoint(setup, ['payout.paid']);
    const [event, kept] = await recorded(setup, 2);
    assert.ok(event && kept);
    const [first] = (await claimDue(setup, 'event')).filter(({ eventId }) => eventId === event.id);
    assert.ok(first);
    await end(setup, first, { next: 'retry', attempt: 2, waitMs: 60_000 });
    const request = await stored(setup, { objectId: event.objectId });
    assert.deepEqual(await step(setup, request), {
      events: 1,
      canceledDeliveries: 1,
      attempts: 1,
    });
    const { events, deliveries } = setup.storage.read;
    const { body: _, ...facts } = event;
    assert.deepEqual(await events.find(setup.owner, event.id), { ...facts, expungedAt: later(1) });
    assert.deepEqual(await events.find(setup.owner, kept.id), kept);
    assert.deepEqual(await events.findAll(setup.owner, [event.id, kept.id]), [kept]);
    const delivery = await deliveries.find(setup.owner, first.id);
    assert.deepEqual([delivery?.state, delivery?.lastError], ['canceled', 'event_expunged']);
    assert.ok(delivery);
    const { attempts, body, expungedAt } = await deliveries.log(delivery);
    assert.deepEqual([body, expungedAt], [undefined, later(1)]);
    const [attempt] = attempts;
    assert.deepEqual(attempt?.requestHeaders, {});
    assert.deepEqual([attempt.responseHeaders, attempt.responseBody], [undefined, undefined]);
    const again = newDelivery(event, endpoint, { origin: 'replay', at: AT });
    assert.equal(await setup.apply({ writes: [], chosenDeliveries: [again] }), 'raced');
  },
  [`gives a step of an expunge request to one of ${RACERS} workers`]: async (setup) => {
    const events = await recorded(setup, 3);
    const request = await stored(setup, { eventIds: events.map(({ id }) => id) });
    assert.ok((await setup.expunges.open(1_000)).includes(request.id));
    const steps = await race(() => step(setup, request));
    const done = steps.reduce((sum, counts) => sum + (counts?.events ?? 0), 0);
    assert.equal(done, 3);
    assert.ok(!(await setup.expunges.open(1_000)).includes(request.id));
  },
};
