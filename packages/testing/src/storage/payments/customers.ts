import assert from 'node:assert/strict';
import { type CustomerId, newId, type Owner, type PageRequest } from '@paymount/core/kernel';
import { type Customer, deletedCustomer } from '@paymount/core/payments';
import { sampleMail, writeMails } from '../mails.ts';
import { AT, later, sampleCharge, samplePaymentMethod } from '../samples.ts';
import { race, type StorageCases, type StorageSetup } from '../setup.ts';

/** A customer with every field. */
export function sampleCustomer(owner: Owner, id = newId('cus')): Customer {
  const address = {
    line1: 'Straße 1',
    line2: null,
    city: null,
    country: 'DE',
    postalCode: null,
    state: null,
  };
  return {
    ...owner,
    id,
    version: 1,
    email: 'ada@example.com',
    name: 'Ada',
    phone: '1',
    description: 'Zoë',
    address,
    shipping: { name: 'Ada', phone: null, address },
    preferredLocales: ['de', 'pt-BR'],
    defaultPaymentMethodId: null,
    currency: 'eur',
    balances: { eur: -500, jpy: 0 },
    metadata: { note: 'café' },
    created: AT,
  };
}

/** A customer with two payment methods, stored. */
async function storedPayer(setup: StorageSetup) {
  const customer = sampleCustomer(setup.owner);
  const use = { state: 'attached', customerId: customer.id } as const;
  const [first, second] = [
    { ...samplePaymentMethod(setup.owner), use },
    { ...samplePaymentMethod(setup.owner), use },
  ];
  await setup.apply({
    writes: [
      { mode: 'insert', kind: 'customer', row: customer },
      { mode: 'insert', kind: 'payment_method', row: first },
      { mode: 'insert', kind: 'payment_method', row: second },
    ],
  });
  return { customer, first, second };
}

export const customerCases: StorageCases = {
  'counts and lists the payment methods that are attached to a customer': async (setup) => {
    const { customer, first, second } = await storedPayer(setup);
    const { paymentMethods } = setup.storage.read;
    const list = async (owner: Owner, page: PageRequest = { limit: 10 }) =>
      (await paymentMethods.listAttached(owner, customer.id, {}, page)).data;
    assert.equal(await paymentMethods.countAttached(setup.owner, customer.id), 2);
    assert.deepEqual(await list(setup.owner), [second, first]);
    for (const stranger of setup.strangers) {
      assert.equal(await paymentMethods.countAttached(stranger, customer.id), 0);
      assert.deepEqual(await list(stranger), []);
    }
    const row = { ...second, version: 2, use: { state: 'detached', at: AT } } as const;
    await setup.apply({ writes: [{ mode: 'update', kind: 'payment_method', row }] });
    assert.deepEqual(await paymentMethods.find(setup.owner, second.id), row);
    assert.deepEqual(await list(setup.owner), [first]);
    assert.deepEqual(await list(setup.owner, { limit: 10, startingAfter: second.id }), [first]);
  },
  'commits a charge only while its payment method is attached': async (setup) => {
    const { customer, first } = await storedPayer(setup);
    const attached = { methodId: first.id, customerId: customer.id };
    const charge = (of = attached.customerId) => {
      const row = sampleCharge(setup.owner, first.id, { customerId: customer.id });
      const writes = [{ mode: 'insert', kind: 'charge', row }] as const;
      return setup.apply({ writes, attached: { ...attached, customerId: of } });
    };
    assert.equal(await charge(), 'applied');
    assert.equal(await charge(newId('cus')), 'raced');
    const row = { ...first, version: 2, use: { state: 'detached', at: AT } } as const;
    await setup.apply({ writes: [{ mode: 'update', kind: 'payment_method', row }] });
    assert.equal(await charge(), 'raced');
  },
  'blocks a payment method once, and commits no charge of it after that': async (setup) => {
    const { customer, first, second } = await storedPayer(setup);
    const attached = { methodId: first.id, customerId: customer.id };
    const charge = () => {
      const row = sampleCharge(setup.owner, first.id, { customerId: customer.id });
      return setup.apply({ writes: [{ mode: 'insert', kind: 'charge', row }], attached });
    };
    const block = (networkCode: string) => {
      const blocked = { reason: 'debit_not_authorized', networkCode };
      return setup.apply({ writes: [], blocked: { methodId: first.id, block: blocked } });
    };
    assert.equal(await charge(), 'applied');
    const answers = await race((caller) => block(`R${caller}`));
    assert.ok(answers.every((answer) => answer === 'applied'));
    const { paymentMethods } = setup.storage.read;
    const found = await paymentMethods.find(setup.owner, first.id);
    assert.equal(found?.version, 2);
    assert.equal(found?.blocked?.reason, 'debit_not_authorized');
    await block('R99');
    assert.deepEqual(await paymentMethods.find(setup.owner, first.id), found);
    assert.equal((await paymentMethods.find(setup.owner, second.id))?.blocked, undefined);
    assert.equal(await charge(), 'raced');
  },
  'deletes the e-mails to a customer with the customer, and no others': async (setup) => {
    const { customer } = await storedPayer(setup);
    const [kept, gone] = [sampleMail(setup), { ...sampleMail(setup), customerId: customer.id }];
    await writeMails(setup, kept, gone);
    const row = deletedCustomer(customer, AT);
    const writes = [{ mode: 'update', kind: 'customer', row }] as const;
    await setup.apply({ writes, deletedCustomer: customer.id });
    const due = await setup.mails.claimDue({ now: later(1), limit: 10_000, leaseMs: 60_000 });
    const ids = due.map(({ id }) => id).filter((id) => id === kept.id || id === gone.id);
    assert.deepEqual(ids, [kept.id]);
  },
  'detaches all payment methods of a customer together': async (setup) => {
    const { customer, first, second } = await storedPayer(setup);
    const other = await storedPayer(setup);
    const row = deletedCustomer(customer, AT);
    const writes = [{ mode: 'update', kind: 'customer', row }] as const;
    await setup.apply({ writes, deletedCustomer: customer.id });
    const { paymentMethods } = setup.storage.read;
    for (const method of [first, second]) {
      const blank = { name: null, email: null, phone: null, address: null };
      const gone = {
        ...method,
        version: 2,
        use: { state: 'detached', at: AT },
        billingDetails: blank,
        metadata: {},
      };
      assert.deepEqual(await paymentMethods.find(setup.owner, method.id), gone);
    }
    assert.deepEqual(await paymentMethods.find(setup.owner, other.first.id), other.first);
  },
  'keeps a customer, whole and blank': async (setup) => {
    const customer = sampleCustomer(setup.owner);
    const blank = deletedCustomer(customer, AT);
    const { customers } = setup.storage.read;
    await setup.apply({ writes: [{ mode: 'insert', kind: 'customer', row: customer }] });
    assert.deepEqual(await customers.find(setup.owner, customer.id), customer);
    for (const stranger of setup.strangers)
      assert.equal(await customers.find(stranger, customer.id), undefined);
    await setup.apply({ writes: [{ mode: 'update', kind: 'customer', row: blank }] });
    assert.deepEqual(await customers.findMany(setup.owner, [customer.id]), [blank]);
  },
  'filters customers by e-mail, and leaves out deleted ones': async (setup) => {
    const [first, second, other] = ['a@example.com', 'a@example.com', 'b@example.com'].map(
      (email) => ({ ...sampleCustomer(setup.owner), email }),
    );
    assert.ok(first && second && other);
    const rows = [first, second, other];
    await setup.apply({
      writes: rows.map((row) => ({ mode: 'insert', kind: 'customer', row }) as const),
    });
    const list = async (filter: { readonly email?: string }, startingAfter?: CustomerId) => {
      const page = { limit: 10, ...(startingAfter && { startingAfter }) };
      const { data } = await setup.storage.read.customers.list(setup.owner, filter, page);
      return data.map(({ id }) => id);
    };
    assert.deepEqual(await list({}), [other.id, second.id, first.id]);
    assert.deepEqual(await list({ email: 'a@example.com' }), [second.id, first.id]);
    const blank = deletedCustomer(second, AT);
    await setup.apply({ writes: [{ mode: 'update', kind: 'customer', row: blank }] });
    assert.deepEqual(await list({ email: 'a@example.com' }), [first.id]);
    assert.deepEqual(await list({}, second.id), [first.id]);
  },
};
