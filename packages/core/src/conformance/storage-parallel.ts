import assert from 'node:assert/strict';
import { withTimeout } from '../kernel/basics/with-timeout.ts';
import { expectRefused, type StorageBench, type StorageCases } from './storage-bench.ts';
import { storedCharge } from './storage-changes.ts';
import { AT, sampleClaim } from './storage-samples.ts';

/** Notifications arrive within milliseconds; the limit is for slow machines. */
const NEWS_LIMIT_MS = 10_000;

/** Several processes on one database. */
export const processCases: StorageCases = {
  'shows a second process the commits of the first': async (bench) => {
    const charge = await storedCharge(bench);
    const second = bench.open();
    assert.deepEqual(await second.storage.read.charges.find(bench.owner, charge.id), charge);
  },
  'gives one of two processes an idempotency key': async (bench) => {
    const { owner } = bench;
    const begun = await Promise.all(
      [bench, bench.open()].map(({ storage }) =>
        storage.changes.apply({ ...owner, at: AT, writes: [], claim: sampleClaim(owner, 'k_1') }),
      ),
    );
    assert.deepEqual(begun.toSorted(), ['applied', 'claimed']);
  },
};

/** Two transactions that are open at the same time. */
export const parallelCases: StorageCases = {
  'lets one transaction end while another one is open': async ({ storage, ...bench }) => {
    const one = await storedCharge({ storage, ...bench });
    const other = await storedCharge({ storage, ...bench });
    const ended = await storage.transaction(async ({ charges }) => {
      await charges.findForUpdate(bench.owner, one.id);
      return storage.transaction((inner) => inner.charges.findForUpdate(bench.owner, other.id));
    });
    assert.deepEqual(ended, other);
  },
  'shows readers the committed state while a transaction holds the row': async (bench) => {
    const { owner, storage } = bench;
    const charge = await storedCharge(bench);
    await storage.transaction(async ({ charges, changes }) => {
      await charges.findForUpdate(owner, charge.id);
      const row = { ...charge, version: 2, description: 'not committed yet' };
      await changes.apply({
        ...owner,
        at: charge.created,
        writes: [{ mode: 'update', kind: 'charge', row }],
      });
      assert.deepEqual(await storage.read.charges.find(owner, charge.id), charge);
    });
  },
  'refuses a caller that waits over 3 s for a row, with lock_timeout': async (bench) => {
    const { owner, storage } = bench;
    const charge = await storedCharge(bench);
    await storage.transaction(async ({ charges }) => {
      await charges.findForUpdate(owner, charge.id);
      await expectRefused(
        () => storage.transaction((inner) => inner.charges.findForUpdate(owner, charge.id)),
        'lock_timeout',
      );
    });
  },
};

/** Notifications of changes of access. */
export const accessChangeCases: StorageCases = {
  'notifies every process that has the store open of each change of access': async (bench) => {
    const { accessChangeNotifier } = bench.open();
    assert.ok(
      accessChangeNotifier,
      'Stores have an `accessChangeNotifier`, or the adapter lacks access-change-notifications.',
    );
    const news = heard();
    const stop = accessChangeNotifier.listen(news.tell);
    // The first notification may only mean that it listens from now on.
    for (let times = 0; times < 2; times += 1) {
      const told = news.next();
      await changeAccess(bench);
      await withTimeout(told, NEWS_LIMIT_MS);
    }
    await stop();
  },
};

function heard(): { tell: () => void; next: () => Promise<void> } {
  let resolve: () => void = () => undefined;
  return {
    tell: () => resolve(),
    next: () =>
      new Promise((done) => {
        resolve = done;
      }),
  };
}

async function changeAccess({ access, owner }: StorageBench): Promise<void> {
  const subjects = [owner.accountId];
  await access.change(async () => ({ result: undefined, subjects, audit: [] }));
}
