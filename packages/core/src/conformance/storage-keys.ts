import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Key } from '../keys/key.ts';
import { newId } from '../shared/id.ts';
import { expectCount, expectRefused, RACERS, race, type StorageBench } from './storage-bench.ts';
import { AT, later, sampleEndpoint, sampleKey } from './storage-samples.ts';

type Cases = Record<string, (bench: StorageBench) => Promise<void>>;

const MAX_KEYS = 100;
const MAX_ENDPOINTS = 50;

function newKey({ owner }: StorageBench): Key {
  const id = newId('key');
  return { ...sampleKey(owner, createHash('sha256').update(id).digest()), id };
}

/** Accounts, keys, and the generation counter that fences key caches. */
export const keyCases: Cases = {
  'finds a key by its hash, with the state of its account': async (bench) => {
    const publishable = { ...newKey(bench), type: 'publishable', publicValue: 'shown' } as const;
    const restricted = { ...newKey(bench), type: 'restricted', scopes: ['charges:read'] } as const;
    const expiring = { ...newKey(bench), expiresAt: later(5) };
    for (const key of [publishable, restricted, expiring]) {
      await bench.keys.createKey(key);
      const found = await bench.keys.findByHash(key.hash);
      assert.deepEqual(found, {
        key: { ...key, hash: Buffer.from(key.hash) },
        accountStatus: 'active',
      });
    }
    assert.equal(await bench.keys.findByHash(newKey(bench).hash), undefined);
    const listed = await bench.keys.listKeys(bench.owner.accountId);
    const ids = [expiring, restricted, publishable].map(({ id }) => id);
    assert.deepEqual(
      listed.map(({ id }) => id),
      ids,
    );
    const account = await bench.keys.findAccount(bench.owner.accountId);
    assert.equal(account?.defaultCurrency, 'eur');
  },
  'refuses a hash that is stored already': async (bench) => {
    const key = newKey(bench);
    await bench.keys.createKey(key);
    await expectRefused(() => bench.keys.createKey({ ...key, id: newId('key') }));
  },
  'revokes for good, and says when it was first': async (bench) => {
    const key = newKey(bench);
    await bench.keys.createKey(key);
    const revoked = await bench.keys.revokeKey(key.id, 'leak', later(1));
    assert.deepEqual([revoked?.status, revoked?.revokedAt], ['revoked', later(1)]);
    const again = await bench.keys.revokeKey(key.id, 'owner', later(2));
    assert.deepEqual([again?.revokedAt, again?.revokedReason], [later(1), 'leak']);
    assert.equal(await bench.keys.revokeKey(newId('key'), 'owner', AT), undefined);
  },
  [`never lets ${RACERS} callers pass the limit of keys`]: async (bench) => {
    for (let made = 0; made < MAX_KEYS - 1; made += 1) await bench.keys.createKey(newKey(bench));
    const answers = await race(async () => {
      try {
        await bench.keys.createKey(newKey(bench));
        return 'created';
      } catch (error) {
        return error instanceof Error && 'code' in error ? error.code : error;
      }
    });
    expectCount<unknown>(answers, 'created', 1);
    expectCount<unknown>(answers, 'key_limit_reached', RACERS - 1);
  },
  'shows every change of access after a seen generation, each with its subjects': async (bench) => {
    const before = await bench.keys.syncEpoch(undefined);
    assert.deepEqual(before.changes, []);
    assert.equal(before.inRecovery, false);
    const key = newKey(bench);
    await bench.keys.createKey(key);
    await bench.keys.revokeKey(key.id, 'owner', AT);
    await bench.keys.revokeKey(key.id, 'owner', AT);
    const after = await bench.keys.syncEpoch(before.current);
    assert.equal(after.current.gen, before.current.gen + 2n);
    const [seen, created, revoked, ...none] = after.changes;
    assert.deepEqual([seen?.gen, seen?.mark], [before.current.gen, before.current.mark]);
    assert.deepEqual([created?.subjects, revoked?.subjects, none], [[key.id], [key.id], []]);
    assert.equal(revoked?.mark, after.current.mark);
  },
  [`numbers ${RACERS} changes at once without a gap`]: async (bench) => {
    const before = await bench.keys.syncEpoch(undefined);
    await race(() => bench.keys.createKey(newKey(bench)));
    const after = await bench.keys.syncEpoch(before.current);
    const numbers = after.changes.map(({ gen }) => gen - before.current.gen);
    assert.deepEqual(
      numbers,
      Array.from({ length: RACERS + 1 }, (_, index) => BigInt(index)),
    );
  },
  [`never lets ${RACERS} callers pass the limit of endpoints`]: async (bench) => {
    const add = () =>
      bench.storage.transaction(async ({ endpoints, changes }) => {
        if ((await endpoints.countForUpdate(bench.owner)) >= MAX_ENDPOINTS) return 'full';
        const row = sampleEndpoint(bench.owner);
        const writes = [{ mode: 'insert', kind: 'endpoint', row }] as const;
        return changes.apply({ ...bench.owner, at: AT, writes });
      });
    const first = await add();
    const answers = await race(add);
    assert.equal(first, 'applied');
    expectCount(answers, 'applied', MAX_ENDPOINTS - 1);
    expectCount(answers, 'full', RACERS - MAX_ENDPOINTS + 1);
  },
};
