import assert from 'node:assert/strict';
import type { Owner } from '@paymount/core/kernel';
import { storedCustomer, storedDraft, storedIssue } from './invoices.ts';
import { AT, later, sampleCharge, samplePaymentMethod } from './samples.ts';
import type { StorageCases, StorageSetup } from './setup.ts';
import { DUNNING, storedSubscription } from './subscriptions.ts';

const PAGE = { limit: 10 };

function scopeOf({ accountId, environment }: Owner) {
  return { accounts: [accountId], environments: [environment] };
}

/** Admins who may see other objects, of another account or in another environment. */
function strangeScopes({ strangers }: StorageSetup) {
  return strangers.map(scopeOf);
}

/** What admins read of the billing of all accounts. */
export const billingDirectoryCases: StorageCases = {
  'shows and lists the subscriptions that an admin may see': async (setup) => {
    const { subscriptions } = setup.directory;
    const customerId = await storedCustomer(setup);
    const active = await storedSubscription(setup, { customerId });
    const soon = {
      customerId,
      status: 'past_due',
      dunning: DUNNING,
      nextActionAt: later(5),
    } as const;
    const late = await storedSubscription(setup, soon);
    const scope = scopeOf(setup.owner);
    assert.deepEqual(await subscriptions.find(scope, active.id), active);
    const listed = async (filter: Parameters<typeof subscriptions.list>[1]) =>
      (await subscriptions.list(scope, filter, PAGE)).data.map(({ id }) => id);
    assert.deepEqual(await listed({ customerId }), [late.id, active.id]);
    assert.deepEqual(await listed({ customerId, status: 'active' }), [active.id]);
    assert.deepEqual(await listed({ customerId, declineClass: 'customer' }), [late.id]);
    assert.deepEqual(await listed({ customerId, declineClass: 'retry' }), []);
    assert.deepEqual(await listed({ customerId, dueBefore: later(5) }), []);
    assert.deepEqual(await listed({ customerId, dueBefore: later(6) }), [late.id]);
    for (const other of strangeScopes(setup)) {
      assert.equal(await subscriptions.find(other, active.id), undefined);
      assert.deepEqual((await subscriptions.list(other, { customerId }, PAGE)).data, []);
    }
  },
  'lists the newest periods of a subscription, newest first': async (setup) => {
    const row = await storedSubscription(setup);
    const newPeriods = [0, 1, 2].map((index) => ({
      subscriptionId: row.id,
      index,
      start: later(index * 100),
      end: later((index + 1) * 100),
      invoiceId: null,
      isBilled: true,
    }));
    await setup.apply({ writes: [], newPeriods });
    assert.deepEqual(await setup.directory.subscriptions.periodsOf(row, 2), [
      newPeriods[2],
      newPeriods[1],
    ]);
  },
  'shows and lists the invoices that an admin may see, but no deleted ones': async (setup) => {
    const { invoices } = setup.directory;
    const customerId = await storedCustomer(setup);
    const draft = await storedDraft(setup, { customerId, dueDate: later(5) });
    const gone = await storedDraft(setup, { customerId });
    const { nextActionAt: _, ...rest } = gone;
    const deleted = { ...rest, version: 2, status: 'deleted', deletedAt: AT } as const;
    await setup.apply({ writes: [{ kind: 'invoice', mode: 'update', row: deleted }] });
    const scope = scopeOf(setup.owner);
    assert.deepEqual(await invoices.find(scope, draft.id), draft);
    assert.equal(await invoices.find(scope, gone.id), undefined);
    const listed = async (filter: Parameters<typeof invoices.list>[1]) =>
      (await invoices.list(scope, { customerId, ...filter }, PAGE)).data.map(({ id }) => id);
    assert.deepEqual(await listed({}), [draft.id]);
    assert.deepEqual(await listed({ status: 'open' }), []);
    assert.deepEqual(await listed({ dueBefore: later(5) }), []);
    assert.deepEqual(await listed({ dueBefore: later(6) }), [draft.id]);
    // A draft is not due yet.
    assert.deepEqual(await listed({ overdue: { at: later(9), isOverdue: true } }), []);
    for (const other of strangeScopes(setup)) {
      assert.equal(await invoices.find(other, draft.id), undefined);
      assert.deepEqual((await invoices.list(other, { customerId }, PAGE)).data, []);
    }
  },
  'finds invoices that are overdue, and the charges that tried to pay one': async (setup) => {
    const { invoices } = setup.directory;
    const { draft, open } = await storedIssue(setup);
    const row = { ...open, dueDate: later(5) };
    await setup.apply({ writes: [{ kind: 'invoice', mode: 'update', row }] });
    const scope = scopeOf(setup.owner);
    const overdue = async (at: Date, isOverdue: boolean) => {
      const filter = { customerId: draft.customerId, overdue: { at, isOverdue } };
      return (await invoices.list(scope, filter, PAGE)).data.length;
    };
    assert.deepEqual([await overdue(later(4), true), await overdue(later(4), false)], [0, 1]);
    assert.deepEqual([await overdue(later(5), true), await overdue(later(5), false)], [1, 0]);
    const of = { ...setup.owner, customerId: draft.customerId };
    const method = samplePaymentMethod(setup.owner);
    const facts = { customerId: draft.customerId, invoiceId: draft.id };
    const charge = sampleCharge(setup.owner, method.id, facts);
    await setup.apply({
      writes: [
        { kind: 'payment_method', mode: 'insert', row: method },
        { kind: 'charge', mode: 'insert', row: charge },
      ],
    });
    assert.deepEqual(await invoices.attemptsOf({ ...of, invoiceIds: [draft.id] }, 5), [charge]);
    assert.deepEqual(await invoices.attemptsOf({ ...of, invoiceIds: [] }, 5), []);
  },
};
