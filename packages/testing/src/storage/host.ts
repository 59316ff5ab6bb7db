import assert from 'node:assert/strict';
import type { Charge } from '@paymount/core/payments';
import type { Storage } from '@paymount/core/store';
import { AT, sampleCharge, samplePaymentMethod } from './samples.ts';
import type { StorageCases, StorageSetup } from './setup.ts';

/** Transactions that the host commits or rolls back. */
export const hostCases: StorageCases = {
  'commits writes in a transaction of the host together with it': async (setup) => {
    const charge = await inHost(setup, async (joined) => insert(setup, joined));
    assert.deepEqual(await find(setup, charge), charge);
  },
  'rolls back writes when the host rolls back': async (setup) => {
    const written: Charge[] = [];
    await assert.rejects(
      inHost(setup, async (joined) => {
        written.push(await insert(setup, joined));
        throw new Error('The order is not available.');
      }),
      /not available/,
    );
    const [charge] = written;
    assert.ok(charge);
    assert.equal(await find(setup, charge), undefined);
  },
  'shows writes within the transaction of the host': async (setup) => {
    await inHost(setup, async (joined) => {
      const charge = await insert(setup, joined);
      assert.deepEqual(await joined.read.charges.find(setup.owner, charge.id), charge);
    });
  },
  'rolls back only the call that throws, and leaves the transaction of the host usable': async (
    setup,
  ) => {
    const lost: Charge[] = [];
    const kept = await inHost(setup, async (joined) => {
      const failing = joined.transaction(async ({ changes }) => {
        lost.push(await insert(setup, { changes }));
        throw new Error('Declined.');
      });
      await assert.rejects(failing, /Declined/);
      return insert(setup, joined);
    });
    assert.deepEqual(await find(setup, kept), kept);
    const [charge] = lost;
    assert.ok(charge);
    assert.equal(await find(setup, charge), undefined);
  },
  'notifies when the transaction of the host has committed or rolled back': async (setup) => {
    for (const fails of [false, true]) {
      let told: () => void = () => undefined;
      const settled = new Promise<void>((resolve) => {
        told = resolve;
      });
      const ended = inHost(setup, async (joined) => {
        assert.ok(joined.host, 'What is joined has a `host`.');
        assert.equal(joined.host.isHook, false);
        // Absent if the end cannot be detected; then the resolver continues.
        if (joined.host.onSettled) joined.host.onSettled(async () => told());
        else told();
        if (fails) throw new Error('Rolled back.');
      });
      await ended.catch((error: unknown) => assert.ok(fails, String(error)));
      await settled;
    }
  },
  'refuses a value that is not a transaction of the host': async ({ using }) => {
    for (const value of [undefined, null, {}, () => undefined]) {
      assert.throws(() => using(value), TypeError);
    }
  },
};

async function inHost<Result>(
  { fixtures, using }: StorageSetup,
  work: (joined: Storage) => Promise<Result>,
): Promise<Result> {
  const results: { readonly result: Result }[] = [];
  await fixtures.hostTransaction?.(async (transaction) => {
    results.push({ result: await work(using(transaction)) });
  });
  const [done] = results;
  assert.ok(done && results.length === 1, 'The fixture hostTransaction runs its work once.');
  return done.result;
}

async function insert(
  { owner }: StorageSetup,
  { changes }: Pick<Storage, 'changes'>,
): Promise<Charge> {
  const method = samplePaymentMethod(owner);
  const row = sampleCharge(owner, method.id);
  const result = await changes.apply({
    ...owner,
    at: AT,
    writes: [
      { mode: 'insert', kind: 'payment_method', row: method },
      { mode: 'insert', kind: 'charge', row },
    ],
  });
  assert.equal(result, 'applied');
  return row;
}

function find({ storage, owner }: StorageSetup, { id }: Charge): Promise<Charge | undefined> {
  return storage.read.charges.find(owner, id);
}
