import assert from 'node:assert/strict';
import type { KeyUse } from '@paymount/core/access';
import { type KeyId, newId } from '@paymount/core/kernel';
import { RACERS, race, type StorageCases } from '../setup.ts';

const NOW = new Date('2026-05-10T12:30:00.000Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_ADDRESSES = 100;

const ago = (ms: number): Date => new Date(NOW.getTime() - ms);
/** The start of the hour that is this many hours before the hour of `NOW`. */
const hourAgo = (hours: number): Date =>
  new Date(Date.parse('2026-05-10T12:00:00.000Z') - hours * HOUR_MS);

/** The use of a key; by default one request, now. */
function use(keyId: KeyId, change: Partial<KeyUse> = {}): KeyUse {
  const hour = { hour: hourAgo(0), succeeded: 1, refused: 0, rateLimited: 0, failed: 0 };
  return { keyId, lastUsedAt: NOW, hours: [hour], addresses: [], ...change };
}

function seen(address: string, count = 1, lastSeenAt = NOW) {
  return { address, count, lastSeenAt };
}

/** The recorded use of keys. */
export const usageCases: StorageCases = {
  'records the use of many keys at once, and returns nothing for others': async ({ usage }) => {
    const [a, b, unused] = [newId('key'), newId('key'), newId('key')];
    await usage.flush([
      use(a, { lastIp: '192.0.2.1', lastUserAgent: 'x'.repeat(256) }),
      use(b, { lastUsedAt: ago(5), lastIp: '2001:db8::1' }),
    ]);
    const found = await usage.findMany([a, b, unused], NOW);
    assert.deepEqual(
      found,
      new Map([
        [
          a,
          {
            lastUsedAt: NOW,
            lastIp: '192.0.2.1',
            lastUserAgent: 'x'.repeat(256),
            requests24h: 1,
          },
        ],
        [b, { lastUsedAt: ago(5), lastIp: '2001:db8::1', requests24h: 1 }],
      ]),
    );
  },
  'keeps the newest use, in any order of reports': async ({ usage }) => {
    const id = newId('key');
    await usage.flush([use(id, { lastUsedAt: ago(10), lastUserAgent: 'second' })]);
    await usage.flush([use(id, { lastUsedAt: ago(20), lastUserAgent: 'first', lastIp: '::1' })]);
    const second = (await usage.findMany([id], NOW)).get(id);
    assert.deepEqual(second, {
      lastUsedAt: ago(10),
      lastUserAgent: 'second',
      requests24h: 2,
    });
    await usage.flush([use(id, { lastUsedAt: ago(5) })]);
    const third = (await usage.findMany([id], NOW)).get(id);
    assert.deepEqual(third, { lastUsedAt: ago(5), requests24h: 3 });
  },
  'sums responses by hour and class, and counts the last 24 hours': async ({ usage }) => {
    const id = newId('key');
    const counts = { succeeded: 1, refused: 20, rateLimited: 300, failed: 4_000 };
    const hours = [0, 23, 24].map((hours) => ({ hour: hourAgo(hours), ...counts }));
    await usage.flush([use(id, { hours })]);
    await usage.flush([use(id, { hours: hours.slice(0, 1) })]);
    const doubled = { succeeded: 2, refused: 40, rateLimited: 600, failed: 8_000 };
    assert.deepEqual(await usage.hours(id, hourAgo(24)), [
      { hour: hourAgo(0), ...doubled },
      { hour: hourAgo(23), ...counts },
      { hour: hourAgo(24), ...counts },
    ]);
    assert.equal((await usage.hours(id, hourAgo(23))).length, 2);
    assert.equal((await usage.findMany([id], NOW)).get(id)?.requests24h, 3 * 4_321);
  },
  'counts addresses, most used first': async ({ usage }) => {
    const id = newId('key');
    await usage.flush([use(id, { addresses: [seen('192.0.2.1', 3), seen('2001:db8::1', 5)] })]);
    await usage.flush([use(id, { addresses: [seen('192.0.2.1', 4, ago(DAY_MS))] })]);
    assert.deepEqual(await usage.addresses(id, ago(30 * DAY_MS)), [
      { address: '192.0.2.1', requests: 7, lastSeenAt: NOW },
      { address: '2001:db8::1', requests: 5, lastSeenAt: NOW },
    ]);
    await usage.flush([use(id, { addresses: [seen('192.0.2.9', 9, ago(2 * DAY_MS))] })]);
    const lately = await usage.addresses(id, ago(DAY_MS));
    assert.deepEqual(
      lately.map(({ address }) => address),
      ['192.0.2.1', '2001:db8::1'],
    );
  },
  [`keeps the ${MAX_ADDRESSES} addresses of a key that were seen last`]: async ({ usage }) => {
    const id = newId('key');
    const other = newId('key');
    await usage.flush([use(other, { addresses: [seen('10.0.0.0')] })]);
    const batch = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => {
        const number = from + index;
        return seen(`10.0.0.${number}`, 1, ago((1000 - number) * 1000));
      });
    await usage.flush([use(id, { addresses: batch(0, 80) })]);
    await usage.flush([use(id, { addresses: batch(70, 150) })]);
    const kept = await usage.addresses(id, ago(30 * DAY_MS));
    assert.deepEqual(
      kept.map(({ address }) => Number(address.split('.')[3])).sort((a, b) => a - b),
      Array.from({ length: MAX_ADDRESSES }, (_, index) => index + 50),
    );
    assert.equal((await usage.addresses(other, ago(DAY_MS))).length, 1);
  },
  [`loses no count with ${RACERS} concurrent callers`]: async ({ usage }) => {
    const ids = [newId('key'), newId('key'), newId('key')];
    await race((caller) => {
      const uses = ids.map((id) => use(id, { addresses: [seen('192.0.2.1')] }));
      return usage.flush(caller % 2 === 0 ? uses : uses.reverse());
    });
    const found = await usage.findMany(ids, NOW);
    for (const id of ids) {
      assert.equal(found.get(id)?.requests24h, RACERS);
      assert.equal((await usage.addresses(id, NOW))[0]?.requests, RACERS);
    }
  },
  'deletes hours after 90 days and addresses after 30, in bounded steps': async ({ usage }) => {
    const id = newId('key');
    const counts = { succeeded: 1, refused: 0, rateLimited: 0, failed: 0 };
    const hours = [1, 90 * 24 - 1, 90 * 24 + 1, 90 * 24 + 2].map((hours) => ({
      hour: hourAgo(hours),
      ...counts,
    }));
    const addresses = [
      seen('192.0.2.1'),
      seen('192.0.2.2', 1, ago(30 * DAY_MS)),
      seen('192.0.2.3', 1, ago(30 * DAY_MS + 1)),
    ];
    await usage.flush([use(id, { hours, addresses })]);
    while ((await usage.purge(NOW, 1)) > 0);
    assert.deepEqual(
      (await usage.hours(id, hourAgo(100 * 24))).map(({ hour }) => hour),
      [hourAgo(1), hourAgo(90 * 24 - 1)],
    );
    assert.deepEqual(
      (await usage.addresses(id, ago(100 * DAY_MS))).map(({ address }) => address),
      ['192.0.2.1', '192.0.2.2'],
    );
  },
};
