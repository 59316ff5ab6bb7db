import assert from 'node:assert/strict';
import { newId } from '@paymount/core/kernel';
import { bookCapture, bookRefund } from '@paymount/core/ledger';
import type {
  Charge,
  SettlementCursor,
  SettlementDifference,
  SettlementLine,
  UnsettledCharge,
} from '@paymount/core/payments';
import { AT, later, sampleCharge, samplePaymentMethod, sampleRefund } from '../samples.ts';
import { expectCount, RACERS, race, type StorageCases, type StorageSetup } from '../setup.ts';

/** Each case has a processor of its own, so that it meets no line of another one. */
function sampleLine(processor = `p_${newId('req')}`): SettlementLine {
  return {
    id: newId('sl'),
    environment: 'test',
    processor,
    lineId: 'line_1',
    kind: 'payment',
    amount: -4200,
    fee: 30,
    currency: 'eur',
    settledOn: AT,
    created: AT,
    named: { processorReference: 'ref_1' },
  };
}

function sampleDifference({ processor, id, lineId }: SettlementLine): SettlementDifference {
  return {
    id: newId('sd'),
    environment: 'test',
    processor,
    kind: 'no_operation',
    subjectId: id,
    lineId,
    currency: 'eur',
    found: -4200,
    state: 'open',
    created: AT,
  };
}

export const settlementCases: StorageCases = {
  [`stores a settlement line for one of ${RACERS} callers, and keeps it whole`]: async (setup) => {
    const line = sampleLine();
    const recorded = await race((caller) =>
      setup.storage.transaction(({ settlements }) =>
        settlements.record(caller === 0 ? line : { ...line, id: newId('sl') }),
      ),
    );
    expectCount(recorded, true, 1);
    const other = sampleLine();
    const taken = await setup.storage.transaction(async ({ settlements }) => {
      await settlements.record(other);
      return settlements.takeUnmatched(other.id);
    });
    assert.deepEqual(taken, other);
  },
  'keeps a difference of a subject once, and what a person says of it': async (setup) => {
    const line = sampleLine();
    const difference = sampleDifference(line);
    const settled = { ...difference, state: 'settled', note: 'A fee.' } as const;
    await setup.storage.transaction(async ({ settlements }) => {
      await settlements.record(line);
      await settlements.addDifferences([difference]);
      await settlements.addDifferences([{ ...difference, id: newId('sd') }]);
    });
    const all = { accounts: 'all', environments: ['live', 'test'] } as const;
    const some = { ...all, accounts: [setup.owner.accountId] };
    const { settlementDifferences } = setup.directory;
    const list = async (scope: typeof all | typeof some, state?: 'any') => {
      const filter = { processor: line.processor, ...(state && { state }) };
      return (await settlementDifferences.list(scope, filter, { limit: 10 })).data;
    };
    assert.deepEqual(await list(all), [difference]);
    assert.deepEqual(await list(some), []);
    assert.equal(await settlementDifferences.find(some, difference.id), undefined);
    await setup.storage.transaction(async ({ settlements }) => {
      assert.deepEqual(await settlements.findDifferenceForUpdate(difference.id), difference);
      await settlements.saveDifference(settled);
    });
    const found = (more: Partial<SettlementDifference> = {}): Promise<void> =>
      setup.storage.transaction(({ settlements }) =>
        settlements.addDifferences([{ ...difference, id: newId('sd'), ...more }]),
      );
    await found({ created: later(1_000) });
    assert.deepEqual(await list(all), []);
    assert.deepEqual(await list(all, 'any'), [settled]);
    const other = { found: -4100, created: later(2_000) };
    await found(other);
    assert.deepEqual(await list(all), [{ ...difference, ...other }]);
    await found({ expected: -4000, created: later(3_000) });
    const current = { ...difference, ...other, expected: -4000, found: -4200 };
    assert.deepEqual(await list(all), [current]);
    await setup.storage.transaction(({ settlements }) =>
      settlements.resolve('no_operation', line.id),
    );
    const again = { expected: -4000, created: later(4_000) };
    await found(again);
    const last = { ...difference, ...again };
    assert.deepEqual(await list(all), [last]);
    await setup.storage.transaction(async ({ settlements }) => {
      await settlements.saveDifference({ ...last, state: 'settled', note: 'A fee.' });
      await settlements.resolve('no_operation', line.id);
    });
    assert.deepEqual(await list(all, 'any'), [{ ...last, state: 'resolved' }]);
  },
  'finds what moved in a window and is not settled, in pages of any size': async (setup) => {
    const line = { ...sampleLine(), settledOn: daysBefore(300) };
    await setup.storage.transaction(({ settlements }) => settlements.record(line));
    const debit = await capture(setup, line, { type: 'payment', currency: 'usd', days: 202 });
    const sold = await capture(setup, line, { type: 'charge', currency: 'eur', days: 290 });
    // Of a charge that was settled long ago, a refund is in the window.
    const refund = sampleRefund(sold, 4_000);
    const booking = {
      refundId: refund.id,
      amount: 4_000,
      currency: 'eur',
      pool: 'pending',
    } as const;
    const { posting, transaction } = bookRefund({
      ...booking,
      owner: setup.owner,
      availableOn: AT,
      at: daysBefore(201),
    });
    await setup.apply({
      writes: [{ kind: 'refund', mode: 'insert', row: refund }],
      postings: [posting],
      balanceTransactions: [transaction],
    });
    await capture(setup, line, { type: 'charge', currency: 'eur', days: 199 });
    const window = { from: daysBefore(203), to: daysBefore(200) };
    const facts = { ...setup.owner, processor: line.processor, settled: 0 };
    for (const limit of [1, 2, 100]) {
      const found = await scanAll(setup, window, limit);
      assert.deepEqual(
        found.filter(({ accountId }) => accountId === setup.owner.accountId),
        [
          { ...facts, chargeId: sold.id, currency: 'eur', moved: 6_000 },
          { ...facts, chargeId: debit.id, currency: 'usd', moved: 10_000 },
        ],
      );
    }
  },
};

/** A charge that is older than anything that it moved. @param days before `AT`, when it moved */
async function capture(
  setup: StorageSetup,
  { processor: processorName }: SettlementLine,
  {
    type,
    currency,
    days,
  }: {
    readonly type: 'charge' | 'payment';
    readonly currency: string;
    readonly days: number;
  },
): Promise<Charge> {
  const method = samplePaymentMethod(setup.owner);
  const facts = { processorName, currency, created: daysBefore(299) };
  const charge = sampleCharge(setup.owner, method.id, facts);
  const { posting, transaction } = bookCapture({
    owner: setup.owner,
    type,
    chargeId: charge.id,
    amount: charge.amount,
    currency,
    fee: { amount: 0, details: [] },
    availableOn: AT,
    at: daysBefore(days),
  });
  await setup.apply({
    writes: [
      { kind: 'payment_method', mode: 'insert', row: method },
      { kind: 'charge', mode: 'insert', row: charge },
    ],
    postings: [posting],
    balanceTransactions: [transaction],
  });
  return charge;
}

async function scanAll(
  { storage }: StorageSetup,
  window: { readonly from: Date; readonly to: Date },
  limit: number,
): Promise<readonly UnsettledCharge[]> {
  const found: UnsettledCharge[] = [];
  let after: SettlementCursor | undefined;
  do {
    const from = after;
    const { unsettled, next } = await storage.transaction(({ settlements }) =>
      settlements.scanCharges(window, limit, from),
    );
    found.push(...unsettled);
    after = next;
  } while (after !== undefined);
  return found;
}

function daysBefore(days: number): Date {
  return later(-days * 86_400_000);
}
