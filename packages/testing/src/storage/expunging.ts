import assert from 'node:assert/strict';
import type { Event } from '@paymount/core/changes';
import { newDelivery } from '@paymount/core/events';
import type { ExpungeRequest, ExpungeSelection } from '@paymount/core/expunging';
import { newId } from '@paymount/core/kernel';
import { RACERS, race, type StorageBench, type StorageCases } from './bench.ts';
import { claimDue, end, storedEndpoint } from './events/fan-out.ts';
import { AT, later, sampleEvent } from './samples.ts';

async function stored(
  { storage, owner }: StorageBench,
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

async function recorded(bench: StorageBench, count: number): Promise<readonly Event[]> {
  const events = Array.from({ length: count }, () => sampleEvent(bench.owner, 'payout.paid'));
  await bench.apply({ writes: [], events });
  return events;
}

/** One step, which ends the request if it is the last. */
function step({ expunges }: StorageBench, { id }: ExpungeRequest) {
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
    bench,
  ) => {
    const [event] = await recorded(bench, 1);
    assert.ok(event);
    const request = await stored(bench, {
      eventIds: [event.id],
      objectId: event.objectId,
      createdFilter: { gt: later(-2), gte: later(-1), lt: later(3), lte: later(2) },
    });
    const { expunges } = bench.directory;
    const { accountId, environment } = bench.owner;
    const scope = { accounts: [accountId], environments: [environment] };
    assert.deepEqual(await expunges.find(scope, request.id), request);
    const listed = await expunges.list(scope, { status: 'pending' }, { limit: 10 });
    assert.deepEqual(listed.data, [request]);
    for (const stranger of bench.strangers) {
      const other = { accounts: [stranger.accountId], environments: [stranger.environment] };
      assert.equal(await expunges.find(other, request.id), undefined);
      assert.deepEqual((await expunges.list(other, {}, { limit: 10 })).data, []);
    }
    await step(bench, request);
    await bench.expunges.fail(request.id, later(2), 'It has ended.');
    const ended = await expunges.find(scope, request.id);
    assert.deepEqual([ended?.status, ended?.counts.events], ['succeeded', 1]);
  },
  'deletes the bodies of events, and of their attempts, and cancels what waits': async (bench) => {
    const endpoint = await storedEndpoint(bench, ['payout.paid']);
    const [event, kept] = await recorded(bench, 2);
    assert.ok(event && kept);
    const [first] = (await claimDue(bench, 'event')).filter(({ eventId }) => eventId === event.id);
    assert.ok(first);
    await end(bench, first, { next: 'retry', attempt: 2, waitMs: 60_000 });
    const request = await stored(bench, { objectId: event.objectId });
    assert.deepEqual(await step(bench, request), {
      events: 1,
      canceledDeliveries: 1,
      attempts: 1,
    });
    const { events, deliveries } = bench.storage.read;
    const { body: _, ...facts } = event;
    assert.deepEqual(await events.find(bench.owner, event.id), { ...facts, expungedAt: later(1) });
    assert.deepEqual(await events.find(bench.owner, kept.id), kept);
    assert.deepEqual(await events.findAll(bench.owner, [event.id, kept.id]), [kept]);
    const delivery = await deliveries.find(bench.owner, first.id);
    assert.deepEqual([delivery?.state, delivery?.lastError], ['canceled', 'event_expunged']);
    assert.ok(delivery);
    const { attempts, body, expungedAt } = await deliveries.log(delivery);
    assert.deepEqual([body, expungedAt], [undefined, later(1)]);
    const [attempt] = attempts;
    assert.deepEqual(attempt?.requestHeaders, {});
    assert.deepEqual([attempt.responseHeaders, attempt.responseBody], [undefined, undefined]);
    const again = newDelivery(event, endpoint, { origin: 'replay', at: AT });
    assert.equal(await bench.apply({ writes: [], chosenDeliveries: [again] }), 'raced');
  },
  [`gives a step of an expunge request to one of ${RACERS} workers`]: async (bench) => {
    const events = await recorded(bench, 3);
    const request = await stored(bench, { eventIds: events.map(({ id }) => id) });
    assert.ok((await bench.expunges.open(1_000)).includes(request.id));
    const steps = await race(() => step(bench, request));
    const done = steps.reduce((sum, counts) => sum + (counts?.events ?? 0), 0);
    assert.equal(done, 3);
    assert.ok(!(await bench.expunges.open(1_000)).includes(request.id));
  },
};
