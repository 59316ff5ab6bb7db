import assert from 'node:assert/strict';
import { type Invoice, invoiceUpdate } from '@paymount/core/billing';
import { type AuditEntry, HookError } from '@paymount/core/changes';
import type { HookPayload, StoredChange } from '@paymount/core/store';
import { storedCharge } from './changes.ts';
import { storedIssue } from './invoices.ts';
import { AT } from './samples.ts';
import type { StorageCases, StorageSetup } from './setup.ts';

/** The port itself: migration, opening, hook and close. */
export const portCases: StorageCases = {
  'names the installation by letters, digits and _': async ({ adapter }) => {
    assert.match(adapter.namespace, /^[A-Za-z0-9_]+$/);
  },
  'applies nothing when several processes migrate it again at once': async ({ adapter }) => {
    const again = await Promise.all([adapter.migrate(), adapter.migrate(), adapter.migrate()]);
    assert.deepEqual(again, [[], [], []]);
  },
  'matches this version after the migration, and warms up': async ({ assertSchema, warm }) => {
    await assertSchema();
    await warm();
  },
  'finds committed data after it is opened again': async (setup) => {
    const charge = await storedCharge(setup);
    await setup.close();
    const again = setup.open();
    assert.deepEqual(await again.storage.read.charges.find(setup.owner, charge.id), charge);
  },
  'can be closed twice': async ({ close }) => {
    await close();
    await close();
  },
  'calls the hook once in the transaction of a result': async (setup) => {
    const { storage, settled, told } = await hooked(setup, async () => undefined);
    const { owner } = setup;
    assert.equal(await storage.changes.apply({ ...owner, at: AT, writes: [], settled }), 'applied');
    assert.deepEqual(told, [settled]);
  },
  'calls the hook for an invoice that is finalized, and for one that is paid': async (setup) => {
    const { storage, told } = await hooked(setup, async () => undefined);
    const { draft, open } = await storedIssue(setup);
    const apply = (from: Invoice, row: Invoice) => {
      const write = invoiceUpdate(from, row);
      return storage.changes.apply({ ...setup.owner, at: AT, writes: [write] });
    };
    await apply(draft, { ...draft, footer: 'Another' });
    assert.deepEqual(told, []);
    const changed = { ...open, footer: 'Another', version: 3 };
    await apply({ ...draft, version: 2 }, changed);
    const next = { ...changed, status: 'paid', paidAt: AT, isPaidOutOfBand: true } as const;
    await apply(changed, next);
    const paid = { ...next, version: 4 };
    await apply(paid, { ...paid, metadata: {} });
    assert.deepEqual(told, [
      { kind: 'invoice', event: 'finalized', invoice: changed },
      { kind: 'invoice', event: 'paid', invoice: paid },
    ]);
  },
  'throws a HookError with its cause when the hook fails, and writes nothing': async (setup) => {
    const cause = new Error('The order is gone.');
    const { storage, settled } = await hooked(setup, () => Promise.reject(cause));
    const { owner } = setup;
    const { charge } = settled;
    const next = { ...charge, version: charge.version + 1, description: 'never written' };
    const write = { mode: 'update', kind: 'charge', row: next } as const;
    await assert.rejects(
      storage.changes.apply({ ...owner, at: AT, writes: [write], settled }),
      (error) => HookError.is(error) && error.cause === cause,
    );
    assert.deepEqual(await storage.read.charges.find(owner, charge.id), charge);
  },
  'records no result without the hook while one is in use': async (setup) => {
    const { owner, hookUse } = setup;
    const { storage, settled, told } = await hooked(setup, async () => undefined);
    const { charge } = settled;
    const removal: AuditEntry = {
      actor: { type: 'command', id: 'ada' },
      via: 'cli',
      action: 'hook.remove',
      target: 'hook',
      after: { reason: 'We gave it up.' },
      created: AT,
    };
    const change = (version: number, description: string): StoredChange => {
      const row = { ...charge, version, description };
      const writes = [{ mode: 'update', kind: 'charge', row }] as const;
      return { ...owner, at: AT, writes, settled };
    };
    assert.equal(await hookUse.since(), undefined);
    const begun = await Promise.all([hookUse.begin(), hookUse.begin()]);
    assert.deepEqual([...begun.sort(), await hookUse.begin()], [false, true, false]);
    try {
      assert((await hookUse.since()) instanceof Date, 'Since when a hook is in use is kept.');
      for (const apply of [
        () => setup.apply(change(2, 'never written')),
        () => setup.storage.transaction(({ changes }) => changes.apply(change(2, 'nor this'))),
      ]) {
        await assert.rejects(apply, (error) => HookError.is(error) && error.isMissing);
      }
      assert.deepEqual(await setup.storage.read.charges.find(owner, charge.id), charge);
      assert.equal(await storage.changes.apply(change(2, 'by the hook')), 'applied');
      assert.deepEqual(told, [settled]);
    } finally {
      assert.equal(await hookUse.end(removal), true);
    }
    assert.equal(await hookUse.end(removal), false);
    const filter = { action: 'hook.remove' } as const;
    const everything = { accounts: 'all', environments: ['live', 'test'] } as const;
    const { data } = await setup.directory.audit.list(everything, filter, { limit: 10 });
    assert.deepEqual(
      data.map(({ after }) => after),
      [removal.after],
    );
    assert.equal(await setup.apply(change(3, 'without')), 'applied');
  },
  'keeps the ledger of these cases at a sum of zero': async ({ verify }) => {
    const broken = (await verify()).map(({ rule }) => rule);
    const sums = [
      'The entries of a ledger transaction sum to zero.',
      'The balance of a limited ledger account is what its entries sum to.',
    ];
    assert.deepEqual(
      broken.filter((rule) => sums.includes(rule)),
      [],
    );
  },
};

/** Opens the store again, with a hook that records its calls. */
async function hooked(setup: StorageSetup, then: () => Promise<void>) {
  const told: HookPayload[] = [];
  const { storage } = setup.open({
    hook: (_transaction, settled) => {
      told.push(settled);
      return then();
    },
  });
  const charge = await storedCharge(setup);
  const settled = { kind: 'charge', charge } as const;
  return { storage, settled, told };
}
