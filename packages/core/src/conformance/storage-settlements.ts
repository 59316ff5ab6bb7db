import assert from 'node:assert/strict';
import { newId } from '../kernel/basics/id.ts';
import type { SettlementDifference } from '../payments/settlements/settlement-difference.ts';
import type { SettlementLine } from '../payments/settlements/settlement-line.ts';
import { expectCount, RACERS, race, type StorageCases } from './storage-bench.ts';
import { AT } from './storage-samples.ts';

/** Each case has a processor of its own, so that it meets no line of another one. */
function sampleLine(processor = `p_${newId('req')}`): SettlementLine {
  return {
    ...{ id: newId('sl'), environment: 'test', processor, lineId: 'line_1', kind: 'payment' },
    ...{ amount: -4200, fee: 30, currency: 'eur', settledOn: AT, created: AT },
    named: { processorReference: 'ref_1' },
  };
}

function sampleDifference({ processor, id, lineId }: SettlementLine): SettlementDifference {
  return {
    ...{ id: newId('sd'), environment: 'test', processor, kind: 'no_operation', subjectId: id },
    ...{ lineId, currency: 'eur', found: -4200, state: 'open', created: AT },
  };
}

export const settlementCases: StorageCases = {
  [`stores a settlement line for one of ${RACERS} callers, and keeps it whole`]: async (bench) => {
    const line = sampleLine();
    const recorded = await race((caller) =>
      bench.storage.transaction(({ settlements }) =>
        settlements.record(caller === 0 ? line : { ...line, id: newId('sl') }),
      ),
    );
    expectCount(recorded, true, 1);
    const other = sampleLine();
    const taken = await bench.storage.transaction(async ({ settlements }) => {
      await settlements.record(other);
      return settlements.takeUnmatched(other.id);
    });
    assert.deepEqual(taken, other);
  },
  'keeps a difference of a subject once, and what a person says of it': async (bench) => {
    const line = sampleLine();
    const difference = sampleDifference(line);
    const settled = { ...difference, state: 'settled', note: 'A fee.' } as const;
    await bench.storage.transaction(async ({ settlements }) => {
      await settlements.record(line);
      await settlements.addDifferences([difference]);
      await settlements.addDifferences([{ ...difference, id: newId('sd') }]);
    });
    const all = { accounts: 'all', environments: ['live', 'test'] } as const;
    const some = { ...all, accounts: [bench.owner.accountId] };
    const { settlementDifferences } = bench.directory;
    const list = async (scope: typeof all | typeof some, state?: 'any') => {
      const filter = { processor: line.processor, ...(state && { state }) };
      return (await settlementDifferences.list(scope, filter, { limit: 10 })).data;
    };
    assert.deepEqual(await list(all), [difference]);
    assert.deepEqual(await list(some), []);
    assert.equal(await settlementDifferences.find(some, difference.id), undefined);
    await bench.storage.transaction(async ({ settlements }) => {
      assert.deepEqual(await settlements.findDifferenceForUpdate(difference.id), difference);
      await settlements.saveDifference(settled);
      await settlements.resolve('no_operation', line.id);
    });
    assert.deepEqual(await list(all), []);
    assert.deepEqual(await list(all, 'any'), [settled]);
  },
};
