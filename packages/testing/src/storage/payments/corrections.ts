import assert from 'node:assert/strict';
import { newId, type Owner } from '@paymount/core/kernel';
import type { NoticeData, NoticeState, PaymentMethod } from '@paymount/core/payments';
import { AT, later, samplePaymentMethod } from '../samples.ts';
import { expectCount, race, type StorageCases, type StorageSetup } from '../setup.ts';
import { sampleCustomer } from './customers.ts';
import { tried } from './notices.ts';

const NUMBER = { sealed: 'sealed-number', kid: 'kid-1' };

function bankAccountOf(owner: Owner, processorToken: string): PaymentMethod {
  const { id, version, billingDetails, metadata, use, created } = samplePaymentMethod(owner);
  return {
    ...owner,
    id,
    version,
    billingDetails,
    metadata,
    use,
    created,
    processorToken,
    type: 'us_bank_account',
    usBankAccount: {
      bankName: null,
      last4: '6789',
      routingNumber: '110000000',
      accountType: 'checking',
      accountHolderType: 'individual',
      accountHolderName: null,
      fingerprint: 'fp',
    },
  };
}

/** A bank account, stored. */
async function storedBankAccount(
  setup: StorageSetup,
  processorToken: string,
  owner = setup.owner,
): Promise<PaymentMethod & { readonly type: 'us_bank_account' }> {
  const row = bankAccountOf(owner, processorToken);
  await setup.storage.changes.apply({
    ...owner,
    at: AT,
    writes: [{ mode: 'insert', kind: 'payment_method', row }],
  });
  assert.ok(row.type === 'us_bank_account');
  return row;
}

function newToken(): string {
  return `token_${newId('req')}`;
}

interface UpdateOptions {
  readonly occurredAt?: Date;
  readonly state?: NoticeState;
}

/** Stores an update, which is applied unless another state is given. */
async function storedUpdate(
  setup: StorageSetup,
  processor: string,
  data: NoticeData['account_update'],
  { occurredAt = AT, state = { state: 'applied' } }: UpdateOptions = {},
): Promise<void> {
  const notice = { noticeId: newId('req'), kind: 'account_update', occurredAt, data } as const;
  const origin = { environment: 'test', processor } as const;
  const batch = { origin, notices: [notice], at: later(60_000), leaseMs: 60_000 };
  const [id] = await setup.notices.record(batch);
  assert.ok(id);
  await setup.storage.transaction(async ({ notices }) => {
    const stored = await notices.take(id);
    assert.ok(stored);
    await notices.save(tried(stored, state), []);
  });
}

export const correctionCases: StorageCases = {
  'corrects all bank accounts of a token, and those that differ only': async (setup) => {
    const processorToken = newToken();
    const [stranger, live] = setup.strangers;
    assert.ok(stranger && live);
    const first = await storedBankAccount(setup, processorToken);
    const second = await storedBankAccount(setup, processorToken, stranger);
    const others = [
      await storedBankAccount(setup, newToken()),
      await storedBankAccount(setup, processorToken, live),
    ];
    const { paymentMethods } = setup.storage.read;
    const corrected = { processorToken, last4: '4528', number: NUMBER, expYear: 2099 };
    await setup.apply({ writes: [], corrected });
    await setup.apply({ writes: [], corrected });
    for (const method of [first, second]) {
      const usBankAccount = { ...method.usBankAccount, last4: '4528' };
      assert.deepEqual(await paymentMethods.find(method, method.id), {
        ...method,
        version: 2,
        usBankAccount,
        number: NUMBER,
      });
    }
    await setup.apply({ writes: [], corrected: { processorToken, accountType: 'savings' } });
    const found = await paymentMethods.find(first, first.id);
    assert.equal(found?.version, 3);
    assert.deepEqual(found?.number, NUMBER);
    for (const other of others) {
      assert.deepEqual(await paymentMethods.find(other, other.id), other);
    }
  },
  'renews the cards of a token that are attached': async (setup) => {
    const processorToken = newToken();
    const loose = { ...samplePaymentMethod(setup.owner), processorToken };
    const customer = sampleCustomer(setup.owner);
    const use = { state: 'attached', customerId: customer.id } as const;
    const saved = { ...samplePaymentMethod(setup.owner), processorToken, use };
    await setup.apply({
      writes: [
        { mode: 'insert', kind: 'customer', row: customer },
        { mode: 'insert', kind: 'payment_method', row: loose },
        { mode: 'insert', kind: 'payment_method', row: saved },
      ],
    });
    const corrected = { processorToken, expYear: 2088, number: NUMBER, routingNumber: '1' };
    await setup.apply({ writes: [], corrected });
    const { paymentMethods } = setup.storage.read;
    assert.deepEqual(await paymentMethods.find(setup.owner, loose.id), loose);
    assert.ok(saved.type === 'card');
    const card = { ...saved.card, expYear: 2088 };
    assert.deepEqual(await paymentMethods.find(setup.owner, saved.id), {
      ...saved,
      version: 2,
      card,
    });
  },
  'loses neither a correction nor the change that somebody else makes meanwhile': async (setup) => {
    const processorToken = newToken();
    const method = await storedBankAccount(setup, processorToken);
    const read = async () => {
      const found = await setup.storage.read.paymentMethods.find(setup.owner, method.id);
      assert.ok(found?.type === 'us_bank_account');
      return found;
    };
    const note = async (name: string): Promise<void> => {
      const found = await read();
      const row = {
        ...found,
        version: found.version + 1,
        metadata: { ...found.metadata, [name]: name },
      };
      const writes = [{ mode: 'update', kind: 'payment_method', row }] as const;
      if ((await setup.apply({ writes })) === 'raced') await note(name);
    };
    const correct = (caller: number) =>
      setup.apply({ writes: [], corrected: { processorToken, last4: `${1000 + caller}` } });
    await race(async (caller) => {
      await (caller % 5 === 0 ? note(`n${caller}`) : correct(caller));
    });
    await correct(8_000);
    await note('last');
    const found = await read();
    assert.equal(found.usBankAccount.last4, '9000');
    const names = Object.keys(found.metadata).filter((name) => name.startsWith('n'));
    assert.equal(names.length, 11);
    assert.equal(found.version, 53);
  },
  'lets one transaction at a time correct the payment methods of a token': async (setup) => {
    const processorToken = newToken();
    const method = await storedBankAccount(setup, processorToken);
    let inside = 0;
    const most = await race(() =>
      setup.storage.transaction(async ({ paymentMethods, changes }) => {
        assert.equal(await paymentMethods.lockCorrections('test', processorToken), true);
        inside += 1;
        const together = inside;
        const { owner } = setup;
        await changes.apply({ ...owner, at: AT, writes: [], corrected: method });
        inside -= 1;
        return together;
      }),
    );
    expectCount(most, 1, most.length);
    await setup.storage.transaction(async ({ paymentMethods }) => {
      assert.equal(await paymentMethods.lockCorrections('live', processorToken), false);
      assert.equal(await paymentMethods.lockCorrections('test', newToken()), false);
    });
  },
  'tells what later updates of a token name, of those that were applied': async (setup) => {
    const processor = `p_${newId('req')}`;
    const processorToken = newToken();
    const update = (data: object, options?: UpdateOptions) =>
      storedUpdate(setup, processor, { processorToken, ...data }, options);
    await update({ expYear: 2088 });
    await update({ last4: '4528', number: NUMBER }, { occurredAt: later(2_000) });
    await update({ last4: '4528' }, { occurredAt: later(3_000) });
    await update(
      { accountType: 'savings' },
      { occurredAt: later(2_000), state: { state: 'ignored', reason: 'why' } },
    );
    // It came a minute after `AT`, before what it says had happened.
    await update({ routingNumber: '110000000' }, { occurredAt: later(3_600_000) });
    await storedUpdate(setup, processor, { processorToken: newToken(), expMonth: 1 });
    const told = (of: string, time: Date) =>
      setup.storage.transaction(async ({ notices }) =>
        (
          await notices.findUpdatedAfter(
            { environment: 'test', processor: of },
            processorToken,
            time,
          )
        )
          .filter((name) => name !== 'processorToken')
          .toSorted(),
      );
    assert.deepEqual(await told(processor, later(-1)), [
      'expYear',
      'last4',
      'number',
      'routingNumber',
    ]);
    assert.deepEqual(await told(processor, AT), ['last4', 'number', 'routingNumber']);
    assert.deepEqual(await told(processor, later(3_000)), ['routingNumber']);
    assert.deepEqual(await told(processor, later(60_000)), []);
    assert.deepEqual(await told('another', later(-1)), []);
  },
};
