import assert from 'node:assert/strict';
import { type Environment, newId } from '@paymount/core/kernel';
import type { NoticeOf, NoticeState, StoredNotice, TriedNotice } from '@paymount/core/payments';
import { AT } from '../samples.ts';
import { expectCount, RACERS, race, type StorageCases, type StorageSetup } from '../setup.ts';

/** A lease that does not end while a case runs. */
const LEASE_MS = 60_000;

function sampleNotice(): NoticeOf<'charge.settled'> {
  return {
    noticeId: newId('req'),
    kind: 'charge.settled',
    processorReference: `ref_${newId('req')}`,
    occurredAt: AT,
    data: { amount: 4200, currency: 'eur', fee: 30 },
  };
}

/** A received notice after a try. @param waitMs until the next try, unless the state is final */
export function tried(stored: StoredNotice, state: NoticeState, waitMs?: number): TriedNotice {
  return { stored: { ...stored, ...state }, ...(waitMs === undefined ? {} : { waitMs }) };
}

/** Each case has a processor of its own, so that it meets no notice of another one. */
function newOrigin(environment: Environment = 'test') {
  return { environment, processor: `p_${newId('req')}` };
}

async function storedNotice(setup: StorageSetup, leaseMs = LEASE_MS) {
  const origin = newOrigin();
  const notice = sampleNotice();
  const [id] = await setup.notices.record({ origin, notices: [notice], at: AT, leaseMs });
  assert.ok(id);
  return { id, origin, notice };
}

export const noticeCases: StorageCases = {
  'keeps a notice whole, and knows it by processor, environment and its id there': async (
    setup,
  ) => {
    const { id, origin, notice } = await storedNotice(setup);
    const { nextTryAt, ...stored } =
      (await setup.storage.transaction(({ notices }) => notices.take(id))) ?? {};
    assert.ok(nextTryAt);
    assert.deepEqual(stored, {
      id,
      ...origin,
      notice,
      tries: 0,
      created: AT,
      state: 'received',
    });
    const again = { notices: [notice, notice], at: AT, leaseMs: LEASE_MS };
    assert.deepEqual(await setup.notices.record({ origin, ...again }), []);
    const live = { ...origin, environment: 'live' } as const;
    assert.equal((await setup.notices.record({ origin: live, ...again })).length, 1);
  },
  [`gives one of ${RACERS} callers a new notice`]: async (setup) => {
    const origin = newOrigin();
    const notices = [sampleNotice(), sampleNotice()];
    const given = await race((caller) =>
      setup.notices.record({
        origin,
        notices: caller % 2 === 0 ? notices : notices.toReversed(),
        at: AT,
        leaseMs: LEASE_MS,
      }),
    );
    assert.equal(given.flat().length, 2);
  },
  [`claims a due notice for one of ${RACERS} workers`]: async (setup) => {
    const { id } = await storedNotice(setup, -1_000);
    const claim = { environment: 'test', limit: 1_000, leaseMs: LEASE_MS } as const;
    const claimed = (await race(() => setup.notices.claimDue(claim))).flat();
    expectCount(claimed, id, 1);
  },
  'locks a notice for one of two transactions, and leaves it to nobody else': async (setup) => {
    const { id } = await storedNotice(setup);
    const taken = await race(() =>
      setup.storage.transaction(async ({ notices }) => {
        const stored = await notices.take(id);
        if (stored?.state !== 'received') return 'not received';
        await notices.save(tried({ ...stored, foundId: newId('op') }, { state: 'applied' }), []);
        return 'applied';
      }),
    );
    expectCount(taken, 'applied', 1);
    const claim = { environment: 'test', limit: 1_000, leaseMs: LEASE_MS } as const;
    expectCount(await setup.notices.claimDue(claim), id, 0);
  },
  'undoes the state of a notice with its transaction': async (setup) => {
    const { id } = await storedNotice(setup);
    await assert.rejects(
      setup.storage.transaction(async ({ notices }) => {
        const stored = await notices.take(id);
        assert.ok(stored);
        await notices.save(tried(stored, { state: 'applied' }), []);
        throw new Error('It failed after that.');
      }),
    );
    const stored = await setup.storage.transaction(({ notices }) => notices.take(id));
    assert.equal(stored?.state, 'received');
  },
  'shows and counts notices under review, those without an account to admins of all': async (
    setup,
  ) => {
    const { id, origin } = await storedNotice(setup);
    const before = await setup.directory.notices.underReview();
    await setup.storage.transaction(async ({ notices }) => {
      const stored = await notices.take(id);
      assert.ok(stored);
      await notices.save(
        tried(stored, { state: 'quarantined', reason: 'why', reviewSince: AT }),
        [],
      );
    });
    const after = await setup.directory.notices.underReview();
    assert.equal(after.test.count, before.test.count + 1);
    const all = { accounts: 'all', environments: ['live', 'test'] } as const;
    const some = { ...all, accounts: [setup.owner.accountId] };
    const filter = { processor: origin.processor };
    const page = { limit: 10 };
    const ids = async (scope: typeof all | typeof some) =>
      (await setup.directory.notices.list(scope, filter, page)).data.map((each) => each.id);
    assert.deepEqual(await ids(all), [id]);
    assert.deepEqual(await ids(some), []);
    assert.equal(await setup.directory.notices.find(some, id), undefined);
    assert.equal((await setup.directory.notices.find(all, id))?.state, 'quarantined');
  },
  'shows a notice that waits for the hook after 5 minutes': async (setup) => {
    const before = await setup.directory.notices.underReview();
    const refuse = async (at: Date) => {
      const { id, origin } = await storedNotice(setup);
      await setup.storage.transaction(async ({ notices }) => {
        const stored = await notices.take(id);
        assert.ok(stored);
        const waiting = { state: 'waiting', reason: 'why', reviewSince: at } as const;
        await notices.save(tried(stored, waiting, LEASE_MS), []);
      });
      return { id, processor: origin.processor };
    };
    const long = await refuse(new Date(0));
    const short = await refuse(new Date('9999-01-01T00:00:00Z'));
    const after = await setup.directory.notices.underReview();
    assert.equal(after.test.hookWaits, before.test.hookWaits + 1);
    assert.equal(after.test.count, before.test.count + 1);
    const scope = { accounts: 'all', environments: ['live', 'test'] } as const;
    for (const [{ id, processor }, shown] of [
      [long, [long.id]],
      [short, []],
    ] as const) {
      const { data } = await setup.directory.notices.list(scope, { processor }, { limit: 10 });
      assert.deepEqual(
        data.map((each) => each.id),
        shown,
      );
      const found = await setup.directory.notices.find(scope, id);
      assert.deepEqual([found?.state, found?.tries], ['waiting', 0]);
    }
  },
  [`plans a notice with the first record, and gives it to one of ${RACERS} workers`]: async (
    setup,
  ) => {
    const operationId = newId('op');
    const planned = [{ noticeId: `n_${operationId}`, dueAt: AT, text: '{}' }];
    await race(() => setup.operationMemory.remember(operationId, 'record', planned));
    const claim = { now: AT, limit: 1_000, leaseMs: LEASE_MS };
    const claimed = (await race(() => setup.plannedNotices.claimDue(claim))).flat();
    assert.deepEqual(
      claimed.filter(({ noticeId }) => noticeId === planned[0]?.noticeId),
      planned,
    );
    await setup.plannedNotices.remove(planned.map(({ noticeId }) => noticeId));
    const later = { ...claim, now: new Date(AT.getTime() + 2 * LEASE_MS) };
    const left = await setup.plannedNotices.claimDue(later);
    assert.ok(left.every(({ noticeId }) => noticeId !== planned[0]?.noticeId));
  },
};
