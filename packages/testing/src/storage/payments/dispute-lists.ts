import assert from 'node:assert/strict';
import type { Owner } from '@paymount/core/kernel';
import type { Dispute, DisputeFacts, DisputeFilter } from '@paymount/core/payments';
import { storedCharge } from '../changes.ts';
import { AT, later, sampleOperation } from '../samples.ts';
import { expectRefused, type StorageCases, type StorageSetup } from '../setup.ts';
import { endedDispute, storedDispute } from './dispute-samples.ts';
import { storedClock } from './test-clocks.ts';

const ids = (disputes: readonly Dispute[]) => disputes.map(({ id }) => id);

/** The disputes of a case that are due, in pages as the worker reads them. */
function findDue(
  { storage, owner }: StorageSetup,
  ...[now, after, clock]: [Date, Dispute?, Dispute['testClockId']?]
): Promise<readonly Dispute[]> {
  return storage.transaction(async ({ disputes }) => {
    const found = await disputes.findDue(now, 10_000, after, clock);
    return found.filter(({ accountId }) => accountId === owner.accountId);
  });
}

/** Lists of disputes, and what the worker finds. */
export const disputeListCases: StorageCases = {
  'lists disputes by charge, status and each bound on created and on their due time': async (
    setup,
  ) => {
    const [charge, other] = [await storedCharge(setup), await storedCharge(setup)];
    const a = await endedDispute(setup, charge, { dueBy: later(30) });
    const b = await endedDispute(setup, charge, { dueBy: later(20), created: later(1) });
    const c = await storedDispute(setup, other, { dueBy: later(10), created: later(2) });
    const list = async (filter: DisputeFilter, owner: Owner = setup.owner) =>
      (await setup.storage.read.disputes.list(owner, filter, { limit: 10 })).data;
    assert.deepEqual(await list({}), [c, b, a]);
    assert.deepEqual(await list({ chargeId: charge.id }), [b, a]);
    assert.deepEqual(await list({ status: 'warning_needs_response' }), [c]);
    assert.deepEqual(await list({ status: 'lost' }), []);
    assert.deepEqual(await list({ dueBy: { gt: later(10), lt: later(30) } }), [b]);
    assert.deepEqual(await list({ dueBy: { gte: later(20), lte: later(30) } }), [b, a]);
    assert.deepEqual(await list({ created: { gt: AT, lte: later(1) } }), [b]);
    assert.deepEqual(await list({ created: { gte: AT, lt: later(1) }, chargeId: charge.id }), [a]);
    for (const stranger of setup.strangers) assert.deepEqual(await list({}, stranger), []);
  },
  'lists disputes in pages, forward and backward, and refuses the cursor of another owner': async (
    setup,
  ) => {
    const charge = await storedCharge(setup);
    const stored: Dispute[] = [];
    for (const ms of [1, 2, 3]) {
      stored.push(await endedDispute(setup, charge, { created: later(ms) }));
    }
    const [a, b, c] = ids(stored);
    const { disputes } = setup.storage.read;
    const list = async (page: { startingAfter?: string; endingBefore?: string }) => {
      const { data, hasMore } = await disputes.list(setup.owner, {}, { limit: 2, ...page });
      return [ids(data), hasMore];
    };
    assert.deepEqual(await list({}), [[c, b], true]);
    assert.deepEqual(await list({ startingAfter: `${b}` }), [[a], false]);
    assert.deepEqual(await list({ endingBefore: `${a}` }), [[c, b], false]);
    for (const stranger of setup.strangers) {
      const foreign = { limit: 2, startingAfter: `${a}` };
      await expectRefused(() => disputes.list(stranger, {}, foreign), 'invalid_cursor');
    }
  },
  'finds disputes whose time has passed, in due order, but those that are answered': async (
    setup,
  ) => {
    const dueAt = async (ms: number, more: Partial<DisputeFacts> = {}) =>
      storedDispute(setup, await storedCharge(setup), { dueBy: later(ms), ...more });
    const [second, first] = [await dueAt(20), await dueAt(10)];
    const third = await dueAt(20);
    await dueAt(31);
    await dueAt(5, { pastDue: true });
    await endedDispute(setup, await storedCharge(setup), { dueBy: later(5) });
    const charge = await storedCharge(setup);
    const answered = await storedDispute(setup, charge, { dueBy: later(5) });
    const answer = sampleOperation(charge, { kind: 'submit_evidence', subjectId: answered.id });
    await setup.apply({ writes: [{ kind: 'operation', mode: 'insert', row: answer }] });
    assert.deepEqual(await findDue(setup, later(30)), [first, second, third]);
    assert.deepEqual(await findDue(setup, later(30), first), [second, third]);
    assert.deepEqual(await findDue(setup, later(30), second), [third]);
    assert.deepEqual(await findDue(setup, later(9)), []);
    const one = await setup.storage.transaction(({ disputes }) => disputes.findDue(later(30), 1));
    assert.equal(one.length, 1);
  },
  'finds due disputes on a test clock by that clock only': async (setup) => {
    const { id: testClockId } = await storedClock(setup);
    const facts = { dueBy: later(10), testClockId };
    const clocked = await storedDispute(setup, await storedCharge(setup), facts);
    assert.deepEqual(await findDue(setup, later(30)), []);
    assert.deepEqual(await findDue(setup, later(30), undefined, testClockId), [clocked]);
    const { id: other } = await storedClock(setup);
    assert.deepEqual(await findDue(setup, later(30), undefined, other), []);
  },
};
