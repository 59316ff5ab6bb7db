import { expect } from 'chai';
import fc from 'fast-check';
import { type Rate, toPolicies } from '../../../../packages/auth/src/limits/rate.ts';
import { TokenBuckets } from '../../../../packages/auth/src/limits/token-buckets.ts';

const toPolicy = (rate: Rate) => toPolicies({ admin: rate }).admin;
const buckets = (rate: Rate, maxTracked?: number) => new TokenBuckets(toPolicy(rate), maxTracked);

/** How many of this many requests at one moment are let in. */
function letIn(of: TokenBuckets, key: string, requests: number, nowMs: number): number {
  return Array.from({ length: requests }, () => of.take(key, nowMs)).filter((s) => s.allowed)
    .length;
}

describe('token buckets', () => {
  it('admit the burst at once, then as many as were refilled', () => {
    const live = buckets({ requests: 100, seconds: 1, burst: 200 });
    expect(letIn(live, 'a', 300, 0)).to.equal(200);
    expect(letIn(live, 'a', 300, 9)).to.equal(0);
    expect(letIn(live, 'a', 300, 10)).to.equal(1);
    expect(letIn(live, 'a', 300, 510)).to.equal(50);
    expect(letIn(live, 'a', 300, 5_000)).to.equal(200);
  });

  it('never refuse who keeps the rate', () => {
    const minute = buckets({ requests: 20, seconds: 60 });
    const thirds = buckets({ requests: 3, seconds: 1 });
    for (let n = 0; n < 500; n += 1) {
      expect(minute.take('a', n * 3_000).allowed, `request ${n}`).to.equal(true);
      expect(thirds.take('a', n * (1000 / 3)).allowed, `request ${n}`).to.equal(true);
    }
  });

  it('say what is left, when all is there again, and when to come back', () => {
    const minute = buckets({ requests: 20, seconds: 60 });
    const { policy, ...first } = minute.take('a', 0);
    expect(policy.item).to.equal('"admin";q=20;w=60');
    expect(first).to.deep.equal({ allowed: true, remaining: 19, resetSeconds: 3 });
    letIn(minute, 'a', 18, 0);
    const { policy: _last, ...last } = minute.take('a', 0);
    expect(last).to.deep.equal({ allowed: true, remaining: 0, resetSeconds: 60 });
    const { policy: _none, ...none } = minute.take('a', 1);
    expect(none).to.deep.equal({ allowed: false, remaining: 0, resetSeconds: 3 });
    const { policy: _later, ...later } = minute.take('a', 3_000);
    expect(later).to.deep.equal({ allowed: true, remaining: 0, resetSeconds: 60 });
  });

  it('keep each key to itself, and only look when asked to', () => {
    const one = buckets({ requests: 1, seconds: 1 });
    expect(one.peek('a', 0).allowed).to.equal(true);
    expect(one.take('a', 0).allowed).to.equal(true);
    expect(one.peek('a', 0)).to.include({ allowed: false, resetSeconds: 1 });
    expect(one.take('b', 0).allowed).to.equal(true);
    expect(one.peek('a', 1_000)).to.include({ allowed: true, remaining: 1 });
  });

  it('hold no more than they may, and forget what is full', () => {
    const few = buckets({ requests: 1, seconds: 1 }, 1000);
    for (let n = 0; n < 5_000; n += 1) few.take(`address ${n}`, 0);
    expect(few.size).to.be.within(500, 1000);
    few.take('a', 30_000);
    few.take('b', 60_000);
    expect(few.size).to.equal(2);
  });

  it('admit what the rate allows and no more, whenever the requests arrive', () => {
    const rate = fc.record({
      requests: fc.integer({ min: 1, max: 50 }),
      seconds: fc.constantFrom(1, 2, 60),
      burst: fc.integer({ min: 1, max: 100 }),
    });
    const gaps = fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 300 });
    fc.assert(
      fc.property(rate, gaps, (of, waits) => {
        const kept = buckets(of);
        // Counted apart: tokens as a number that grows with time.
        let tokens = of.burst;
        let nowMs = 0;
        for (const wait of waits) {
          nowMs += wait;
          tokens = Math.min(tokens + (wait * of.requests) / (of.seconds * 1000), of.burst);
          const expected = tokens >= 1 - 1e-6;
          if (kept.take('a', nowMs).allowed !== expected) return false;
          if (expected) tokens -= 1;
        }
        return true;
      }),
    );
  });
});

describe('the options of limits', () => {
  it('have the documented defaults', () => {
    const { key, account, publishableKey, failedCredentials, admin } = toPolicies();
    expect(
      [
        key.live,
        key.test,
        account.live,
        account.test,
        publishableKey,
        failedCredentials,
        admin,
      ].map(({ item, text }) => [item, text]),
    ).to.deep.equal([
      ['"key";q=200;w=2', '100 per second'],
      ['"key";q=50;w=2', '25 per second'],
      ['"account";q=1000;w=2', '500 per second'],
      ['"account";q=250;w=2', '125 per second'],
      ['"address";q=20;w=60', '20 per 60 seconds'],
      ['"credentials";q=20;w=60', '20 per 60 seconds'],
      ['"admin";q=20;w=1', '20 per second'],
    ]);
  });

  for (const rate of [
    { requests: 0, seconds: 1 },
    { requests: 1, seconds: 0 },
    { requests: Number.NaN, seconds: 1 },
    { requests: 5, seconds: 1, burst: 0 },
    { requests: 0.5, seconds: 1 },
  ]) {
    it(`refuse ${JSON.stringify(rate)}, naming the option`, () => {
      expect(() => toPolicies({ account: { live: rate } })).to.throw(
        RangeError,
        'The option `rateLimit.account.live` needs requests and seconds above 0',
      );
    });
  }
});
