import assert from 'node:assert/strict';
import { newId } from '@paymount/core/kernel';
import type { MethodFacts, MethodUse, PaymentMethod, Token } from '@paymount/core/payments';
import { race, type StorageBench, type StorageCases } from '../bench.ts';
import { AT, later, sampleCharge, samplePaymentMethod } from '../samples.ts';
import { sampleCustomer } from './customers.ts';

const HOUR_MS = 3_600_000;
/** Payment methods of this time are of no other case. */
const LONG_AGO = later(-240 * HOUR_MS);
/** The store may have rows of others, which are erased too. */
const STEP = 50;

/** A bank account of a holder, with a number. */
function bankFacts(processorToken: string): MethodFacts {
  return {
    type: 'us_bank_account',
    processorToken,
    number: { kid: 'k1', sealed: 'sealed' },
    usBankAccount: {
      accountHolderName: 'Ada',
      accountHolderType: 'individual',
      accountType: 'checking',
      bankName: null,
      last4: '6789',
      routingNumber: '110000000',
      fingerprint: 'f'.repeat(24),
    },
  };
}

function bankMethod(
  bench: StorageBench,
  more: Partial<Pick<PaymentMethod, 'use' | 'created'>> = {},
): PaymentMethod {
  const { id, billingDetails, metadata } = samplePaymentMethod(bench.owner);
  return {
    ...bench.owner,
    id,
    version: 1,
    ...bankFacts(`bank_${id}`),
    billingDetails,
    metadata,
    use: { state: 'unattached' },
    created: LONG_AGO,
    ...more,
  };
}

const insert = (row: PaymentMethod) => ({ mode: 'insert', kind: 'payment_method', row }) as const;
const used = (row: PaymentMethod, use: MethodUse) =>
  ({ mode: 'update', kind: 'payment_method', row: { ...row, version: 2, use } }) as const;

async function eraseAll({ paymentMethods }: StorageBench): Promise<void> {
  const asked = { createdBefore: later(-HOUR_MS), at: AT, limit: STEP };
  while ((await paymentMethods.eraseUnused(asked)) === STEP);
}

/** What is removed of rows that stay. */
export const erasureCases: StorageCases = {
  'erases the number and the holder of bank tokens that expired, once, and of no others': async (
    bench,
  ) => {
    const token = (expiresAt: Date): Token => ({
      ...bench.owner,
      id: newId('btok'),
      version: 1,
      used: false,
      created: AT,
      expiresAt,
      ...bankFacts(newId('btok')),
    });
    const [current, ...expired] = [token(later(2 * HOUR_MS)), ...Array(5).fill(AT).map(token)];
    assert.ok(current);
    await bench.apply({
      writes: [current, ...expired].map((row) => ({ mode: 'insert', kind: 'token', row }) as const),
    });
    // Several workers erase at the same time.
    await race(async () => {
      while ((await bench.tokens.eraseExpired(later(HOUR_MS), STEP)) === STEP);
    });
    const { tokens } = bench.storage.read;
    for (const { id } of expired) {
      const erased = await tokens.find(bench.owner, id);
      assert.ok(erased?.type === 'us_bank_account');
      assert.equal(erased.version, 2);
      assert.equal(erased.number, undefined);
      assert.equal(erased.usBankAccount.accountHolderName, null);
    }
    assert.deepEqual(await tokens.find(bench.owner, current.id), current);
  },
  'erases bank accounts that nobody used, once, and no others': async (bench) => {
    const customerId = newId('cus');
    const unused = Array.from({ length: 5 }, () => bankMethod(bench));
    const kept = [
      bankMethod(bench, { created: AT }),
      bankMethod(bench, { use: { state: 'detached', at: AT } }),
      { ...samplePaymentMethod(bench.owner), created: LONG_AGO },
    ];
    const [spent, attached] = [bankMethod(bench), bankMethod(bench)];
    const charge = sampleCharge(bench.owner, spent.id);
    await bench.apply({ writes: [...unused, ...kept, spent, attached].map(insert) });
    await bench.apply({
      writes: [
        { mode: 'insert', kind: 'charge', row: charge },
        used(spent, { state: 'spent', chargeId: charge.id }),
      ],
    });
    await bench.apply({
      writes: [
        { mode: 'insert', kind: 'customer', row: sampleCustomer(bench.owner, customerId) },
        used(attached, { state: 'attached', customerId }),
      ],
    });
    // Several workers erase at the same time.
    await race(() => eraseAll(bench));
    const { paymentMethods } = bench.storage.read;
    for (const row of unused) {
      const { number: _, ...rest } = row;
      assert.ok(rest.type === 'us_bank_account');
      assert.deepEqual(await paymentMethods.find(bench.owner, row.id), {
        ...rest,
        version: 2,
        usBankAccount: { ...rest.usBankAccount, accountHolderName: null },
        billingDetails: { name: null, email: null, phone: null, address: null },
        metadata: {},
        use: { state: 'erased', at: AT },
      });
    }
    for (const row of kept) {
      assert.deepEqual(await paymentMethods.find(bench.owner, row.id), row);
    }
    for (const { id } of [spent, attached]) {
      const found = await paymentMethods.find(bench.owner, id);
      assert.ok(found?.type === 'us_bank_account');
      assert.deepEqual([found.version, found.number?.sealed], [2, 'sealed']);
      assert.equal(found.usBankAccount.accountHolderName, 'Ada');
    }
  },
  'lets a charge or an erasure have a bank account, and never both': async (bench) => {
    for (let round = 0; round < 20; round += 1) {
      const row = bankMethod(bench);
      await bench.apply({ writes: [insert(row)] });
      const charge = sampleCharge(bench.owner, row.id);
      const [result] = await Promise.all([
        bench.apply({
          writes: [
            { mode: 'insert', kind: 'charge', row: charge },
            used(row, { state: 'spent', chargeId: charge.id }),
          ],
        }),
        eraseAll(bench),
      ]);
      const found = await bench.storage.read.paymentMethods.find(bench.owner, row.id);
      const [state, number] = result === 'applied' ? ['spent', 'sealed'] : ['erased', undefined];
      assert.deepEqual([found?.use.state, found?.number?.sealed], [state, number]);
      const stored = await bench.storage.read.charges.find(bench.owner, charge.id);
      assert.equal(stored !== undefined, result === 'applied');
    }
  },
  'gives an erased bank account no number again': async (bench) => {
    const [erased, current] = [bankMethod(bench), bankMethod(bench, { created: AT })];
    await bench.apply({ writes: [erased, current].map(insert) });
    await eraseAll(bench);
    const number = { sealed: 'corrected', kid: 'k1' };
    for (const { processorToken } of [erased, current]) {
      await bench.apply({ writes: [], corrected: { processorToken, number } });
    }
    const { paymentMethods } = bench.storage.read;
    const numbers = await Promise.all(
      [erased, current].map(async ({ id }) => {
        const found = await paymentMethods.find(bench.owner, id);
        return found?.type === 'us_bank_account' ? found.number : 'none';
      }),
    );
    assert.deepEqual(numbers, [undefined, number]);
  },
};
