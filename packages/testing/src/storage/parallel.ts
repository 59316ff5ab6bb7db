import assert from 'node:assert/strict';
import { expectRefused, type StorageCases } from './bench.ts';
import { storedCharge } from './changes.ts';
import { AT, sampleClaim } from './samples.ts';

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
