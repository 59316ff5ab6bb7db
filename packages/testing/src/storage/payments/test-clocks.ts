import assert from 'node:assert/strict';
import type { AuditEntry } from '@paymount/core/changes';
import { newId, type Owner, type TestClockId } from '@paymount/core/kernel';
import {
  advancing,
  type ClaimedClock,
  deletedClock,
  type GiveBackReason,
  type TestClock,
  type TestClockQueue,
} from '@paymount/core/payments';
import type { Stores } from '@paymount/core/store';
import { AT, later } from '../samples.ts';
import { RACERS, race, type StorageCases, type StorageSetup } from '../setup.ts';

/** A lease that does not end while a case runs. */
const LEASE_MS = 60_000;
/** Clocks of others that may be due in the same store. */
const OTHERS = 200;
const TARGET = later(LEASE_MS);

function sampleClock(owner: Owner, created = AT): TestClock & { readonly status: 'ready' } {
  const id = newId('clock');
  return {
    ...owner,
    id,
    version: 1,
    name: 'A year',
    frozenTime: AT,
    created,
    status: 'ready',
  };
}

export async function storedClock(setup: StorageSetup, created = AT): Promise<TestClock> {
  const row = sampleClock(setup.owner, created);
  await setup.apply({ writes: [{ kind: 'test_clock', mode: 'insert', row }] });
  return row;
}

export async function updateClock(setup: StorageSetup, row: TestClock): Promise<TestClock> {
  const writes = [{ kind: 'test_clock', mode: 'update', row }] as const;
  assert.equal(await setup.apply({ writes }), 'applied');
  return row;
}

async function advancingClock(setup: StorageSetup): Promise<TestClock> {
  return updateClock(setup, advancing(await storedClock(setup), TARGET));
}

const find = (setup: StorageSetup, { id }: Pick<TestClock, 'id'>) =>
  setup.storage.read.testClocks.find(setup.owner, id);

/** Claims until this clock comes, or none does. */
async function claimOwn(
  { testClocks }: Pick<Stores, 'testClocks'>,
  id: TestClockId,
  leaseMs = LEASE_MS,
): Promise<ClaimedClock | undefined> {
  for (let tries = 0; tries < OTHERS; tries += 1) {
    const claimed = await testClocks.claim(leaseMs);
    if (claimed === undefined || claimed.id === id) return claimed;
  }
  return undefined;
}

async function requireClaim(
  stores: Pick<Stores, 'testClocks'>,
  id: TestClockId,
  leaseMs?: number,
): Promise<ClaimedClock> {
  const claimed = await claimOwn(stores, id, leaseMs);
  assert.ok(claimed, 'An advancing clock whose lease has ended can be claimed.');
  return claimed;
}

const giveBack = (testClocks: TestClockQueue, claimed: ClaimedClock, because: GiveBackReason) =>
  testClocks.giveBack(claimed, { waitMs: -1, because });

/** The states of clocks, and who advances them. */
export const testClockCases: StorageCases = {
  'keeps a test clock in each state, for its owner only': async (setup) => {
    const clock = await storedClock(setup);
    const { testClocks } = setup.storage.read;
    assert.deepEqual(await find(setup, clock), clock);
    for (const stranger of setup.strangers)
      assert.equal(await testClocks.find(stranger, clock.id), undefined);
    const moving = await updateClock(setup, advancing(clock, TARGET));
    assert.deepEqual(await find(setup, clock), moving);
    assert.equal(await testClocks.count(setup.owner), 1);
    assert.deepEqual((await testClocks.list(setup.owner, {}, { limit: 10 })).data, [moving]);
    const gone = await updateClock(setup, deletedClock(moving, AT));
    assert.deepEqual(await find(setup, clock), gone);
    assert.equal(await testClocks.count(setup.owner), 0);
    assert.deepEqual((await testClocks.list(setup.owner, {}, { limit: 10 })).data, []);
  },
  [`gives an advancing clock to one of ${RACERS} workers, until its lease ends`]: async (setup) => {
    const clock = await advancingClock(setup);
    const standing = await storedClock(setup);
    const claims = (await race(() => setup.testClocks.claim(LEASE_MS))).filter(
      (claimed) => claimed !== undefined,
    );
    assert.ok(claims.every(({ id }) => id !== standing.id));
    const own = claims.filter(({ id }) => id === clock.id);
    const [first = await requireClaim(setup, clock.id)] = own;
    assert.ok(own.length <= 1);
    assert.deepEqual(
      { frozenTime: first.frozenTime, targetTime: first.targetTime, failures: first.failures },
      { frozenTime: AT, targetTime: TARGET, failures: 0 },
    );
    assert.equal(await claimOwn(setup, clock.id), undefined);
    assert.equal(await setup.testClocks.move(first, later(1), -1), true);
    const second = await requireClaim(setup, clock.id);
    assert.ok(second.claim > first.claim);
    assert.deepEqual(second.frozenTime, later(1));
    assert.equal(await setup.testClocks.move(first, later(2), LEASE_MS), false);
    await setup.testClocks.fail(first, 'The older one.');
    assert.equal((await find(setup, clock))?.status, 'advancing');
    assert.equal(await setup.testClocks.move(second, later(2), LEASE_MS), true);
    await updateClock(setup, deletedClock((await find(setup, clock)) ?? clock, AT));
    assert.equal(await setup.testClocks.move(second, later(3), LEASE_MS), false);
  },
  'moves a clock forward only, and ends at its target': async (setup) => {
    const clock = await advancingClock(setup);
    const claimed = await requireClaim(setup, clock.id);
    const { testClocks } = setup;
    assert.equal(await testClocks.finish(claimed), false);
    assert.equal(await testClocks.move(claimed, later(10), LEASE_MS), true);
    assert.equal(await testClocks.move(claimed, later(9), LEASE_MS), false);
    assert.equal(await testClocks.move(claimed, later(10), LEASE_MS), true);
    assert.equal(await testClocks.move(claimed, TARGET, LEASE_MS), true);
    assert.equal(await testClocks.finish(claimed), true);
    const after = await find(setup, clock);
    assert.deepEqual([after?.status, after?.frozenTime], ['ready', TARGET]);
    assert.equal(await claimOwn(setup, clock.id), undefined);
  },
  'counts the errors at one time, and nothing else': async (setup) => {
    const clock = await advancingClock(setup);
    const { testClocks } = setup;
    for (const [because, failures] of [
      ['error', 0],
      ['turn', 1],
      ['answer', 1],
      ['hook', 1],
      ['error', 1],
    ] as const) {
      const claimed = await requireClaim(setup, clock.id);
      assert.equal(claimed.failures, failures);
      await giveBack(testClocks, claimed, because);
    }
    const claimed = await requireClaim(setup, clock.id);
    assert.equal(claimed.failures, 2);
    await testClocks.move(claimed, later(1), -1);
    const moved = await requireClaim(setup, clock.id);
    assert.equal(moved.failures, 0);
    await testClocks.fail(moved, 'It failed.');
    const failed = await find(setup, clock);
    assert.deepEqual(
      [failed?.status, failed?.status === 'internal_failure' && failed.failure],
      ['internal_failure', 'It failed.'],
    );
    assert.equal(await claimOwn(setup, clock.id), undefined);
  },
  'leaves a clock that waits for the hook to processes that have it': async (setup) => {
    const clock = await advancingClock(setup);
    const { hookUse } = setup;
    const other = setup.open({ hook: async () => undefined });
    const removal: AuditEntry = {
      actor: { type: 'command', id: 'ada' },
      via: 'cli',
      action: 'hook.remove',
      target: 'hook',
      after: { reason: 'The case is over.' },
      created: AT,
    };
    await hookUse.begin();
    try {
      // Nothing is known to wait for the hook.
      await giveBack(setup.testClocks, await requireClaim(setup, clock.id), 'hook');
      const waiting = await find(setup, clock);
      assert.ok(waiting?.status === 'advancing' && waiting.reviewSince instanceof Date);
      assert.equal(await claimOwn(setup, clock.id), undefined);
      await giveBack(other.testClocks, await requireClaim(other, clock.id), 'hook');
      assert.deepEqual(await find(setup, clock), waiting, 'The wait began with the first refusal.');
    } finally {
      assert.equal(await hookUse.end(removal), true);
    }
    const claimed = await requireClaim(setup, clock.id);
    await setup.testClocks.move(claimed, later(1), LEASE_MS);
    const moved = await find(setup, clock);
    assert.ok(moved?.status === 'advancing' && moved.reviewSince === undefined);
    await setup.testClocks.fail(claimed, 'It ends here.');
  },
  'finds old clocks page by page, without deleted ones': async (setup) => {
    const before = later(-10);
    const [first, second, third] = [
      await storedClock(setup, later(-13)),
      await storedClock(setup, later(-12)),
      await storedClock(setup, later(-11)),
    ];
    await storedClock(setup, before);
    await updateClock(setup, deletedClock(second, AT));
    const found: TestClockId[] = [];
    let page: readonly TestClock[] = [];
    do {
      page = await setup.testClocks.findOld(before, 1, page.at(-1));
      found.push(...page.map(({ id }) => id));
    } while (page.length > 0);
    const own = new Set([first.id, second.id, third.id]);
    assert.deepEqual(
      found.filter((id) => own.has(id)),
      [first.id, third.id],
    );
  },
};
