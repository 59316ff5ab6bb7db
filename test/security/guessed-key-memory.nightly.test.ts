import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createGuard, createLimits } from '@paymount/auth';
import { mintKey } from '@paymount/core/access';
import type { Clock } from '@paymount/core/kernel';
import { expect } from 'chai';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import { fakeClock } from '../support/clock.ts';
import { keptLog } from '../support/kept-log.ts';
import { requestWith, StoredKeys, storedKey } from '../support/memory-credentials.ts';
import { startProxiedHost } from './proxied-host.ts';

const START = '2026-05-01T12:00:00Z';
const GUESSES = 100_000;
const MIB = 1024 * 1024;

/** Whatever strangers send, a process remembers a bounded part of it. */
describe('the memory that guessed keys take', () => {
  const { stackTraceLimit } = Error;
  let collect: () => void;

  before(() => {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
    // Most of the time would go into stacks that nobody reads.
    Error.stackTraceLimit = 0;
  });
  after(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });

  function heapBytes(): number {
    collect();
    return process.memoryUsage().heapUsed;
  }

  /** By how much the heap grows through so many of these, after it has held all that it will. */
  async function measureGrowth(full: number, work: () => unknown, more = GUESSES): Promise<number> {
    for (let done = 0; done < full; done += 1) await work();
    const before = heapBytes();
    for (let done = 0; done < more; done += 1) await work();
    return heapBytes() - before;
  }

  function buildGuard(clock: Clock, ...keys: ReturnType<typeof storedKey>[]) {
    const stored = new StoredKeys(...keys);
    const limits = createLimits({}, { clock, logger: keptLog() });
    const guard = createGuard({ credentials: stored, clock, logger: keptLog() });
    return { stored, guard, limits };
  }

  async function ask(guard: ReturnType<typeof buildGuard>['guard'], key: string): Promise<boolean> {
    try {
      await guard.authenticate(requestWith(`Bearer ${key}`), 'test');
      return true;
    } catch {
      return false;
    }
  }

  it('does not grow with 100,000 further unknown keys', async function () {
    this.timeout(60_000);
    const { guard } = buildGuard(fakeClock(START));
    const growth = await measureGrowth(15_000, () => ask(guard, mintKey('secret', 'test')));
    expect(growth).to.be.below(2 * MIB);
  });

  it('is the latest 10,000 of them, and never pushes out a key that exists', async function () {
    this.timeout(60_000);
    const keys = Array.from({ length: 50 }, () => storedKey('secret', 'test'));
    const { guard, stored } = buildGuard(fakeClock(START), ...keys);
    for (const _ of ['cold', 'cached']) for (const { secret } of keys) await ask(guard, secret);
    const guesses = Array.from({ length: 12_000 }, () => mintKey('secret', 'test'));
    for (const guess of guesses) expect(await ask(guard, guess)).to.equal(false);

    const countLookUps = async (texts: readonly string[]): Promise<number> => {
      const before = stored.asked.lookUps;
      for (const text of texts) await ask(guard, text);
      return stored.asked.lookUps - before;
    };
    expect(await countLookUps(guesses.slice(-10_000))).to.equal(0);
    expect(await countLookUps(guesses.slice(0, 1_000))).to.equal(1_000);
    expect(await countLookUps(keys.map(({ secret }) => secret))).to.equal(0);
  });

  it('does not grow with 100,000 further addresses that guessed', async function () {
    this.timeout(60_000);
    const { limits } = buildGuard(fakeClock(START));
    let network = 0;
    const growth = await measureGrowth(110_000, async () => {
      network += 1;
      const [high, low] = [network >>> 16, network & 0xffff].map((part) => part.toString(16));
      (await limits.startTry('key', `2001:db8:${high}:${low}::1`)).end('bad');
    });
    expect(growth).to.be.below(2 * MIB);
  });

  it('is almost nothing for invented keys in URLs, few of which are looked up', async function () {
    this.timeout(60_000);
    const { paymount, proxy, stop, close } = await startProxiedHost({});
    try {
      const { urlLeaks } = partsOf(paymount);
      const note = (): void =>
        urlLeaks.note(`/v1/charges?key=${mintKey('secret', 'test')}`, 'GET /v1/charges');
      const before = proxy.bytes;
      const growth = await measureGrowth(1_000, note, 30_000);
      await stop();
      expect(growth).to.be.below(1 * MIB);
      // A hundred hashes, of 32 bytes each, and what is around them.
      expect(proxy.bytes - before).to.be.within(1, 50_000);
    } finally {
      await close();
    }
  });
});
