import assert from 'node:assert/strict';
import { HookError } from '@paymount/core/changes';
import { newId } from '@paymount/core/kernel';
import type { Charge } from '@paymount/core/payments';
import {
  AT,
  later,
  sampleCharge,
  sampleClaim,
  sampleEvent,
  sampleOperation,
  samplePaymentMethod,
  sampleRefund,
  sampleToken,
  withoutWaits,
} from './samples.ts';
import {
  expectCount,
  expectRefused,
  RACERS,
  race,
  type StorageCases,
  type StorageSetup,
} from './setup.ts';

/** Stores a pending charge with its payment method. */
export async function storedCharge(setup: StorageSetup): Promise<Charge & { status: 'pending' }> {
  const method = samplePaymentMethod(setup.owner);
  const charge = sampleCharge(setup.owner, method.id);
  const applied = await setup.apply({
    writes: [
      { mode: 'insert', kind: 'payment_method', row: method },
      { mode: 'insert', kind: 'charge', row: charge },
    ],
  });
  assert.equal(applied, 'applied');
  return charge;
}

/** The next version of a charge, captured in full. */
function captured(charge: Charge & { status: 'pending' }): Charge {
  return {
    ...charge,
    version: charge.version + 1,
    status: 'succeeded',
    amountCaptured: charge.amount,
    capturedAt: later(1_000),
    balanceTransactionId: newId('txn'),
  };
}

const roundTrips: StorageCases = {
  'keeps every field of a charge in each of its states': async (setup) => {
    const pending = await storedCharge(setup);
    const { charges } = setup.storage.read;
    assert.deepEqual(await charges.find(setup.owner, pending.id), pending);
    const facts = {
      ...pending,
      outcome: { type: 'authorized', networkStatus: 'approved', riskLevel: 'normal' },
      processorReference: 'ref-1',
      networkTransactionId: 'ntx-1',
      metadata: { a: '1', ключ: '"\\' },
    } as const;
    const rows: readonly Charge[] = [
      { ...facts, version: 2, status: 'authorized', captureBefore: later(86_400_000) },
      { ...captured(pending), version: 3 },
      { ...facts, version: 4, status: 'canceled', canceledAt: later(5) },
      {
        ...facts,
        version: 5,
        status: 'failed',
        failure: { code: 'card_declined', message: 'No.' },
      },
    ];
    for (const row of rows) {
      assert.equal(
        await setup.apply({ writes: [{ mode: 'update', kind: 'charge', row }] }),
        'applied',
      );
      assert.deepEqual(await charges.find(setup.owner, pending.id), row);
    }
  },
  'keeps payment methods, tokens, refunds and operations': async (setup) => {
    const charge = await storedCharge(setup);
    const method = {
      ...samplePaymentMethod(setup.owner),
      use: { state: 'spent', chargeId: charge.id },
    } as const;
    const token = sampleToken(setup.owner);
    const refund = sampleRefund(charge, 500);
    const operation = sampleOperation(charge, {
      processorReference: 'ref-1',
      idempotencyKey: 'key-1',
      outcome: { outcome: 'rejected', code: 'invalid', message: 'No.' },
    });
    const { read, operations } = setup.storage;
    await setup.apply({
      writes: [
        { mode: 'insert', kind: 'payment_method', row: method },
        { mode: 'insert', kind: 'token', row: token },
        { mode: 'insert', kind: 'refund', row: refund },
        { mode: 'insert', kind: 'operation', row: operation },
      ],
    });
    assert.deepEqual(await read.paymentMethods.find(setup.owner, method.id), method);
    assert.deepEqual(await read.tokens.find(setup.owner, token.id), token);
    assert.deepEqual(await read.refunds.find(setup.owner, refund.id), refund);
    const stored = await operations.find(setup.owner, operation.id);
    assert.deepEqual(withoutWaits(stored), withoutWaits(operation));
  },
  'shows nothing to another account or in the other environment': async (setup) => {
    const charge = await storedCharge(setup);
    for (const stranger of setup.strangers) {
      assert.equal(await setup.storage.read.charges.find(stranger, charge.id), undefined);
      const page = await setup.storage.read.charges.list(stranger, {}, { limit: 10 });
      assert.deepEqual(page, { data: [], hasMore: false });
    }
  },
};

const guards: StorageCases = {
  [`applies one of ${RACERS} updates of one version`]: async (setup) => {
    const charge = await storedCharge(setup);
    const answers = await race((caller) =>
      setup.apply({
        writes: [
          {
            mode: 'update',
            kind: 'charge',
            row: { ...charge, version: 2, description: `${caller}` },
          },
        ],
        events: [{ ...sampleEvent(setup.owner), objectId: charge.id }],
      }),
    );
    expectCount(answers, 'applied', 1);
    expectCount(answers, 'raced', RACERS - 1);
    const { data } = await setup.storage.read.events.list(setup.owner, {}, { limit: 100 });
    assert.equal(data.length, 1);
  },
  'writes nothing if the last of several guards is raced': async (setup) => {
    const charge = await storedCharge(setup);
    const method = samplePaymentMethod(setup.owner);
    const stale = { ...method, version: 7 };
    const claim = sampleClaim(setup.owner, 'key-raced');
    await setup.apply({ writes: [{ mode: 'insert', kind: 'payment_method', row: method }] });
    const answer = await setup.apply({
      claim,
      writes: [
        { mode: 'update', kind: 'charge', row: { ...charge, version: 2, description: 'changed' } },
        { mode: 'update', kind: 'payment_method', row: stale },
      ],
      events: [sampleEvent(setup.owner)],
    });
    assert.equal(answer, 'raced');
    const { read, idempotency } = setup.storage;
    assert.deepEqual(await read.charges.find(setup.owner, charge.id), charge);
    assert.equal(await idempotency.find(setup.owner, claim.key), undefined);
    assert.deepEqual((await read.events.list(setup.owner, {}, { limit: 10 })).data, []);
  },
  'keeps a transaction usable after a raced change': async (setup) => {
    const charge = await storedCharge(setup);
    const row = { ...charge, version: 2, description: 'second' };
    await setup.storage.transaction(async ({ changes }) => {
      const change = { ...setup.owner, at: AT, claim: sampleClaim(setup.owner, newId('req')) };
      const stale = { ...charge, version: 9 };
      const raced = {
        ...change,
        writes: [{ mode: 'update', kind: 'charge', row: stale }],
      } as const;
      assert.equal(await changes.apply(raced), 'raced');
      const fresh = { ...change, writes: [{ mode: 'update', kind: 'charge', row }] } as const;
      assert.equal(await changes.apply(fresh), 'applied');
    });
    assert.deepEqual(await setup.storage.read.charges.find(setup.owner, charge.id), row);
  },
  'rolls back every change of a transaction whose work throws': async (setup) => {
    const charge = await storedCharge(setup);
    const row = { ...charge, version: 2, description: 'never' };
    await assert.rejects(
      setup.storage.transaction(async ({ changes }) => {
        await changes.apply({
          ...setup.owner,
          at: AT,
          writes: [{ mode: 'update', kind: 'charge', row }],
          events: [sampleEvent(setup.owner)],
        });
        throw new HookError('The work failed.');
      }),
      HookError.is,
    );
    assert.deepEqual(await setup.storage.read.charges.find(setup.owner, charge.id), charge);
    const page = await setup.storage.read.events.list(setup.owner, {}, { limit: 10 });
    assert.deepEqual(page.data, []);
  },
  [`never refunds more than was captured, with ${RACERS} refunds at once`]: async (setup) => {
    const pending = await storedCharge(setup);
    await setup.apply({ writes: [{ mode: 'update', kind: 'charge', row: captured(pending) }] });
    const answers = await race(async () =>
      setup.storage.transaction(async ({ charges, changes }) => {
        const charge = await charges.findForUpdate(setup.owner, pending.id);
        assert.ok(charge?.status === 'succeeded');
        const amountRefunded = charge.amountRefunded + 600;
        if (amountRefunded > charge.amountCaptured) return 'refused';
        const row = { ...charge, version: charge.version + 1, amountRefunded };
        const refund = sampleRefund(charge, 600);
        return changes.apply({
          ...setup.owner,
          at: AT,
          writes: [
            { mode: 'update', kind: 'charge', row },
            { mode: 'insert', kind: 'refund', row: refund },
          ],
        });
      }),
    );
    expectCount(answers, 'applied', 16);
    expectCount(answers, 'refused', RACERS - 16);
  },
  'refuses a charge with refunds above its captured amount': async (setup) => {
    const charge = captured(await storedCharge(setup));
    const row = { ...charge, amountRefunded: charge.amount + 1 };
    await expectRefused(() => setup.apply({ writes: [{ mode: 'update', kind: 'charge', row }] }));
  },
  'refuses a payment method of an account that does not exist': async (setup) => {
    const owner = { ...setup.owner, accountId: newId('acct') };
    const row = samplePaymentMethod(owner);
    const writes = [{ mode: 'insert', kind: 'payment_method', row }] as const;
    await expectRefused(() => setup.apply({ ...owner, writes }), 'resource_missing');
  },
  'refuses a charge on a payment method of the other environment': async (setup) => {
    const { paymentMethodId } = await storedCharge(setup);
    for (const stranger of setup.strangers) {
      const row = sampleCharge(stranger, paymentMethodId);
      const writes = [{ mode: 'insert', kind: 'charge', row }] as const;
      await expectRefused(() => setup.storage.changes.apply({ ...stranger, at: AT, writes }));
    }
  },
};

/** Rows are stored and read unchanged, and changes keep their guarantees. */
export const changeCases: StorageCases = { ...roundTrips, ...guards };
