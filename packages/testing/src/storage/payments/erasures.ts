import assert from 'node:assert/strict';
import { newId } from '@paymount/core/kernel';
import type { MethodFacts, MethodUse, PaymentMethod, Token } from '@paymount/core/payments';
import { AT, later, sampleCharge, samplePaymentMethod } from '../samples.ts';
import { race, type StorageCases, type StorageSetup } from '../setup.ts';
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
  setup: StorageSetup,
  more: Partial<Pick<PaymentMethod, 'use' | 'created'>> = {},
): PaymentMethod {
  const { id, billingDetails, metadata } = samplePaymentMethod(setup.owner);
  return {
    ...setup.owner,
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

async function eraseAll({ paymentMethods }: StorageSetup): Promise<void> {
  const asked = { createdBefore: later(-HOUR_MS), at: AT, limit: STEP };
  while ((await paymentMethods.eraseUnused(asked)) === STEP);
}

/** What is removed of rows that stay. */
export const erasureCases: StorageCases = {
  'erases the number and the holder of bank tokens that expired, once, and of no others': async (
    setup,
  ) => {
    const token = (expiresAt: Date): Token => ({
      ...setup.owner,
      id: newId('btok'),
      version: 1,
      used: false,
      created: AT,
      expiresAt,
      ...bankFacts(newId('btok')),
    });
    const [current, ...expired] = [token(later(2 * HOUR_MS)), ...Array(5).fill(AT).map(token)];
    assert.ok(current);
    await setup.apply({
      writes: [current, ...expired].map((row) => ({ mode: 'insert', kind: 'token', row }) as const),
    });
    // Several workers erase at the same time.
    await race(async () => {
      while ((await setup.tokens.eraseExpired(later(HOUR_MS), STEP)) === STEP);
    });
    const { tokens } = setup.storage.read;
    for (const { id } of expired) {
      const erased = await tokens.find(setup.owner, id);
      assert.ok(erased?.type === 'us_bank_account');
      assert.equal(erased.version, 2);
      assert.equal(erased.number, undefined);
      assert.equal(erased.usBankAccount.accountHolderName, null);
    }
    assert.deepEqual(await tokens.find(setup.owner, current.id), current);
  },
  'erases bank accounts that nobody used, once, and no others': async (setup) => {
    const customerId = newId('cus');
    const unused = Array.from({ length: 5 }, () => bankMethod(setup));
    const kept = [
      bankMethod(setup, { created: AT }),
      bankMethod(setup, { use: { state: 'detached', at: AT } }),
      { ...samplePaymentMethod(setup.owner), created: LONG_AGO },
    ];
    const [spent, attached] = [bankMethod(setup), bankMethod(setup)];
    const charge = sampleCharge(setup.owner, spent.id);
    await setup.apply({ writes: [...unused, ...kept, spent, attached].map(insert) });
    await setup.apply({
      writes: [
        { mode: 'insert', kind: 'charge', row: charge },
        used(spent, { state: 'spent', chargeId: charge.id }),
      ],
    });
    await setup.apply({
      writes: [
        { mode: 'insert', kind: 'customer', row: sampleCustomer(setup.owner, customerId) },
        used(attached, { state: 'attached', customerId }),
      ],
    });
    // Several workers erase at the same time.
    await race(() => eraseAll(setup));
    const { paymentMethods } = setup.storage.read;
    for (const row of unused) {
      const { number: _, ...rest } = row;
      assert.ok(rest.type === 'us_bank_account');
      assert.deepEqual(await paymentMethods.find(setup.owner, row.id), {
        ...rest,
        version: 2,
        usBankAccount: { ...rest.usBankAccount, accountHolderName: null },
        billingDetails: { name: null, email: null, phone: null, address: null },
        metadata: {},
        use: { state: 'erased', at: AT },
      });
    }
    for (const row of kept) {
      assert.deepEqual(await paymentMethods.find(setup.owner, row.id), row);
    }
    for (const { id } of [spent, attached]) {
      const found = await paymentMethods.find(setup.owner, id);
      assert.ok(found?.type === 'us_bank_account');
      assert.deepEqual([found.version, found.number?.sealed], [2, 'sealed']);
      assert.equal(found.usBankAccount.accountHolderName, 'Ada');
    }
  },
  'lets a charge or an erasure have a bank account, and never both': async (setup) => {
    for (let round = 0; round < 20; round += 1) {
      const row = bankMethod(setup);
      await setup.apply({ writes: [insert(row)] });
      const charge = sampleCharge(setup.owner, row.id);
      const [result] = await Promise.all([
        setup.apply({
          writes: [
            { mode: 'insert', kind: 'charge', row: charge },
            used(row, { state: 'spent', chargeId: charge.id }),
          ],
        }),
        eraseAll(setup),
      ]);
      const found = await setup.storage.read.paymentMethods.find(setup.owner, row.id);
      const [state, number] = result === 'applied' ? ['spent', 'sealed'] : ['erased', undefined];
      assert.deepEqual([found?.use.state, found?.number?.sealed], [state, number]);
      const stored = await setup.storage.read.charges.find(setup.owner, charge.id);
      assert.equal(stored !== undefined, result === 'applied');
    }
  },
  'gives an erased bank account no number again': async (setup) => {
    const [erased, current] = [bankMethod(setup), bankMethod(setup, { created: AT })];
    await setup.apply({ writes: [erased, current].map(insert) });
    await eraseAll(setup);
    const number = { sealed: 'corrected', kid: 'k1' };
    for (const { processorToken } of [erased, current]) {
      await setup.apply({ writes: [], corrected: { processorToken, number } });
    }
    const { paymentMethods } = setup.storage.read;
    const numbers = await Promise.all(
      [erased, current].map(async ({ id }) => {
        const found = await paymentMethods.find(setup.owner, id);
        return found?.type === 'us_bank_account' ? found.number : 'none';
      }),
    );
    assert.deepEqual(numbers, [undefined, number]);
  },
};
