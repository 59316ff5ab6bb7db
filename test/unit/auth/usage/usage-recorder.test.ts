import { EventEmitter, once } from 'node:events';
import type { KeyUse } from '@paymount/core/access';
import { mintKey } from '@paymount/core/access';
import { newId } from '@paymount/core/kernel';
import { expect } from 'chai';
import type { Use } from '../../../../packages/auth/src/usage/key-use-counter.ts';
import { UsageRecorder } from '../../../../packages/auth/src/usage/usage-recorder.ts';
import { fakeClock } from '../../../support/clock.ts';
import { keptLog } from '../../../support/kept-log.ts';

const NOON = '2026-05-01T12:00:00.000Z';

/** Keeps what is flushed, and fails while told to. */
class KeptFlushes extends EventEmitter {
  readonly flushes: (readonly KeyUse[])[] = [];
  failure: Error | undefined;
  /** A key whose addresses cannot be written. */
  refused: string | undefined;

  async flush(uses: readonly KeyUse[]): Promise<void> {
    if (this.failure) throw this.failure;
    const isRefused = uses.some((use) => use.keyId === this.refused && use.addresses.length > 0);
    if (isRefused) throw new Error('The addresses of this key cannot be written.');
    this.flushes.push(uses);
    this.emit('flushed');
  }
}

function setUp(start = NOON, flushEveryMs?: number) {
  const clock = fakeClock(start);
  const usage = new KeptFlushes();
  const logger = keptLog();
  return {
    clock,
    usage,
    logger,
    recorder: new UsageRecorder({ usage, clock, logger }, flushEveryMs),
  };
}

function answer(status: number, change: Partial<Use> = {}): Use {
  return { status, address: '192.0.2.1', userAgent: 'curl/8', namesAddresses: true, ...change };
}

describe('the recorder of usage', () => {
  it('leaves credentials out of the name that a client gives itself', async () => {
    const { usage, recorder } = setUp();
    const key = mintKey('secret', 'live');
    const ids = [`shop/1.0 (${key})`, `shop_${key}`, `${'x'.repeat(230)} ${key}`].map(
      (userAgent) => {
        const id = newId('key');
        recorder.record(id, answer(200, { userAgent }));
        return id;
      },
    );
    await recorder.flush();
    const told = new Map(usage.flushes.flat().map((use) => [use.keyId, use.lastUserAgent]));
    expect(ids.map((id) => told.get(id))).to.deep.equal([
      'shop/1.0 (...)',
      'shop_...',
      `${'x'.repeat(230)} ...`,
    ]);
  });

  it('tells the latest use, answers by class and addresses of each key, in one write', async () => {
    const { clock, usage, recorder } = setUp();
    const [a, b] = [newId('key'), newId('key')];
    for (const status of [200, 201, 304, 400, 403, 409, 429, 500, 503])
      recorder.record(a, answer(status));
    clock.advance(5);
    recorder.record(a, answer(200, { address: '2001:db8::1', userAgent: 'x'.repeat(300) }));
    recorder.record(b, answer(402, { address: undefined, userAgent: undefined }));
    await recorder.flush();
    const at = new Date('2026-05-01T12:00:00.005Z');
    expect(usage.flushes).to.deep.equal([
      [
        {
          keyId: a,
          lastUsedAt: at,
          lastIp: '2001:db8::1',
          lastUserAgent: 'x'.repeat(256),
          hours: [{ hour: new Date(NOON), succeeded: 4, refused: 3, rateLimited: 1, failed: 2 }],
          addresses: [
            { address: '192.0.2.1', count: 9, lastSeenAt: new Date(NOON) },
            { address: '2001:db8::1', count: 1, lastSeenAt: at },
          ],
        },
        {
          keyId: b,
          lastUsedAt: at,
          hours: [{ hour: new Date(NOON), succeeded: 0, refused: 1, rateLimited: 0, failed: 0 }],
          addresses: [],
        },
      ],
    ]);
  });

  it('counts by the hour in which the answer was given', async () => {
    const { clock, usage, recorder } = setUp('2026-05-01T12:59:59.999Z');
    const id = newId('key');
    recorder.record(id, answer(200));
    clock.advance(1);
    recorder.record(id, answer(200));
    await recorder.flush();
    const hours = usage.flushes[0]?.[0]?.hours.map(({ hour, succeeded }) => [hour, succeeded]);
    expect(hours).to.deep.equal([
      [new Date('2026-05-01T12:00:00.000Z'), 1],
      [new Date('2026-05-01T13:00:00.000Z'), 1],
    ]);
  });

  it('notes nothing that tells of visitors, neither address nor user agent', async () => {
    const { usage, recorder } = setUp();
    const keyId = newId('key');
    recorder.record(keyId, answer(200, { namesAddresses: false }));
    await recorder.flush();
    expect(usage.flushes).to.deep.equal([
      [
        {
          keyId,
          lastUsedAt: new Date(NOON),
          hours: [{ hour: new Date(NOON), succeeded: 1, refused: 0, rateLimited: 0, failed: 0 }],
          addresses: [],
        },
      ],
    ]);
  });

  it('names at most 100 addresses of a key, and counts the answers to all', async () => {
    const { usage, recorder } = setUp();
    const id = newId('key');
    for (let n = 0; n < 150; n += 1) recorder.record(id, answer(200, { address: `10.0.0.${n}` }));
    await recorder.flush();
    expect(usage.flushes[0]?.[0]?.addresses).to.have.length(100);
    expect(usage.flushes[0]?.[0]?.hours[0]?.succeeded).to.equal(150);
  });

  it('writes nothing when nothing was recorded', async () => {
    const { usage, recorder } = setUp();
    await recorder.flush();
    recorder.record(newId('key'), answer(200));
    await recorder.flush();
    await recorder.flush();
    expect(usage.flushes).to.have.length(1);
  });

  it('writes by itself once something was recorded, and again after that', async () => {
    const { usage, recorder } = setUp(NOON, 20);
    const id = newId('key');
    for (let use = 0; use < 1000; use += 1) recorder.record(id, answer(200));
    await once(usage, 'flushed');
    recorder.record(id, answer(200));
    await once(usage, 'flushed');
    expect(usage.flushes.map(([use]) => use?.hours[0]?.succeeded)).to.deep.equal([1000, 1]);
  });

  it('keeps what could not be written, and adds what came since', async () => {
    const { clock, usage, logger, recorder } = setUp();
    const [a, b] = [newId('key'), newId('key')];
    recorder.record(a, answer(200));
    recorder.record(b, answer(200, { userAgent: 'old' }));
    usage.failure = new Error('The database is away.');
    await recorder.flush();
    clock.advance(1_000);
    recorder.record(a, answer(500, { address: '192.0.2.2', userAgent: 'new' }));
    await recorder.flush();
    usage.failure = undefined;
    await recorder.flush();
    const [uses = []] = usage.flushes;
    expect(usage.flushes).to.have.length(1);
    expect(uses.find(({ keyId }) => keyId === a)).to.deep.equal({
      keyId: a,
      lastUsedAt: new Date('2026-05-01T12:00:01.000Z'),
      lastIp: '192.0.2.2',
      lastUserAgent: 'new',
      hours: [{ hour: new Date(NOON), succeeded: 1, refused: 0, rateLimited: 0, failed: 1 }],
      addresses: [
        { address: '192.0.2.1', count: 1, lastSeenAt: new Date(NOON) },
        { address: '192.0.2.2', count: 1, lastSeenAt: new Date('2026-05-01T12:00:01.000Z') },
      ],
    });
    expect(uses.find(({ keyId }) => keyId === b)?.lastUserAgent).to.equal('old');
    expect(logger.lines).to.have.length(1);
  });

  it('writes at most 5,000 rows with one statement', async () => {
    const { usage, recorder } = setUp();
    const keys = Array.from({ length: 100 }, () => newId('key'));
    for (const key of keys) {
      for (let n = 0; n < 100; n += 1)
        recorder.record(key, answer(200, { address: `10.0.0.${n}` }));
    }
    for (let key = 0; key < 2_000; key += 1) {
      recorder.record(newId('key'), answer(200, { address: undefined }));
    }
    await recorder.flush();
    // 49 keys with 100 addresses and an hour are 4,998 rows; those without address are two each.
    expect(usage.flushes.map((uses) => uses.length)).to.deep.equal([49, 49, 2_002]);
  });

  it('writes half as much at once after what failed, which comes last the next time', async () => {
    const { usage, recorder } = setUp();
    const keys = Array.from({ length: 2_000 }, () => newId('key'));
    for (const key of keys) recorder.record(key, answer(200));
    usage.failure = new Error('This takes too long.');
    await recorder.flush();
    usage.failure = undefined;
    await recorder.flush();
    // Three rows each: first what was not tried, 2,500 rows of it at most, then 5,000.
    expect(usage.flushes.map((uses) => uses.length)).to.deep.equal([833, 1_167]);
    expect(usage.flushes.flat().map(({ keyId }) => keyId)).to.deep.equal([
      ...keys.slice(1_666),
      ...keys.slice(0, 1_666),
    ]);
  });

  it('gives up the addresses of a key that cannot be written with them, and no other', async () => {
    const { usage, recorder } = setUp();
    const [bad, good] = [newId('key'), newId('key')];
    usage.refused = bad;
    recorder.record(bad, answer(200));
    recorder.record(good, answer(200));
    for (let flush = 0; flush < 15; flush += 1) await recorder.flush();
    const written = usage.flushes.flat();
    const listAddresses = (id: string) =>
      written.filter(({ keyId }) => keyId === id).map(({ addresses }) => addresses.length);
    expect(listAddresses(bad)).to.deep.equal([0]);
    expect(listAddresses(good)).to.deep.equal([1]);
  });

  it('writes what was recorded before it was asked, also while it writes', async () => {
    const { usage, recorder } = setUp();
    recorder.record(newId('key'), answer(200));
    const first = recorder.flush();
    recorder.record(newId('key'), answer(200));
    await recorder.flush();
    expect(usage.flushes.map((uses) => uses.length)).to.deep.equal([1, 1]);
    await first;
  });

  it('writes the rest when it is closed, and records nothing after that', async () => {
    const { usage, recorder } = setUp();
    recorder.record(newId('key'), answer(200));
    await Promise.all([recorder.close(), recorder.close()]);
    recorder.record(newId('key'), answer(200));
    await recorder.close();
    expect(usage.flushes).to.have.length(1);
  });
});
