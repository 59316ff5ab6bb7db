import assert from 'node:assert/strict';
import { storedCharge } from './changes.ts';
import { AT, sampleClaim } from './samples.ts';
import { expectRefused, type StorageCases } from './setup.ts';

/** Several processes on one database. */
export const processCases: StorageCases = {
  'shows a second process the commits of the first': async (setup) => {
    const charge = await storedCharge(setup);
    const second = setup.open();
    assert.deepEqual(await second.storage.read.charges.find(setup.owner, charge.id), charge);
  },
  'gives one of two processes an idempotency key': async (setup) => {
    const { owner } = setup;
    const begun = await Promise.all(
      [setup, setup.open()].map(({ storage }) =>
        storage.changes.apply({ ...owner, at: AT, writes: [], claim: sampleClaim(owner, 'k_1') }),
      ),
    );
    assert.deepEqual(begun.toSorted(), ['applied', 'claimed']);
  },
};

/** Two transactions that are open at the same time. */
export const parallelCases: StorageCases = {
  'lets one transaction end while another one is open': async ({ storage, ...setup }) => {
    const one = await storedCharge({ storage, ...setup });
    const other = await storedCharge({ storage, ...setup });
    const ended = await storage.transaction(async ({ charges }) => {
      await charges.findForUpdate(setup.owner, one.id);
      return storage.transaction((inner) => inner.charges.findForUpdate(setup.owner, other.id));
    });
    assert.deepEqual(ended, other);
  },
  'shows readers the committed state while a transaction holds the row': async (setup) => {
    const { owner, storage } = setup;
    const charge = await storedCharge(setup);
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
  'refuses a caller that waits over 3 s for a row, with lock_timeout': async (setup) => {
    const { owner, storage } = setup;
    const charge = await storedCharge(setup);
    await storage.transaction(async ({ charges }) => {
      await charges.findForUpdate(owner, charge.id);
      await expectRefused(
        () => storage.transaction((inner) => inner.charges.findForUpdate(owner, charge.id)),
        'lock_timeout',
      );
    });
  },
};
