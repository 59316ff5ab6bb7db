import assert from 'node:assert/strict';
import { newId } from '@paymount/core/kernel';
import { advancing, deletedClock, type Operation } from '@paymount/core/payments';
import { AT, later, sampleCharge, sampleOperation, samplePaymentMethod } from '../samples.ts';
import type { StorageCases } from '../setup.ts';
import { storedClock, updateClock } from './test-clocks.ts';

/** A lease that does not end while a case runs. */
const LEASE_MS = 60_000;

/** What is on test clocks. */
export const clockedCases: StorageCases = {
  'commits a change on a test clock only while it shows the time of the change': async (setup) => {
    const clock = await storedClock(setup);
    const pay = async (now: Date) => {
      const row = samplePaymentMethod(setup.owner);
      const on = { id: clock.id, now, isAdvancing: false };
      const writes = [{ kind: 'payment_method', mode: 'insert', row }] as const;
      return setup.apply({ writes, clock: on });
    };
    assert.equal(await pay(AT), 'applied');
    assert.equal(await pay(later(1)), 'raced');
  },
  'sends what is planned on a clock by the time of the clock only': async (setup) => {
    const clock = await storedClock(setup);
    const { operationMemory, plannedNotices } = setup;
    const plan = async () => {
      const operationId = newId('op');
      const noticeId = `n_${operationId}`;
      const planned = [{ noticeId, dueAt: AT, text: '{}', clock: clock.id }];
      await operationMemory.remember(operationId, 'record', planned);
      return noticeId;
    };
    const due = async (until: Date) =>
      (await plannedNotices.findDueOn(clock.id, until, 10)).map(({ noticeId }) => noticeId);
    const noticeId = await plan();
    const shared = await plannedNotices.claimDue({ now: AT, limit: 1_000, leaseMs: LEASE_MS });
    assert.ok(shared.every((each) => each.noticeId !== noticeId));
    assert.deepEqual(await due(later(-1)), []);
    assert.deepEqual(await due(AT), [noticeId]);
    assert.deepEqual(await operationMemory.timeOn(clock.id), AT);
    await updateClock(setup, deletedClock(clock, AT));
    await setup.storage.transaction(({ testClocks }) => testClocks.forgetPlanned(clock.id));
    await plan();
    assert.deepEqual(await due(AT), [], 'Nothing is planned on a deleted clock.');
    const end = await operationMemory.timeOn(clock.id);
    assert.ok(end && end > new Date('9000-01-01'), 'A deleted clock is past everything.');
  },
  'finds operations on a clock without an answer, and lets them be looked up at once': async (
    setup,
  ) => {
    const clock = await updateClock(setup, advancing(await storedClock(setup), later(LEASE_MS)));
    const method = samplePaymentMethod(setup.owner);
    const charge = sampleCharge(setup.owner, method.id);
    const sent = sampleOperation(charge, { testClockId: clock.id, nextLookupAt: later(LEASE_MS) });
    await setup.apply({
      writes: [
        { kind: 'payment_method', mode: 'insert', row: method },
        { kind: 'charge', mode: 'insert', row: charge },
        { kind: 'operation', mode: 'insert', row: sent },
      ],
    });
    const unanswered = () =>
      setup.storage.transaction(({ operations }) => operations.findUnansweredOn(clock.id));
    /** Since when it waits for the processor: the deadline is 30 seconds after the request. */
    const since = async () => {
      const found = await setup.storage.read.testClocks.find(setup.owner, clock.id);
      return found?.status === 'advancing' ? found.unansweredSince : undefined;
    };
    const rejection = { outcome: 'rejected', code: 'no', message: 'No.' } as const;
    let version = 1;
    for (const [more, isUnanswered, isAtProcessor] of [
      [{ state: 'sent' }, true, true],
      [{ state: 'unknown' }, false, false],
      [{ state: 'unknown', notFounds: 1 }, true, true],
      [{ state: 'unknown', outcome: rejection }, true, false],
      [{ state: 'unknown' }, false, false],
    ] as const) {
      version += 1;
      const row: Operation = { ...sent, ...more, version };
      await setup.apply({ writes: [{ kind: 'operation', mode: 'update', row }] });
      const found = await unanswered();
      assert.equal(found?.id, isUnanswered ? sent.id : undefined);
      const deadlineMs = isAtProcessor ? found?.deadlineAt.getTime() : undefined;
      assert.equal((await since())?.getTime(), deadlineMs && deadlineMs - 30_000);
    }
    const claim = { environment: 'test', limit: 1_000, leaseMs: LEASE_MS } as const;
    const claimed = async () =>
      (await setup.storage.operations.claimDue(claim)).filter(({ id }) => id === sent.id).length;
    assert.equal(await claimed(), 0);
    await setup.storage.transaction(({ operations }) => operations.hastenOn(clock.id));
    assert.equal(await claimed(), 1);
  },
};
