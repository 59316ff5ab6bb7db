import { expect } from 'chai';
import {
  replayAllowance,
  replayCapacity,
  replayShare,
} from '../../../../../packages/core/src/events/replays/replay.ts';

const START = Date.UTC(2026, 10, 21, 12);
const at = (ms: number): Date => new Date(START + ms);

/** What a replay of this rate makes in a step every so often, each as much as it may. */
function madeIn(rate: number, { ms, every }: { readonly ms: number; readonly every: number }) {
  let steppedAt: Date | undefined;
  let made = 0;
  for (let now = 0; now < ms; now += every) {
    const allowance = replayAllowance({ rate, ...(steppedAt && { steppedAt }) }, at(now));
    if (allowance === undefined) continue;
    made += allowance.count;
    steppedAt = allowance.steppedAt;
  }
  return made;
}

describe('The allowance of a replay', () => {
  it('begins with a tenth of a second, and at least one', () => {
    expect(replayAllowance({ rate: 200 }, at(0))).to.deep.equal({ count: 20, steppedAt: at(0) });
    expect(replayAllowance({ rate: 1 }, at(0))).to.deep.equal({ count: 1, steppedAt: at(0) });
  });

  it('is zero within the first tenth of a second, and as long as it is below one delivery', () => {
    expect(replayAllowance({ rate: 1_000, steppedAt: at(0) }, at(99))).to.equal(undefined);
    expect(replayAllowance({ rate: 1_000, steppedAt: at(0) }, at(100))?.count).to.equal(100);
    expect(replayAllowance({ rate: 2, steppedAt: at(0) }, at(499))).to.equal(undefined);
    expect(replayAllowance({ rate: 2, steppedAt: at(0) }, at(500))?.count).to.equal(1);
    // The clock of another machine may be behind.
    expect(replayAllowance({ rate: 200, steppedAt: at(0) }, at(-60_000))).to.equal(undefined);
  });

  it('begins anew when the clock was set back by more than machines differ', () => {
    const now = at(-60_001);
    expect(replayAllowance({ rate: 200, steppedAt: at(0) }, now)).to.deep.equal({
      count: 20,
      steppedAt: now,
    });
  });

  it('makes up for two seconds at most', () => {
    expect(replayAllowance({ rate: 200, steppedAt: at(0) }, at(60_000))).to.deep.equal({
      count: 400,
      steppedAt: at(60_000),
    });
  });

  for (const rate of [1, 3, 7, 200, 333, 1_000]) {
    it(`comes to ${rate} per second, however the steps fall`, () => {
      for (const every of [50, 100, 110, 333]) {
        const made = madeIn(rate, { ms: 60_000, every });
        // The first step is ahead by a tenth of a second; a rest may be due with the next one.
        expect(made, `every ${every} ms`).to.be.at.most(60 * rate + Math.max(1, rate / 10));
        expect(made, `every ${every} ms`).to.be.at.least(59 * rate);
      }
    });
  }
});

describe('The room of a target', () => {
  const target = { status: 'enabled', unfinished: 0, own: 0, sharers: 1 } as const;

  it('is 50, shared by the replays that send there', () => {
    expect(replayCapacity(target)).to.equal(50);
    expect(replayCapacity({ ...target, sharers: 4 })).to.equal(13);
    expect(replayCapacity({ ...target, sharers: 4, own: 5, unfinished: 9 })).to.equal(8);
    expect(replayCapacity({ ...target, sharers: 4, own: 0, unfinished: 45 })).to.equal(5);
  });

  it('is zero when the endpoint or the share is full, or nothing is sent', () => {
    expect(replayCapacity({ ...target, unfinished: 51 })).to.equal(0);
    expect(replayCapacity({ ...target, sharers: 2, own: 40, unfinished: 40 })).to.equal(0);
    expect(replayCapacity({ ...target, status: 'disabled' })).to.equal(0);
  });
});

describe('The share of a target', () => {
  it('is even, and never above its room', () => {
    expect(replayShare(50, 4, 50)).to.equal(13);
    expect(replayShare(50, 4, 7)).to.equal(7);
    expect(replayShare(2, 50, 50)).to.equal(1);
    expect(replayShare(0, 3, 50)).to.equal(0);
    expect(replayShare(-3, 3, 50)).to.equal(0);
    expect(replayShare(50, 1, -2)).to.equal(0);
  });
});
