import { newId, PaymountError, type Principal } from '@paymount/core/kernel';
import { expect } from 'chai';
import { requireAllowed } from '../../../../packages/auth/src/limits/limit-state.ts';
import {
  type Counted,
  createLimits,
  type Limits,
} from '../../../../packages/auth/src/limits/limits.ts';
import type { RateLimitOptions } from '../../../../packages/auth/src/limits/rate.ts';
import { fakeClock } from '../../../support/clock.ts';
import { keptLog } from '../../../support/kept-log.ts';

const ADDRESS = '203.0.113.7';

function setUp(options: RateLimitOptions | false = {}) {
  const clock = fakeClock('2026-05-01T12:00:00.000Z');
  return { clock, limits: createLimits(options, { clock, logger: keptLog() }) };
}

function principal(
  keyType: 'secret' | 'restricted' | 'publishable',
  environment: 'live' | 'test',
  accountId = newId('acct'),
): Principal {
  const keyId = newId('key');
  const snapshot = { keyId, keyVersion: 1, accountVersion: 1 };
  return { kind: 'key', keyType, keyId, accountId, environment, scopes: 'all', snapshot };
}

/** What memory says is said in the same turn. */
function count(limits: Limits, who: Principal, address: string | undefined = ADDRESS): Counted {
  const counted = limits.countRequest(who, address);
  if (counted === undefined || counted instanceof Promise) throw new Error('It was not counted.');
  return counted;
}

function letIn(limits: Limits, who: Principal, requests: number): number {
  return Array.from({ length: requests }, () => count(limits, who)).filter((c) => c.state.allowed)
    .length;
}

function limitError(work: () => unknown): PaymountError {
  try {
    work();
  } catch (error) {
    if (PaymountError.is(error)) return error;
    throw error;
  }
  throw new Error('It was let in.');
}

describe('the limits of a process', () => {
  it('let a live key make 200 requests at once and 100 a second, a test key 50 and 25', () => {
    const { clock, limits } = setUp();
    const [live, test] = [principal('secret', 'live'), principal('restricted', 'test')];
    expect([letIn(limits, live, 300), letIn(limits, test, 300)]).to.deep.equal([200, 50]);
    clock.advance(1_000);
    expect([letIn(limits, live, 300), letIn(limits, test, 300)]).to.deep.equal([100, 25]);
  });

  it('tell the client in the same turn what is left', () => {
    const { limits } = setUp();
    expect(count(limits, principal('secret', 'live')).headers).to.deep.equal({
      'RateLimit-Policy': '"key";q=200;w=2, "account";q=1000;w=2',
      RateLimit: '"key";r=199;t=1',
    });
  });

  it('limit all keys of an account together, per environment', () => {
    const { limits } = setUp();
    const account = newId('acct');
    const keys = Array.from({ length: 6 }, () => principal('secret', 'live', account));
    const [last, ...first] = keys;
    expect(first.map((key) => letIn(limits, key, 200))).to.deep.equal([200, 200, 200, 200, 200]);
    const refused = last && count(limits, last);
    expect(refused?.state.allowed).to.equal(false);
    expect(refused?.headers['RateLimit']).to.equal('"account";r=0;t=1');
    expect(letIn(limits, principal('secret', 'test', account), 50)).to.equal(50);
  });

  it('take nothing from the account for what the key is refused', () => {
    const { clock, limits } = setUp();
    const account = newId('acct');
    const [greedy, modest] = [
      principal('secret', 'live', account),
      principal('secret', 'live', account),
    ];
    letIn(limits, greedy, 5_000);
    expect(letIn(limits, modest, 200)).to.equal(200);
    clock.advance(1);
    expect(count(limits, modest).state.allowed).to.equal(false);
  });

  it('limit each visitor of a publishable key, and leave the account to its servers', () => {
    const { limits } = setUp({ key: { live: { requests: 30, seconds: 1 } } });
    const account = newId('acct');
    const shop = principal('publishable', 'live', account);
    const by = (address: string | undefined, requests: number) =>
      Array.from({ length: requests }, () => count(limits, shop, address)).filter(
        (counted) => counted.state.allowed,
      ).length;
    expect(by('198.51.100.1', 30)).to.equal(20);
    expect(by('198.51.100.2', 5)).to.equal(5);
    // A neighbor in the same /64 is the same visitor.
    expect(by('2001:db8::1', 3) + by('2001:db8::2', 30)).to.equal(5);
    expect(by(undefined, 1)).to.equal(0);
    expect(letIn(limits, principal('secret', 'live', account), 30)).to.equal(30);
  });

  it('name the visitor in what they tell of a publishable key', () => {
    const { limits } = setUp();
    expect(count(limits, principal('publishable', 'live')).headers).to.deep.equal({
      'RateLimit-Policy': '"address";q=20;w=60, "key";q=200;w=2',
      RateLimit: '"address";r=19;t=3',
    });
  });

  it('refuse with 429, the limit and the seconds to wait', () => {
    const { limits } = setUp({ account: { live: { requests: 2, seconds: 60 } } });
    const who = principal('secret', 'live');
    letIn(limits, who, 2);
    const refusal = limitError(() => requireAllowed(count(limits, who).state));
    expect(refusal.code).to.equal('rate_limit');
    expect(refusal.retryAfterSeconds).to.equal(30);
    expect(refusal.message).to.equal(
      'Too many requests with the keys of this account: 2 per 60 seconds are allowed. Try again in 30 s.',
    );
  });

  it('let each admin make 20 requests a second', () => {
    const { limits } = setUp();
    const states = Array.from({ length: 21 }, () => limits.countAdmin('ada') as Counted);
    expect(states.map((counted) => counted.state.allowed).lastIndexOf(true)).to.equal(19);
    expect(states[20]?.headers).to.deep.equal({
      'RateLimit-Policy': '"admin";q=20;w=1',
      RateLimit: '"admin";r=0;t=1',
    });
    expect((limits.countAdmin('grace') as Counted).state.allowed).to.equal(true);
  });

  it('look nothing more up for an address that showed 20 bad credentials within a minute', async () => {
    const { clock, limits } = setUp();
    for (let failures = 0; failures < 20; failures += 1) {
      (await limits.startTry('key', '2001:db8::1')).end('bad');
    }
    const refusal = limitError(() => limits.startTry('key', '2001:db8::ffff'));
    expect([refusal.code, refusal.retryAfterSeconds]).to.deep.equal(['rate_limit', 3]);
    await limits.startTry('key', '2001:db8:0:1::1');
    await limits.startTry('admin', '2001:db8::1');
    clock.advance(3_000);
    await limits.startTry('key', '2001:db8::1');
  });

  it('limit nothing when they are switched off', async () => {
    const { limits } = setUp(false);
    expect(limits.countRequest(principal('secret', 'live'), ADDRESS)).to.equal(undefined);
    expect(limits.countAdmin('ada')).to.equal(undefined);
    for (let failures = 0; failures < 100; failures += 1) {
      (await limits.startTry('key', ADDRESS)).end('bad');
    }
  });

  it('cannot be shared without Redis', () => {
    expect(() => setUp({ shared: true })).to.throw(TypeError, 'give `redis` too');
  });
});
