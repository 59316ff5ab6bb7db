import assert from 'node:assert/strict';
import type { Price, Product } from '@paymount/core/billing';
import { newId, type Owner } from '@paymount/core/kernel';
import { AT } from './samples.ts';
import { expectRefused, type StorageCases, type StorageSetup } from './setup.ts';

function sampleProduct(owner: Owner): Product {
  return {
    ...owner,
    id: newId('prod'),
    version: 1,
    name: 'Tea of the month',
    active: true,
    description: 'Zwölf Sorten',
    metadata: { kind: 'green' },
    priceCount: 0,
    created: AT,
  };
}

function samplePrice(owner: Owner, productId: Price['productId']): Price {
  return {
    ...owner,
    id: newId('price'),
    version: 1,
    productId,
    currency: 'eur',
    unitAmount: 1_900,
    recurring: { interval: 'month', intervalCount: 3, trialPeriodDays: 14 },
    active: true,
    lookupKey: null,
    nickname: 'Quarterly',
    metadata: { note: 'café' },
    created: AT,
  };
}

async function storedPrice(setup: StorageSetup, more: Partial<Price> = {}) {
  const product = { ...sampleProduct(setup.owner), priceCount: 1 };
  const price = { ...samplePrice(setup.owner, product.id), ...more };
  await setup.apply({
    writes: [
      { mode: 'insert', kind: 'product', row: product },
      { mode: 'insert', kind: 'price', row: price },
    ],
  });
  return { product, price };
}

export const priceCases: StorageCases = {
  'keeps products and prices, for their owner only': async (setup) => {
    const { product, price } = await storedPrice(setup);
    const once = { ...samplePrice(setup.owner, product.id), recurring: null, unitAmount: 0 };
    await setup.apply({ writes: [{ mode: 'insert', kind: 'price', row: once }] });
    const { products, prices } = setup.storage.read;
    assert.deepEqual(await products.find(setup.owner, product.id), product);
    assert.deepEqual(await prices.find(setup.owner, price.id), price);
    assert.deepEqual(await prices.find(setup.owner, once.id), once);
    assert.deepEqual(await prices.findMany(setup.owner, [price.id, newId('price')]), [price]);
    for (const stranger of setup.strangers) {
      assert.equal(await products.find(stranger, product.id), undefined);
      assert.equal(await prices.find(stranger, price.id), undefined);
      assert.deepEqual((await prices.list(stranger, {}, { limit: 10 })).data, []);
    }
  },
  'lists products without deleted ones, and by each filter': async (setup) => {
    const [first, second, third] = [1, 2, 3].map(() => sampleProduct(setup.owner));
    assert.ok(first && second && third);
    await setup.apply({
      writes: [first, { ...second, active: false }, third].map(
        (row) => ({ mode: 'insert', kind: 'product', row }) as const,
      ),
    });
    const gone = { ...third, version: 2, deletedAt: AT };
    await setup.apply({ writes: [{ mode: 'update', kind: 'product', row: gone }] });
    const { products } = setup.storage.read;
    const list = async (filter: Parameters<typeof products.list>[1]) =>
      (await products.list(setup.owner, filter, { limit: 10 })).data.map(({ id }) => id);
    assert.deepEqual(await list({}), [second.id, first.id]);
    assert.deepEqual(await list({ active: true }), [first.id]);
    assert.deepEqual(await list({ ids: [second.id, third.id] }), [second.id]);
    assert.deepEqual(await list({ created: { gt: AT } }), []);
    assert.deepEqual(await products.find(setup.owner, third.id), gone);
    // One that is deleted between two pages stays a cursor.
    const page = { limit: 10, startingAfter: third.id };
    assert.equal((await products.list(setup.owner, {}, page)).data.length, 2);
  },
  'lists prices by each filter': async (setup) => {
    const { product, price } = await storedPrice(setup, { lookupKey: 'quarterly' });
    const other = await storedPrice(setup, { recurring: null, currency: 'usd', active: false });
    const { prices } = setup.storage.read;
    const list = async (filter: Parameters<typeof prices.list>[1]) =>
      (await prices.list(setup.owner, filter, { limit: 10 })).data.map(({ id }) => id);
    assert.deepEqual(await list({}), [other.price.id, price.id]);
    assert.deepEqual(await list({ productId: product.id }), [price.id]);
    assert.deepEqual(await list({ active: false }), [other.price.id]);
    assert.deepEqual(await list({ currency: 'eur' }), [price.id]);
    assert.deepEqual(await list({ type: 'recurring' }), [price.id]);
    assert.deepEqual(await list({ type: 'one_time' }), [other.price.id]);
    assert.deepEqual(await list({ lookupKeys: ['quarterly', 'none'] }), [price.id]);
    assert.deepEqual(await list({ created: { gt: AT } }), []);
  },
  'takes a lookup key from one price for another in one change': async (setup) => {
    const { price } = await storedPrice(setup, { lookupKey: 'pro' });
    const { price: next } = await storedPrice(setup, { lookupKey: 'basic' });
    const { prices } = setup.storage.read;
    const taken = { ...next, version: 2, lookupKey: 'pro' };
    await expectRefused(() =>
      setup.apply({ writes: [{ mode: 'update', kind: 'price', row: taken }] }),
    );
    const freed = { ...price, version: 2, lookupKey: null };
    const result = await setup.storage.transaction(async (rows) => {
      assert.deepEqual(await rows.prices.holdLookupKey(setup.owner, 'pro'), price);
      assert.equal(await rows.prices.holdLookupKey(setup.owner, 'none'), undefined);
      return rows.changes.apply({
        ...setup.owner,
        at: AT,
        writes: [
          { mode: 'update', kind: 'price', row: taken },
          { mode: 'update', kind: 'price', row: freed },
        ],
      });
    });
    assert.equal(result, 'applied');
    assert.deepEqual(await prices.find(setup.owner, next.id), taken);
    assert.deepEqual(await prices.find(setup.owner, price.id), freed);
  },
};
