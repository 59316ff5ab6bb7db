import { expect } from 'chai';
import { AT, buildCharge, buildOperation, prepare } from '../../facts.ts';

const RULES = {
  fees: () => ({ amount: 0, details: [] }),
  disputeFees: () => ({ amount: 0, details: [] }),
  authorizationDays: () => 7,
};

type Result = Parameters<ReturnType<typeof prepare>['conclude']>[1];

/** Asks again and again without an answer. @returns the waits in seconds, and the last state */
function silence(): { waits: number[]; state: string } {
  const charge = buildCharge();
  let operation = buildOperation(charge);
  const waits: number[] = [];
  for (let asked = 0; asked < 20; asked += 1) {
    const change = prepare(charge, RULES).conclude(operation, { outcome: 'unknown' }, AT);
    const write = change.writes.find((each) => each.kind === 'operation');
    if (write?.row === undefined) throw new Error('the operation was not written');
    operation = write.row;
    if (operation.nextLookupAt === undefined) break;
    waits.push((operation.nextLookupAt.getTime() - AT.getTime()) / 1000);
  }
  return { waits, state: operation.state };
}

describe('an operation of unknown outcome', () => {
  it('is asked after 10 s, 1 min, 5 min, 1 h, 6 h, then daily five times, then a person looks', () => {
    expect(silence()).to.deep.equal({
      waits: [10, 60, 300, 3600, 21_600, 86_400, 86_400, 86_400, 86_400, 86_400],
      state: 'quarantined',
    });
  });

  it('is not asked every second by a processor that promises the past', () => {
    const charge = buildCharge();
    const change = prepare(charge, RULES).conclude(
      { ...buildOperation(charge), lookups: 1 },
      { outcome: 'pending', processorReference: 'p_2', expectedBy: '2026-11-20T00:00:00.000Z' },
      AT,
    );
    const write = change.writes.find((each) => each.kind === 'operation');
    expect(write?.row.nextLookupAt?.toISOString()).to.equal('2026-11-21T09:31:00.000Z');
    expect(write?.row.lookups).to.equal(2);
  });

  it('is asked within a day, however far the promise', () => {
    const charge = buildCharge();
    const change = prepare(charge, RULES).conclude(
      buildOperation(charge),
      { outcome: 'pending', processorReference: 'p_2', expectedBy: '2036-11-22T00:00:00.000Z' },
      AT,
    );
    const write = change.writes.find((each) => each.kind === 'operation');
    expect(write?.row.nextLookupAt?.toISOString()).to.equal('2026-11-22T09:30:00.000Z');
  });

  it('waits as long as the processor says when it answered pending', () => {
    const charge = buildCharge();
    const change = prepare(charge, RULES).conclude(
      buildOperation(charge),
      { outcome: 'pending', processorReference: 'p_2', expectedBy: '2026-11-22T00:00:00.000Z' },
      AT,
    );
    const write = change.writes.find((each) => each.kind === 'operation');
    expect(write?.row.nextLookupAt?.toISOString()).to.equal('2026-11-22T00:00:00.000Z');
    expect(write?.row.lookups).to.equal(0);
  });

  it('counts only what the processor did not find twice in a row', () => {
    const charge = buildCharge();
    const asked = { ...buildOperation(charge), lookups: 1, notFounds: 1 };
    const notFoundsAfter = (result: Result): number | undefined =>
      prepare(charge, RULES)
        .conclude(asked, result, AT)
        .writes.find((each) => each.kind === 'operation')?.row.notFounds;
    expect(notFoundsAfter({ outcome: 'unknown' })).to.equal(0);
    const expectedBy = '2026-11-22T00:00:00.000Z';
    const pending = { outcome: 'pending', processorReference: 'p_2', expectedBy } as const;
    expect(notFoundsAfter(pending)).to.equal(0);
    // What it promises is in the past.
    expect(notFoundsAfter({ ...pending, expectedBy: '2026-11-20T00:00:00.000Z' })).to.equal(0);
  });
});
