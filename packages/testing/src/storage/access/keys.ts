import assert from 'node:assert/strict';
import type { CredentialKey, Key } from '@paymount/core/access';
import { newId } from '@paymount/core/kernel';
import {
  expectCount,
  expectRefused,
  RACERS,
  race,
  type StorageBench,
  type StorageCases,
} from '../bench.ts';
import { AT, later, sampleEndpoint } from '../samples.ts';
import { sampleKey } from './samples.ts';

/** The fields of a key that a look-up returns, without those that only a list shows. */
function toCredentialKey(key: Key): CredentialKey {
  const { name, publicValue, redacted, created, createdBy, replaces, ...deciding } = key;
  return deciding;
}

const MAX_ENDPOINTS = 50;
const EVERYTHING = { accounts: 'all', environments: ['live', 'test'] } as const;

/** Stores keys in one change of access. */
export function storeKeys({ access }: StorageBench, ...keys: readonly Key[]): Promise<void> {
  return access.change(async (rows) => {
    for (const key of keys) await rows.keys.insert(key);
    return { result: undefined, subjects: keys.map(({ id }) => id), audit: [] };
  });
}

function storeVersion({ access }: StorageBench, key: Key): Promise<void> {
  return access.change(async (rows) => {
    await rows.keys.findForUpdate(key.id);
    await rows.keys.update(key);
    return { result: undefined, subjects: [key.id], audit: [] };
  });
}

/** Accounts, keys, and the generation counter that fences key caches. */
export const keyCases: StorageCases = {
  'keeps every field of a key, and finds it by its hash together with the status of its account':
    async (bench) => {
      const plain = sampleKey(bench.owner);
      const publishable = {
        ...sampleKey(bench.owner),
        type: 'publishable',
        publicValue: 'shown',
      } as const;
      const restricted = {
        ...sampleKey(bench.owner),
        type: 'restricted',
        scopes: ['charges:read'],
        allowedIps: ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1/32'],
        expiresAt: later(5),
        endedAt: later(5),
        replaces: plain.id,
      } as const;
      const keys: readonly Key[] = [plain, publishable, restricted];
      await storeKeys(bench, ...keys);
      for (const key of keys) {
        const expected = { ...key, hash: Buffer.from(key.hash) };
        assert.deepEqual(await bench.directory.keys.find(key.id), expected);
        assert.deepEqual(await bench.credentials.findByHash(key.hash), {
          credential: {
            key: toCredentialKey(expected),
            accountStatus: 'active',
            accountVersion: 1,
          },
          inRecovery: false,
        });
      }
      const ids = [...keys.map(({ id }) => id), newId('key')];
      const many = await bench.directory.keys.findMany(bench.owner, ids);
      assert.deepEqual(many.map(({ id }) => id).toSorted(), ids.slice(0, 3).toSorted());
      const live = { ...bench.owner, environment: 'live' } as const;
      const foreign = { ...bench.owner, accountId: newId('acct') };
      assert.deepEqual(await bench.directory.keys.findMany(live, ids), []);
      assert.deepEqual(await bench.directory.keys.findMany(foreign, ids), []);
      const unknown = await bench.credentials.findByHash(sampleKey(bench.owner).hash);
      assert.deepEqual(unknown, { credential: undefined, inRecovery: false });
      const replaced: Key = {
        ...plain,
        version: 2,
        status: 'revoked',
        revokedAt: later(2),
        revokedReason: 'leak',
        replacedBy: restricted.id,
        replacedAt: later(1),
      };
      await storeVersion(bench, replaced);
      const found = await bench.directory.keys.find(plain.id);
      assert.deepEqual(found, { ...replaced, hash: Buffer.from(replaced.hash) });
    },
  'lists the keys that an admin may see, newest first, page by page': async (bench) => {
    const [other] = bench.strangers;
    assert.ok(other);
    const mine = [sampleKey(bench.owner), sampleKey(bench.owner), sampleKey(bench.owner)];
    const live = sampleKey({ ...bench.owner, environment: 'live' });
    const foreign = sampleKey(other);
    await storeKeys(bench, ...mine, live, foreign);
    const scope = { accounts: [bench.owner.accountId], environments: ['test'] } as const;
    const list = async (
      page: object,
      filter = {},
      within: typeof scope | typeof EVERYTHING = scope,
    ) => {
      const found = await bench.directory.keys.list(within, filter, { limit: 2, ...page });
      return { ids: found.data.map(({ id }) => id), more: found.hasMore };
    };
    const [a, b, c] = mine.map(({ id }) => id);
    assert.deepEqual(await list({}), { ids: [c, b], more: true });
    assert.deepEqual(await list({ startingAfter: b }), { ids: [a], more: false });
    assert.deepEqual(await list({ endingBefore: a }), { ids: [c, b], more: false });
    const byAccount = { account: bench.owner.accountId, environment: 'live' };
    assert.deepEqual(await list({}, byAccount, EVERYTHING), { ids: [live.id], more: false });
    assert.deepEqual(await list({}, { account: other.accountId }), { ids: [], more: false });
    await expectRefused(() => list({ startingAfter: foreign.id }), 'invalid_cursor');
  },
  'refuses an existing hash, and a second successor': async (bench) => {
    const key = sampleKey(bench.owner);
    await storeKeys(bench, key);
    await expectRefused(() => storeKeys(bench, { ...key, id: newId('key') }));
    await storeKeys(bench, { ...sampleKey(bench.owner), replaces: key.id });
    await expectRefused(() => storeKeys(bench, { ...sampleKey(bench.owner), replaces: key.id }));
  },
  'counts keys that are active and unexpired': async (bench) => {
    const expired = { ...sampleKey(bench.owner), expiresAt: later(-1) };
    const revoked = {
      ...sampleKey(bench.owner),
      status: 'revoked',
      revokedAt: AT,
      revokedReason: 'owner',
    } as const;
    await storeKeys(bench, sampleKey(bench.owner), expired, revoked);
    const count = await bench.access.change(async ({ keys }) => ({
      result: await keys.countActive(bench.owner, AT),
      subjects: [],
      audit: [],
    }));
    assert.equal(count, 1);
  },
  'returns every change of access after a known generation, with its subjects': async (bench) => {
    const before = await bench.credentials.syncEpoch(undefined);
    assert.deepEqual(before.changes, []);
    assert.equal(before.inRecovery, false);
    const key = sampleKey(bench.owner);
    await storeKeys(bench, key);
    await storeVersion(bench, { ...key, version: 2, name: 'Renamed' });
    await bench.access.change(async () => ({ result: undefined, subjects: [], audit: [] }));
    const after = await bench.credentials.syncEpoch(before.current);
    assert.equal(after.current.gen, before.current.gen + 2n);
    const [seen, created, changed, ...none] = after.changes;
    assert.deepEqual([seen?.gen, seen?.mark], [before.current.gen, before.current.mark]);
    assert.deepEqual([created?.subjects, changed?.subjects, none], [[key.id], [key.id], []]);
    assert.equal(changed?.mark, after.current.mark);
  },
  [`numbers ${RACERS} concurrent changes without gaps`]: async (bench) => {
    const before = await bench.credentials.syncEpoch(undefined);
    await race(() => storeKeys(bench, sampleKey(bench.owner)));
    const after = await bench.credentials.syncEpoch(before.current);
    const numbers = after.changes.map(({ gen }) => gen - before.current.gen);
    assert.deepEqual(
      numbers,
      Array.from({ length: RACERS + 1 }, (_, index) => BigInt(index)),
    );
  },
  [`keeps the limit of endpoints with ${RACERS} concurrent callers`]: async (bench) => {
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
