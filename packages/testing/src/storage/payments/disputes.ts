import assert from 'node:assert/strict';
import { newId, type Owner } from '@paymount/core/kernel';
import type { Charge, Dispute } from '@paymount/core/payments';
import { expectCount, RACERS, race, type StorageBench, type StorageCases } from '../bench.ts';
import { storedCharge } from '../changes.ts';
import { AT, later, sampleCharge, samplePaymentMethod } from '../samples.ts';
import {
  endedDispute,
  insertOf,
  sampleDispute,
  storedDispute,
  updateOf,
} from './dispute-samples.ts';

const DEBIT = {
  transactionId: newId('txn'),
  fee: 1500,
  feeDetails: [{ type: 'paymount_fee', amount: 1500, description: 'Dispute fee' }],
  at: AT,
} as const;

async function chargeIn(bench: StorageBench, owner: Owner): Promise<Charge> {
  const method = samplePaymentMethod(owner);
  const charge = sampleCharge(owner, method.id);
  const writes = [
    { kind: 'payment_method', mode: 'insert', row: method },
    { kind: 'charge', mode: 'insert', row: charge },
  ] as const;
  assert.equal(await bench.apply({ ...owner, writes }), 'applied');
  return charge;
}

const kept: StorageCases = {
  'keeps every field of a dispute in each of its states': async (bench) => {
    const alert = await storedDispute(bench, await storedCharge(bench));
    const { disputes } = bench.storage.read;
    assert.deepEqual(await disputes.find(bench.owner, alert.id), alert);
    const was = { ...alert, alert: { reference: 'alert_1', operationId: newId('op') } };
    const facts = { ...was, amount: 500, submissionCount: 2, networkReasonCode: null };
    const credit = { transactionId: newId('txn'), at: later(5) };
    const rows: readonly Dispute[] = [
      { ...alert, version: 2, status: 'warning_closed' },
      { ...alert, version: 3, status: 'prevented', pastDue: true, alert: { reference: 'a' } },
      { ...facts, version: 4, status: 'needs_response', debit: DEBIT },
      { ...facts, version: 5, status: 'under_review', debit: DEBIT, dueBy: later(1) },
      { ...facts, version: 6, status: 'won', debit: DEBIT, credit },
      { ...facts, version: 7, status: 'lost', debit: DEBIT, closedReason: 'expired' },
    ];
    for (const row of rows) {
      assert.equal(await bench.apply({ writes: [updateOf(row)] }), 'applied');
      assert.deepEqual(await disputes.find(bench.owner, alert.id), row);
    }
  },
  'shows a dispute to its owner only': async (bench) => {
    const charge = await storedCharge(bench);
    const dispute = await storedDispute(bench, charge);
    const wanted = [newId('dp'), dispute.id];
    const find = (owner: Owner) =>
      bench.storage.transaction(async ({ disputes }) => [
        await disputes.find(owner, dispute.id),
        ...(await disputes.findMany(owner, wanted)),
        await disputes.findForUpdate(owner, dispute.id),
        ...(await disputes.ofCharge(owner, charge.id)),
      ]);
    assert.deepEqual(await find(bench.owner), [dispute, dispute, dispute, dispute]);
    for (const stranger of bench.strangers) {
      assert.deepEqual(await find(stranger), [undefined, undefined]);
    }
  },
  'returns all disputes of a charge, newest first': async (bench) => {
    const charge = await storedCharge(bench);
    const first = await endedDispute(bench, charge);
    const second = await endedDispute(bench, charge);
    const open = await storedDispute(bench, charge);
    await storedDispute(bench, await storedCharge(bench));
    const found = await bench.storage.transaction(({ disputes }) =>
      disputes.ofCharge(bench.owner, charge.id),
    );
    assert.deepEqual(found, [open, second, first]);
  },
};

const named: StorageCases = {
  'finds a dispute by its reference, at its processor and in its environment only': async (
    bench,
  ) => {
    const [, live] = bench.strangers;
    assert.ok(live);
    const dispute = await storedDispute(bench, await storedCharge(bench));
    const { processorName: processor, processorReference } = dispute;
    const inLive = sampleDispute(await chargeIn(bench, live), { processorName: processor });
    assert.equal(await bench.apply({ ...live, writes: [insertOf(inLive)] }), 'applied');
    const find = (at: { environment: 'live' | 'test'; processor: string }, reference: string) =>
      bench.storage.transaction(({ disputes }) => disputes.findByReference(at, reference));
    const test = { environment: 'test', processor } as const;
    assert.deepEqual(await find(test, processorReference), dispute);
    assert.deepEqual(await find({ ...test, environment: 'live' }, processorReference), inLive);
    assert.equal(await find({ ...test, processor: 'other' }, processorReference), undefined);
    assert.equal(await find(test, 'dispute_2'), undefined);
  },
  'finds a chargeback by the reference of its alert too, unless a dispute has it now': async (
    bench,
  ) => {
    const continued = await storedDispute(bench, await storedCharge(bench), {
      alert: { reference: 'alert_1' },
    });
    const { processorName: processor } = continued;
    const find = () =>
      bench.storage.transaction(({ disputes }) =>
        disputes.findByReference({ environment: 'test', processor }, 'alert_1'),
      );
    assert.deepEqual(await find(), continued);
    const facts = { processorName: processor, processorReference: 'alert_1' };
    const other = await storedDispute(bench, await storedCharge(bench), facts);
    assert.deepEqual(await find(), other);
  },
};

const raced: StorageCases = {
  [`opens one of ${RACERS} disputes with one reference of a processor`]: async (bench) => {
    const { paymentMethodId } = await storedCharge(bench);
    const charges = Array.from({ length: RACERS }, () =>
      sampleCharge(bench.owner, paymentMethodId),
    );
    const writes = charges.map((row) => ({ kind: 'charge', mode: 'insert', row }) as const);
    await bench.apply({ writes });
    const processorName = `p_${newId('req')}`;
    const opened = await race(async (caller) => {
      const charge = charges[caller];
      assert.ok(charge);
      const row = sampleDispute(charge, { processorName });
      return bench.apply({ writes: [insertOf(row)] }).catch(() => 'refused' as const);
    });
    expectCount(opened, 'applied', 1);
  },
  [`opens one of ${RACERS} disputes of a charge, and another one after that has ended`]: async (
    bench,
  ) => {
    const charge = await storedCharge(bench);
    const open = () =>
      bench.apply({ writes: [insertOf(sampleDispute(charge))] }).catch(() => 'refused' as const);
    expectCount(await race(open), 'applied', 1);
    const [dispute] = await bench.storage.transaction(({ disputes }) =>
      disputes.ofCharge(bench.owner, charge.id),
    );
    assert.ok(dispute?.status === 'warning_needs_response');
    await bench.apply({ writes: [updateOf({ ...dispute, version: 2, status: 'prevented' })] });
    assert.equal(await open(), 'applied');
  },
  [`applies one of ${RACERS} rulings on one version of a dispute`]: async (bench) => {
    const alert = await storedDispute(bench, await storedCharge(bench));
    const end = { ...alert, version: 2, status: 'warning_closed' } as const;
    const applied = await race(() => bench.apply({ writes: [updateOf(end)] }));
    expectCount(applied, 'applied', 1);
    expectCount(applied, 'raced', RACERS - 1);
  },
};

/** Disputes: what is kept of them, who finds them, and which of several wins. */
export const disputeCases: StorageCases = { ...kept, ...named, ...raced };
