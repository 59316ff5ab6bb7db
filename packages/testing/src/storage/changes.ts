import assert from 'node:assert/strict';
import { HookError } from '@paymount/core/changes';
import { newId } from '@paymount/core/kernel';
import type { Charge } from '@paymount/core/payments';
import {
  expectCount,
  expectRefused,
  RACERS,
  race,
  type StorageBench,
  type StorageCases,
} from './bench.ts';
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

/** Stores a pending charge with its payment method. */
export async function storedCharge(bench: StorageBench): Promise<Charge & { status: 'pending' }> {
  const method = samplePaymentMethod(bench.owner);
  const charge = sampleCharge(bench.owner, method.id);
  const applied = await bench.apply({
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
  'keeps every field of a charge in each of its states': async (bench) => {
    const pending = await storedCharge(bench);
    const { charges } = bench.storage.read;
    assert.deepEqual(await charges.find(bench.owner, pending.id), pending);
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
        await bench.apply({ writes: [{ mode: 'update', kind: 'charge', row }] }),
        'applied',
      );
      assert.deepEqual(await charges.find(bench.owner, pending.id), row);
    }
  },
  'keeps payment methods, tokens, refunds and operations': async (bench) => {
    const charge = await storedCharge(bench);
    const method = {
      ...samplePaymentMethod(bench.owner),
      use: { state: 'spent', chargeId: charge.id },
    } as const;
    const token = sampleToken(bench.owner);
    const refund = sampleRefund(charge, 500);
    const operation = sampleOperation(charge, {
      processorReference: 'ref-1',
      idempotencyKey: 'key-1',
      outcome: { outcome: 'rejected', code: 'invalid', message: 'No.' },
    });
    const { read, operations } = bench.storage;
    await bench.apply({
      writes: [
        { mode: 'insert', kind: 'payment_method', row: method },
        { mode: 'insert', kind: 'token', row: token },
        { mode: 'insert', kind: 'refund', row: refund },
        { mode: 'insert', kind: 'operation', row: operation },
      ],
    });
    assert.deepEqual(await read.paymentMethods.find(bench.owner, method.id), method);
    assert.deepEqual(await read.tokens.find(bench.owner, token.id), token);
    assert.deepEqual(await read.refunds.find(bench.owner, refund.id), refund);
    const stored = await operations.find(bench.owner, operation.id);
    assert.deepEqual(withoutWaits(stored), withoutWaits(operation));
  },
  'shows nothing to another account or in the other environment': async (bench) => {
    const charge = await storedCharge(bench);
    for (const stranger of bench.strangers) {
      assert.equal(await bench.storage.read.charges.find(stranger, charge.id), undefined);
      const page = await bench.storage.read.charges.list(stranger, {}, { limit: 10 });
      assert.deepEqual(page, { data: [], hasMore: false });
    }
  },
};

const guards: StorageCases = {
  [`applies one of ${RACERS} updates of one version`]: async (bench) => {
    const charge = await storedCharge(bench);
    const answers = await race((caller) =>
      bench.apply({
        writes: [
          {
            mode: 'update',
            kind: 'charge',
            row: { ...charge, version: 2, description: `${caller}` },
          },
        ],
        events: [{ ...sampleEvent(bench.owner), objectId: charge.id }],
      }),
    );
    expectCount(answers, 'applied', 1);
    expectCount(answers, 'raced', RACERS - 1);
    const { data } = await bench.storage.read.events.list(bench.owner, {}, { limit: 100 });
    assert.equal(data.length, 1);
  },
  'writes nothing if the last of several guards is raced': async (bench) => {
    const charge = await storedCharge(bench);
    const method = samplePaymentMethod(bench.owner);
    const stale = { ...method, version: 7 };
    const claim = sampleClaim(bench.owner, 'key-raced');
    await bench.apply({ writes: [{ mode: 'insert', kind: 'payment_method', row: method }] });
    const answer = await bench.apply({
      claim,
      writes: [
        { mode: 'update', kind: 'charge', row: { ...charge, version: 2, description: 'changed' } },
        { mode: 'update', kind: 'payment_method', row: stale },
      ],
      events: [sampleEvent(bench.owner)],
    });
    assert.equal(answer, 'raced');
    const { read, idempotency } = bench.storage;
    assert.deepEqual(await read.charges.find(bench.owner, charge.id), charge);
    assert.equal(await idempotency.find(bench.owner, claim.key), undefined);
    assert.deepEqual((await read.events.list(bench.owner, {}, { limit: 10 })).data, []);
  },
  'keeps a transaction usable after a raced change': async (bench) => {
    const charge = await storedCharge(bench);
    const row = { ...charge, version: 2, description: 'second' };
    await bench.storage.transaction(async ({ changes }) => {
      const change = { ...bench.owner, at: AT, claim: sampleClaim(bench.owner, newId('req')) };
      const stale = { ...charge, version: 9 };
      const raced = {
        ...change,
        writes: [{ mode: 'update', kind: 'charge', row: stale }],
      } as const;
      assert.equal(await changes.apply(raced), 'raced');
      const fresh = { ...change, writes: [{ mode: 'update', kind: 'charge', row }] } as const;
      assert.equal(await changes.apply(fresh), 'applied');
    });
    assert.deepEqual(await bench.storage.read.charges.find(bench.owner, charge.id), row);
  },
  'rolls back every change of a transaction whose work throws': async (bench) => {
    const charge = await storedCharge(bench);
    const row = { ...charge, version: 2, description: 'never' };
    await assert.rejects(
      bench.storage.transaction(async ({ changes }) => {
        await changes.apply({
          ...bench.owner,
          at: AT,
          writes: [{ mode: 'update', kind: 'charge', row }],
          events: [sampleEvent(bench.owner)],
        });
        throw new HookError('The work failed.');
      }),
      HookError.is,
    );
    assert.deepEqual(await bench.storage.read.charges.find(bench.owner, charge.id), charge);
    const page = await bench.storage.read.events.list(bench.owner, {}, { limit: 10 });
    assert.deepEqual(page.data, []);
  },
  [`never refunds more than was captured, with ${RACERS} refunds at once`]: async (bench) => {
    const pending = await storedCharge(bench);
    await bench.apply({ writes: [{ mode: 'update', kind: 'charge', row: captured(pending) }] });
    const answers = await race(async () =>
      bench.storage.transaction(async ({ charges, changes }) => {
        const charge = await charges.findForUpdate(bench.owner, pending.id);
        assert.ok(charge?.status === 'succeeded');
        const amountRefunded = charge.amountRefunded + 600;
        if (amountRefunded > charge.amountCaptured) return 'refused';
        const row = { ...charge, version: charge.version + 1, amountRefunded };
        const refund = sampleRefund(charge, 600);
        return changes.apply({
          ...bench.owner,
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
  'refuses a charge with refunds above its captured amount': async (bench) => {
    const charge = captured(await storedCharge(bench));
    const row = { ...charge, amountRefunded: charge.amount + 1 };
    await expectRefused(() => bench.apply({ writes: [{ mode: 'update', kind: 'charge', row }] }));
  },
  'refuses a payment method of an account that does not exist': async (bench) => {
    const owner = { ...bench.owner, accountId: newId('acct') };
    const row = samplePaymentMethod(owner);
    const writes = [{ mode: 'insert', kind: 'payment_method', row }] as const;
    await expectRefused(() => bench.apply({ ...owner, writes }), 'resource_missing');
  },
  'refuses a charge on a payment method of the other environment': async (bench) => {
    const { paymentMethodId } = await storedCharge(bench);
    for (const stranger of bench.strangers) {
      const row = sampleCharge(stranger, paymentMethodId);
      const writes = [{ mode: 'insert', kind: 'charge', row }] as const;
      await expectRefused(() => bench.storage.changes.apply({ ...stranger, at: AT, writes }));
    }
  },
};

/** Rows are stored and read unchanged, and changes keep their guarantees. */
export const changeCases: StorageCases = { ...roundTrips, ...guards };
