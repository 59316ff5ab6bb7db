import assert from 'node:assert/strict';
import { newId } from '@paymount/core/kernel';
import type { Customer, CustomerBalanceTransaction } from '@paymount/core/payments';
import { AT } from '../samples.ts';
import { expectRefused, RACERS, race, type StorageCases, type StorageSetup } from '../setup.ts';
import { sampleCustomer } from './customers.ts';

type Transaction = CustomerBalanceTransaction;

/** The first move of a customer, with every field. */
function sampleMove(customer: Customer, more: Partial<Transaction> = {}): Transaction {
  return {
    accountId: customer.accountId,
    environment: customer.environment,
    id: newId('cbtxn'),
    version: 1,
    customerId: customer.id,
    currency: 'eur',
    number: 1,
    amount: -500,
    endingBalance: -500,
    type: 'adjustment',
    invoiceId: null,
    description: 'Für Zoë',
    metadata: { note: 'café' },
    created: AT,
    ...more,
  };
}

async function storedCustomer(setup: StorageSetup): Promise<Customer> {
  const row = { ...sampleCustomer(setup.owner), currency: null, balances: {} };
  await setup.apply({ writes: [{ mode: 'insert', kind: 'customer', row }] });
  return row;
}

const insert = (setup: StorageSetup, rows: readonly Transaction[]) =>
  setup.apply({
    writes: rows.map(
      (row) => ({ mode: 'insert', kind: 'customer_balance_transaction', row }) as const,
    ),
  });

/** One more move by -10, after the customer and the last move are locked. */
const moveOnce = (setup: StorageSetup, { id }: Customer) =>
  setup.storage.transaction(async (rows) => {
    const customer = await rows.customers.findForUpdate(setup.owner, id);
    assert.ok(customer);
    const last = await rows.customerBalances.findLastForUpdate(setup.owner, id, 'eur');
    const endingBalance = (last?.endingBalance ?? 0) - 10;
    const next = { ...customer, version: customer.version + 1, currency: 'eur' };
    const number = (last?.number ?? 0) + 1;
    const row = sampleMove(customer, { number, amount: -10, endingBalance });
    return rows.changes.apply({
      ...setup.owner,
      at: AT,
      writes: [
        { mode: 'update', kind: 'customer', row: { ...next, balances: { eur: endingBalance } } },
        { mode: 'insert', kind: 'customer_balance_transaction', row },
      ],
    });
  });

export const customerBalanceCases: StorageCases = {
  'keeps what moved the balance of a customer, for its owner only': async (setup) => {
    const [customer, other] = [await storedCustomer(setup), await storedCustomer(setup)];
    const first = sampleMove(customer);
    const invoiceId = 'in_1';
    const second = sampleMove(customer, {
      number: 2,
      amount: 200,
      endingBalance: -300,
      type: 'applied_to_invoice',
      invoiceId,
      description: null,
      metadata: {},
    });
    const yen = sampleMove(customer, { currency: 'jpy', amount: 7, endingBalance: 7 });
    // In any order: the chain is judged when all of them are there.
    assert.equal(await insert(setup, [second, first, yen]), 'applied');
    const { customerBalances } = setup.storage.read;
    const { id } = customer;
    assert.deepEqual(await customerBalances.find(setup.owner, id, first.id), first);
    assert.deepEqual(await customerBalances.find(setup.owner, id, second.id), second);
    assert.deepEqual(await customerBalances.findLast(setup.owner, id, 'eur'), second);
    assert.deepEqual(await customerBalances.findLast(setup.owner, id, 'jpy'), yen);
    assert.equal(await customerBalances.findLast(setup.owner, id, 'usd'), undefined);
    assert.equal(await customerBalances.find(setup.owner, other.id, first.id), undefined);
    const list = async (filter: Parameters<typeof customerBalances.list>[2]) =>
      (await customerBalances.list(setup.owner, id, filter, { limit: 10 })).data.map(
        (found) => found.id,
      );
    assert.deepEqual(await list({}), [yen.id, second.id, first.id]);
    assert.deepEqual(await list({ currency: 'eur' }), [second.id, first.id]);
    assert.deepEqual(await list({ invoiceId }), [second.id]);
    assert.deepEqual(await list({ created: { gt: AT } }), []);
    const page = { limit: 10 };
    assert.deepEqual((await customerBalances.list(setup.owner, other.id, {}, page)).data, []);
    for (const stranger of setup.strangers) {
      assert.equal(await customerBalances.find(stranger, id, first.id), undefined);
      assert.equal(await customerBalances.findLast(stranger, id, 'eur'), undefined);
      assert.deepEqual((await customerBalances.list(stranger, id, {}, page)).data, []);
    }
  },
  'changes nothing of a move but its description and metadata': async (setup) => {
    const customer = await storedCustomer(setup);
    const first = sampleMove(customer);
    await insert(setup, [first]);
    const edited = { ...first, version: 2, description: null, metadata: {} };
    // Of the other fields only the first write counts.
    const row = { ...edited, amount: -1, endingBalance: -1 };
    const kind = 'customer_balance_transaction';
    assert.equal(await setup.apply({ writes: [{ mode: 'update', kind, row }] }), 'applied');
    const { customerBalances } = setup.storage.read;
    assert.deepEqual(await customerBalances.find(setup.owner, customer.id, first.id), edited);
  },
  'refuses a move that does not continue the balance': async (setup) => {
    const customer = await storedCustomer(setup);
    await insert(setup, [sampleMove(customer)]);
    for (const wrong of [
      { number: 1 },
      { number: 2, amount: 100, endingBalance: 100 },
      { number: 3, amount: 100, endingBalance: -400 },
      { number: 2, amount: 0, endingBalance: -500 },
      { number: 2, amount: -1e12, endingBalance: -1e12 - 500 },
      { currency: 'usd', amount: 5, endingBalance: 6 },
      { customerId: newId('cus') },
    ]) {
      await expectRefused(() => insert(setup, [sampleMove(customer, wrong)]));
    }
    const { data } = await setup.storage.read.customerBalances.list(
      setup.owner,
      customer.id,
      {},
      { limit: 10 },
    );
    assert.equal(data.length, 1);
  },
  'lets one caller after another move the balance of a customer': async (setup) => {
    const customer = await storedCustomer(setup);
    const answers = await race(() => moveOnce(setup, customer));
    assert.ok(answers.every((answer) => answer === 'applied'));
    const { customerBalances, customers } = setup.storage.read;
    const { data } = await customerBalances.list(setup.owner, customer.id, {}, { limit: 100 });
    const numbers = data.map(({ number }) => number).toSorted((a, b) => a - b);
    assert.deepEqual(
      numbers,
      Array.from({ length: RACERS }, (_, index) => index + 1),
    );
    const last = await customerBalances.findLast(setup.owner, customer.id, 'eur');
    assert.equal(last?.endingBalance, -10 * RACERS);
    const found = await customers.find(setup.owner, customer.id);
    assert.deepEqual(found?.balances, { eur: -10 * RACERS });
  },
};
