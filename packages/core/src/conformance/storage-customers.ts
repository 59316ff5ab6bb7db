import assert from 'node:assert/strict';
import type { Owner } from '../kernel/basics/environment.ts';
import { type CustomerId, newId } from '../kernel/basics/id.ts';
import { type Customer, deleted } from '../payments/customers/customer.ts';
import type { StorageCases } from './storage-bench.ts';
import { AT } from './storage-samples.ts';

/** A customer with every field. */
function sampleCustomer(owner: Owner): Customer {
  const address = {
    ...{ line1: 'Straße 1', line2: null, city: null },
    ...{ country: 'DE', postalCode: null, state: null },
  };
  return {
    ...owner,
    id: newId('cus'),
    version: 1,
    email: 'ada@example.com',
    name: 'Ada',
    phone: '1',
    description: 'Zoë',
    address,
    shipping: { name: 'Ada', phone: null, address },
    balance: -500,
    preferredLocales: ['de', 'pt-BR'],
    defaultPaymentMethodId: null,
    metadata: { note: 'café' },
    created: AT,
  };
}

export const customerCases: StorageCases = {
  'keeps a customer, whole and blank': async (bench) => {
    const customer = sampleCustomer(bench.owner);
    const blank = deleted(customer, AT);
    const { customers } = bench.storage.read;
    await bench.apply({ writes: [{ mode: 'insert', kind: 'customer', row: customer }] });
    assert.deepEqual(await customers.find(bench.owner, customer.id), customer);
    for (const stranger of bench.strangers)
      assert.equal(await customers.find(stranger, customer.id), undefined);
    await bench.apply({ writes: [{ mode: 'update', kind: 'customer', row: blank }] });
    assert.deepEqual(await customers.findMany(bench.owner, [customer.id]), [blank]);
  },
  'filters customers by e-mail, and leaves out deleted ones': async (bench) => {
    const [first, second, other] = ['a@example.com', 'a@example.com', 'b@example.com'].map(
      (email) => ({ ...sampleCustomer(bench.owner), email }),
    );
    assert.ok(first && second && other);
    const rows = [first, second, other];
    await bench.apply({
      writes: rows.map((row) => ({ mode: 'insert', kind: 'customer', row }) as const),
    });
    const list = async (filter: { readonly email?: string }, startingAfter?: CustomerId) => {
      const page = { limit: 10, ...(startingAfter && { startingAfter }) };
      const { data } = await bench.storage.read.customers.list(bench.owner, filter, page);
      return data.map(({ id }) => id);
    };
    assert.deepEqual(await list({}), [other.id, second.id, first.id]);
    assert.deepEqual(await list({ email: 'a@example.com' }), [second.id, first.id]);
    const blank = deleted(second, AT);
    await bench.apply({ writes: [{ mode: 'update', kind: 'customer', row: blank }] });
    assert.deepEqual(await list({ email: 'a@example.com' }), [first.id]);
    assert.deepEqual(await list({}, second.id), [first.id]);
  },
};
