import assert from 'node:assert/strict';
import { newId, type Owner } from '@paymount/core/kernel';
import type { Charge, Dispute, DisputeFacts } from '@paymount/core/payments';
import { storedCharge } from '../changes.ts';
import { AT, later, sampleCharge, samplePaymentMethod } from '../samples.ts';
import { expectCount, RACERS, race, type StorageCases, type StorageSetup } from '../setup.ts';
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

async function chargeIn(setup: StorageSetup, owner: Owner): Promise<Charge> {
  const method = samplePaymentMethod(owner);
  const charge = sampleCharge(owner, method.id);
  const writes = [
    { kind: 'payment_method', mode: 'insert', row: method },
    { kind: 'charge', mode: 'insert', row: charge },
  ] as const;
  assert.equal(await setup.apply({ ...owner, writes }), 'applied');
  return charge;
}

/** The facts of a dispute after a round whose money was given back. */
function reopened(facts: DisputeFacts): DisputeFacts {
  const credit = { transactionId: newId('txn'), at: later(5) };
  const earlier = [{ debit: DEBIT, credit }];
  return { ...facts, round: 2, ruledAt: later(4), earlier, earlierAnswerId: newId('op') };
}

const kept: StorageCases = {
  'keeps every field of a dispute in each of its states': async (setup) => {
    const alert = await storedDispute(setup, await storedCharge(setup));
    const { disputes } = setup.storage.read;
    assert.deepEqual(await disputes.find(setup.owner, alert.id), alert);
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
      { ...reopened(facts), version: 8, status: 'needs_response', debit: DEBIT },
    ];
    for (const row of rows) {
      assert.equal(await setup.apply({ writes: [updateOf(row)] }), 'applied');
      assert.deepEqual(await disputes.find(setup.owner, alert.id), row);
    }
  },
  'shows a dispute to its owner only': async (setup) => {
    const charge = await storedCharge(setup);
    const dispute = await storedDispute(setup, charge);
    const wanted = [newId('dp'), dispute.id];
    const find = (owner: Owner) =>
      setup.storage.transaction(async ({ disputes }) => [
        await disputes.find(owner, dispute.id),
        ...(await disputes.findMany(owner, wanted)),
        await disputes.findForUpdate(owner, dispute.id),
        ...(await disputes.ofCharge(owner, charge.id)),
      ]);
    assert.deepEqual(await find(setup.owner), [dispute, dispute, dispute, dispute]);
    for (const stranger of setup.strangers) {
      assert.deepEqual(await find(stranger), [undefined, undefined]);
    }
  },
  'returns all disputes of a charge, newest first': async (setup) => {
    const charge = await storedCharge(setup);
    const first = await endedDispute(setup, charge);
    const second = await endedDispute(setup, charge);
    const open = await storedDispute(setup, charge);
    await storedDispute(setup, await storedCharge(setup));
    const found = await setup.storage.transaction(({ disputes }) =>
      disputes.ofCharge(setup.owner, charge.id),
    );
    assert.deepEqual(found, [open, second, first]);
  },
};

const named: StorageCases = {
  'finds a dispute by its reference, at its processor and in its environment only': async (
    setup,
  ) => {
    const [, live] = setup.strangers;
    assert.ok(live);
    const dispute = await storedDispute(setup, await storedCharge(setup));
    const { processorName: processor, processorReference } = dispute;
    const inLive = sampleDispute(await chargeIn(setup, live), { processorName: processor });
    assert.equal(await setup.apply({ ...live, writes: [insertOf(inLive)] }), 'applied');
    const find = (at: { environment: 'live' | 'test'; processor: string }, reference: string) =>
      setup.storage.transaction(({ disputes }) => disputes.findByReference(at, reference));
    const test = { environment: 'test', processor } as const;
    assert.deepEqual(await find(test, processorReference), dispute);
    assert.deepEqual(await find({ ...test, environment: 'live' }, processorReference), inLive);
    assert.equal(await find({ ...test, processor: 'other' }, processorReference), undefined);
    assert.equal(await find(test, 'dispute_2'), undefined);
  },
  'finds a chargeback by the reference of its alert too, unless a dispute has it now': async (
    setup,
  ) => {
    const continued = await storedDispute(setup, await storedCharge(setup), {
      alert: { reference: 'alert_1' },
    });
    const { processorName: processor } = continued;
    const find = () =>
      setup.storage.transaction(({ disputes }) =>
        disputes.findByReference({ environment: 'test', processor }, 'alert_1'),
      );
    assert.deepEqual(await find(), continued);
    const facts = { processorName: processor, processorReference: 'alert_1' };
    const other = await storedDispute(setup, await storedCharge(setup), facts);
    assert.deepEqual(await find(), other);
  },
};

const raced: StorageCases = {
  [`opens one of ${RACERS} disputes with one reference of a processor`]: async (setup) => {
    const { paymentMethodId } = await storedCharge(setup);
    const charges = Array.from({ length: RACERS }, () =>
      sampleCharge(setup.owner, paymentMethodId),
    );
    const writes = charges.map((row) => ({ kind: 'charge', mode: 'insert', row }) as const);
    await setup.apply({ writes });
    const processorName = `p_${newId('req')}`;
    const opened = await race(async (caller) => {
      const charge = charges[caller];
      assert.ok(charge);
      const row = sampleDispute(charge, { processorName });
      return setup.apply({ writes: [insertOf(row)] }).catch(() => 'refused' as const);
    });
    expectCount(opened, 'applied', 1);
  },
  [`opens one of ${RACERS} disputes of a charge, and another one after that has ended`]: async (
    setup,
  ) => {
    const charge = await storedCharge(setup);
    const open = () =>
      setup.apply({ writes: [insertOf(sampleDispute(charge))] }).catch(() => 'refused' as const);
    expectCount(await race(open), 'applied', 1);
    const [dispute] = await setup.storage.transaction(({ disputes }) =>
      disputes.ofCharge(setup.owner, charge.id),
    );
    assert.ok(dispute?.status === 'warning_needs_response');
    await setup.apply({ writes: [updateOf({ ...dispute, version: 2, status: 'prevented' })] });
    assert.equal(await open(), 'applied');
  },
  'opens several chargebacks of a charge beside each other': async (setup) => {
    const charge = await storedCharge(setup);
    const open = async () => {
      const row: Dispute = { ...sampleDispute(charge), status: 'needs_response', debit: DEBIT };
      return setup.apply({ writes: [insertOf(row)] });
    };
    assert.deepEqual([await open(), await open()], ['applied', 'applied']);
  },
  [`applies one of ${RACERS} rulings on one version of a dispute`]: async (setup) => {
    const alert = await storedDispute(setup, await storedCharge(setup));
    const end = { ...alert, version: 2, status: 'warning_closed' } as const;
    const applied = await race(() => setup.apply({ writes: [updateOf(end)] }));
    expectCount(applied, 'applied', 1);
    expectCount(applied, 'raced', RACERS - 1);
  },
};

/** Disputes: what is kept of them, who finds them, and which of several wins. */
export const disputeCases: StorageCases = { ...kept, ...named, ...raced };
