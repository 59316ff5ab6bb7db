import assert from 'node:assert/strict';
import type { InvoiceItem } from '@paymount/core/billing';
import { type CustomerId, newId, type Owner } from '@paymount/core/kernel';
import { sampleDraft, storedCustomer, storedDraft } from './invoices.ts';
import { storedClock } from './payments/test-clocks.ts';
import { AT, later } from './samples.ts';
import { expectCount, RACERS, race, type StorageCases, type StorageSetup } from './setup.ts';

const PAGE = { limit: 10 };

/** An item with every field, which waits. */
function sampleItem(
  owner: Owner,
  customerId: CustomerId,
  more: Partial<InvoiceItem> = {},
): InvoiceItem {
  return {
    ...owner,
    id: newId('ii'),
    version: 1,
    customerId,
    currency: 'eur',
    unitAmount: -700,
    quantity: 3,
    amount: -2_100,
    description: 'Gutschrift für März',
    priceId: newId('price'),
    periodStart: AT,
    periodEnd: later(1),
    isProration: true,
    isEdited: false,
    invoiceId: null,
    subscriptionId: null,
    subscriptionItemId: newId('si'),
    metadata: { note: 'café' },
    created: AT,
    ...more,
  };
}

async function storedItem(
  setup: StorageSetup,
  customerId: CustomerId,
  more: Partial<InvoiceItem> = {},
): Promise<InvoiceItem> {
  const row = sampleItem(setup.owner, customerId, more);
  await setup.apply({ writes: [{ kind: 'invoice_item', mode: 'insert', row }] });
  return row;
}

const kept: StorageCases = {
  'keeps invoice items, for their owner only': async (setup) => {
    const { owner, storage, strangers } = setup;
    const { invoiceItems } = storage.read;
    const item = await storedItem(setup, await storedCustomer(setup));
    assert.deepEqual(await invoiceItems.find(owner, item.id), item);
    const changed = {
      ...item,
      version: 2,
      unitAmount: 5,
      amount: 15,
      description: 'Tee',
      metadata: {},
      deletedAt: later(3),
    };
    const write = () =>
      setup.apply({ writes: [{ kind: 'invoice_item', mode: 'update', row: changed }] });
    assert.equal(await write(), 'applied');
    assert.equal(await write(), 'raced');
    assert.deepEqual(await invoiceItems.find(owner, item.id), changed);
    for (const stranger of strangers) {
      assert.equal(await invoiceItems.find(stranger, item.id), undefined);
      assert.deepEqual((await invoiceItems.list(stranger, {}, PAGE)).data, []);
    }
  },
  'lists invoice items without deleted ones, and by each filter': async (setup) => {
    const customer = await storedCustomer(setup);
    const draft = await storedDraft(setup, { customerId: customer });
    const waiting = await storedItem(setup, customer);
    const billed = await storedItem(setup, customer, { invoiceId: draft.id });
    const gone = await storedItem(setup, customer, { deletedAt: AT });
    const clock = await storedClock(setup);
    const on = { clock: { id: clock.id, now: AT, isAdvancing: false } };
    const timed = sampleItem(setup.owner, await storedCustomer(setup), on);
    await setup.apply({ writes: [{ kind: 'invoice_item', mode: 'insert', row: timed }], ...on });
    const { invoiceItems } = setup.storage.read;
    const list = async (filter: Parameters<typeof invoiceItems.list>[1]) =>
      (await invoiceItems.list(setup.owner, filter, PAGE)).data.map(({ id }) => id);
    assert.deepEqual(await list({}), [billed.id, waiting.id]);
    assert.deepEqual(await list({ customerId: customer }), [billed.id, waiting.id]);
    assert.deepEqual(await list({ invoiceId: draft.id }), [billed.id]);
    assert.deepEqual(await list({ isPending: true }), [waiting.id]);
    assert.deepEqual(await list({ isPending: false }), [billed.id]);
    assert.deepEqual(await list({ created: { gt: AT } }), []);
    assert.deepEqual(await list({ clock: clock.id }), [timed.id]);
    // An item that is deleted between two pages stays a cursor.
    const page = { limit: 10, startingAfter: gone.id };
    assert.equal((await invoiceItems.list(setup.owner, {}, page)).data.length, 2);
  },
  'gives an invoice what waits for it, the oldest first, and lets it wait again': async (setup) => {
    const { owner, storage } = setup;
    const customer = await storedCustomer(setup);
    const subscriptionId = newId('sub');
    const first = await storedItem(setup, customer);
    const dollars = await storedItem(setup, customer, { currency: 'usd' });
    const own = await storedItem(setup, customer, { subscriptionId });
    const second = await storedItem(setup, customer);
    await storedItem(setup, await storedCustomer(setup));
    const draft = sampleDraft(owner, customer, { lines: [], total: 0 });
    const waiting = { customerId: customer, currency: 'eur' };
    const ids = (items: readonly InvoiceItem[]) => items.map(({ id }) => id);
    await storage.transaction(async ({ invoiceItems, changes }) => {
      assert.equal(await invoiceItems.countWaiting(owner, customer), 4);
      assert.equal(await invoiceItems.oldestCurrency(owner, customer), 'eur');
      const taken = await invoiceItems.take(owner, waiting, draft.id, 1);
      assert.deepEqual(taken, [{ ...first, version: 2, invoiceId: draft.id }]);
      assert.deepEqual(ids(await invoiceItems.take(owner, waiting, draft.id, 9)), [second.id]);
      const forIt = { ...waiting, subscriptionId };
      assert.deepEqual(ids(await invoiceItems.take(owner, forIt, draft.id, 9)), [own.id]);
      assert.equal(await invoiceItems.oldestCurrency(owner, customer), 'usd');
      const writes = [{ kind: 'invoice', mode: 'insert', row: draft }] as const;
      await changes.apply({ ...owner, at: AT, writes });
    });
    assert.deepEqual(await storage.read.invoiceItems.find(owner, dollars.id), dollars);
    await storage.transaction(async ({ invoiceItems }) => {
      await invoiceItems.release(owner, draft.id);
      assert.equal(await invoiceItems.countWaiting(owner, customer), 4);
    });
    assert.equal((await storage.read.invoiceItems.find(owner, first.id))?.invoiceId, null);
  },
};

const raced: StorageCases = {
  'gives each waiting item to one of many concurrent invoices': async (setup) => {
    const { owner, storage } = setup;
    const customer = await storedCustomer(setup);
    const items: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      items.push((await storedItem(setup, customer)).id);
    }
    const taken = await race(() =>
      storage.transaction(async ({ invoiceItems, changes }) => {
        const draft = sampleDraft(owner, customer);
        const waiting = { customerId: customer, currency: 'eur' };
        const got = await invoiceItems.take(owner, waiting, draft.id, 250);
        const writes = [{ kind: 'invoice', mode: 'insert', row: draft }] as const;
        await changes.apply({ ...owner, at: AT, writes });
        return got.map(({ id }) => id);
      }),
    );
    assert.deepEqual(taken.flat().toSorted(), items.toSorted());
  },
  'lets one of many concurrent updates of an invoice item win': async (setup) => {
    const item = await storedItem(setup, await storedCustomer(setup));
    const row = { ...item, version: 2, description: 'Tee' };
    const results = await race(() =>
      setup.apply({ writes: [{ kind: 'invoice_item', mode: 'update', row }] }),
    );
    expectCount(results, 'applied', 1);
    expectCount(results, 'raced', RACERS - 1);
  },
};

export const invoiceItemCases: StorageCases = { ...kept, ...raced };
