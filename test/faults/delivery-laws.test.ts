import { expect } from 'chai';
import { checkRecovery } from './deliveries/recovery.ts';
import { checkArrivals, checkExtraSends, type DeliveryRow } from './delivery-laws.ts';
import { checkOutage } from './redis-outage.ts';
import { Tally } from './scenario.ts';
import type { Arrival } from './webhook-log.ts';

/** Taken at the second attempt. */
const TAKEN: DeliveryRow = { delivery: 'dlv_1', event: 'evt_1', abandoned: [], counted: [1, 2] };
const ARRIVALS: readonly Arrival[] = [
  { eventId: 'evt_1', attempt: 'dlv_1-1', answered: 500 },
  { eventId: 'evt_1', attempt: 'dlv_1-2', answered: 200 },
];
const EIGHT = [1, 2, 3, 4, 5, 6, 7, 8];

function found(rows: readonly DeliveryRow[], arrivals: readonly Arrival[]): readonly string[] {
  return checkArrivals(rows, arrivals, new Tally());
}

function tallyOf(sends: number, extra: number): Tally {
  const tally = new Tally();
  tally.add('sends', sends);
  tally.add('extra sends', extra);
  return tally;
}

describe('the laws of delivery, each broken on purpose', () => {
  it('find nothing when every event was taken', () => {
    expect(found([TAKEN], ARRIVALS)).to.deep.equal([]);
  });

  it('find nothing when all eight attempts failed, or were reset', () => {
    const rows = [{ ...TAKEN, counted: EIGHT }];
    const arrivals = EIGHT.map((number) => ({
      eventId: 'evt_1',
      attempt: `dlv_1-${number}`,
      answered: number % 2 === 0 ? 500 : 0,
    }));
    expect(found(rows, arrivals)).to.deep.equal([]);
  });

  it('find an event that nobody sent', () => {
    const untried = { ...TAKEN, delivery: 'dlv_2', counted: [] };
    expect(found([TAKEN, untried], ARRIVALS)).to.deep.equal(['L1: dlv_2 was lost.']);
  });

  it('find an event whose only request was reset', () => {
    const reset = [{ eventId: 'evt_1', attempt: 'dlv_1-1', answered: 0 }];
    const rows = [{ ...TAKEN, counted: [1] }];
    expect(found(rows, reset)).to.deep.equal(['L1: dlv_1 was lost.']);
  });

  it('find an event that was sent and never committed', () => {
    const arrivals = [...ARRIVALS, { eventId: 'evt_2', attempt: 'dlv_2-1', answered: 200 }];
    expect(found([TAKEN], arrivals)).to.deep.equal(['L1: evt_2 arrived and was never committed.']);
  });

  it('find an attempt that was sent twice although no process died with it', () => {
    const again = [...ARRIVALS, { eventId: 'evt_1', attempt: 'dlv_1-2', answered: 200 }];
    expect(found([TAKEN], again)).to.deep.equal(['L2: attempt 2 of dlv_1 was sent 2 times.']);
    expect(found([{ ...TAKEN, abandoned: [2] }], again)).to.deep.equal([]);
  });

  it('find two results of one attempt', () => {
    const rows = [{ ...TAKEN, counted: [1, 2, 2] }];
    expect(found(rows, ARRIVALS)).to.deep.equal([
      'L2: dlv_1 has two results of one attempt: 1, 2, 2.',
    ]);
  });

  it('find more than 1 % of extra sends', () => {
    expect(checkExtraSends(tallyOf(1_000, 10))).to.deep.equal([]);
    expect(checkExtraSends(tallyOf(1_000, 11))).to.deep.equal([
      'L2: 11 of 1000 sends were extra, more than 1 %.',
    ]);
  });

  it('find what is overdue 30 s after the last fault', () => {
    expect(checkRecovery(3, 30_000)).to.deep.equal([]);
    expect(checkRecovery(0, 30_001)).to.deep.equal([]);
    expect(checkRecovery(3, 30_001)).to.deep.equal([
      'L4: 3 deliveries were overdue by more than 5 s, 30 s after the last fault.',
    ]);
  });

  it('find that an outage of Redis slows the API, fails charges, or holds events back', () => {
    const well = { answersMs: [10, 20], delaysMs: [5], failed: 0 };
    expect(checkOutage(well, { answersMs: [25], delaysMs: [5_000], failed: 0 })).to.deep.equal([]);
    expect(checkOutage(well, { answersMs: [25.2], delaysMs: [5_001], failed: 1 })).to.deep.equal([
      'p99 of the API rose by 5.2 ms.',
      '1 charges failed without Redis.',
      'Without Redis an event arrived after 5001 ms.',
    ]);
  });
});
