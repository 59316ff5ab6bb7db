import assert from 'node:assert/strict';
import type { CredentialKey, Key } from '@paymount/core/access';
import { newId } from '@paymount/core/kernel';
import { AT, later, sampleEndpoint } from '../samples.ts';
import {
  expectCount,
  expectRefused,
  RACERS,
  race,
  type StorageCases,
  type StorageSetup,
} from '../setup.ts';
import { sampleKey } from './samples.ts';

/** The fields of a key that a look-up returns, without those that only a list shows. */
function toCredentialKey(key: Key): CredentialKey {
  const { name, publicValue, redacted, created, createdBy, replaces, ...deciding } = key;
  return deciding;
}

const MAX_ENDPOINTS = 50;
const EVERYTHING = { accounts: 'all', environments: ['live', 'test'] } as const;

/** Stores keys in one change of access. */
export function storeKeys({ access }: StorageSetup, ...keys: readonly Key[]): Promise<void> {
  return access.change(async (rows) => {
    for (const key of keys) await rows.keys.insert(key);
    return { result: undefined, subjects: keys.map(({ id }) => id), audit: [] };
  });
}

function storeVersion({ access }: StorageSetup, key: Key): Promise<void> {
  return access.change(async (rows) => {
    await rows.keys.findForUpdate(key.id);
    await rows.keys.update(key);
    return { result: undefined, subjects: [key.id], audit: [] };
  });
}

/** Accounts, keys, and the generation counter that fences key caches. */
export const keyCases: StorageCases = {
  'keeps every field of a key, and finds it by its hash together with the status of its account':
    async (setup) => {
      const plain = sampleKey(setup.owner);
      const publishable = {
        ...sampleKey(setup.owner),
        type: 'publishable',
        publicValue: 'shown',
      } as const;
      const restricted = {
        ...sampleKey(setup.owner),
        type: 'restricted',
        scopes: ['charges:read'],
        allowedIps: ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1/32'],
        expiresAt: later(5),
        endedAt: later(5),
        replaces: plain.id,
      } as const;
      const keys: readonly Key[] = [plain, publishable, restricted];
      await storeKeys(setup, ...keys);
      for (const key of keys) {
        const expected = { ...key, hash: Buffer.from(key.hash) };
        assert.deepEqual(await setup.directory.keys.find(key.id), expected);
        assert.deepEqual(await setup.credentials.findByHash(key.hash), {
          credential: {
            key: toCredentialKey(expected),
            accountStatus: 'active',
            accountVersion: 1,
          },
          inRecovery: false,
        });
      }
      const ids = [...keys.map(({ id }) => id), newId('key')];
      const many = await setup.directory.keys.findMany(setup.owner, ids);
      assert.deepEqual(many.map(({ id }) => id).toSorted(), ids.slice(0, 3).toSorted());
      const live = { ...setup.owner, environment: 'live' } as const;
      const foreign = { ...setup.owner, accountId: newId('acct') };
      assert.deepEqual(await setup.directory.keys.findMany(live, ids), []);
      assert.deepEqual(await setup.directory.keys.findMany(foreign, ids), []);
      const unknown = await setup.credentials.findByHash(sampleKey(setup.owner).hash);
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
      await storeVersion(setup, replaced);
      const found = await setup.directory.keys.find(plain.id);
      assert.deepEqual(found, { ...replaced, hash: Buffer.from(replaced.hash) });
    },
  'lists the keys that an admin may see, newest first, page by page': async (setup) => {
    const [other] = setup.strangers;
    assert.ok(other);
    const mine = [sampleKey(setup.owner), sampleKey(setup.owner), sampleKey(setup.owner)];
    const live = sampleKey({ ...setup.owner, environment: 'live' });
    const foreign = sampleKey(other);
    await storeKeys(setup, ...mine, live, foreign);
    const scope = { accounts: [setup.owner.accountId], environments: ['test'] } as const;
    const list = async (
      page: object,
      filter = {},
      within: typeof scope | typeof EVERYTHING = scope,
    ) => {
      const found = await setup.directory.keys.list(within, filter, { limit: 2, ...page });
      return { ids: found.data.map(({ id }) => id), more: found.hasMore };
    };
    const [a, b, c] = mine.map(({ id }) => id);
    assert.deepEqual(await list({}), { ids: [c, b], more: true });
    assert.deepEqual(await list({ startingAfter: b }), { ids: [a], more: false });
    assert.deepEqual(await list({ endingBefore: a }), { ids: [c, b], more: false });
    const byAccount = { account: setup.owner.accountId, environment: 'live' };
    assert.deepEqual(await list({}, byAccount, EVERYTHING), { ids: [live.id], more: false });
    assert.deepEqual(await list({}, { account: other.accountId }), { ids: [], more: false });
    await expectRefused(() => list({ startingAfter: foreign.id }), 'invalid_cursor');
  },
  'refuses an existing hash, and a second successor': async (setup) => {
    const key = sampleKey(setup.owner);
    await storeKeys(setup, key);
    await expectRefused(() => storeKeys(setup, { ...key, id: newId('key') }));
    await storeKeys(setup, { ...sampleKey(setup.owner), replaces: key.id });
    await expectRefused(() => storeKeys(setup, { ...sampleKey(setup.owner), replaces: key.id }));
  },
  'counts keys that are active and unexpired': async (setup) => {
    const expired = { ...sampleKey(setup.owner), expiresAt: later(-1) };
    const revoked = {
      ...sampleKey(setup.owner),
      status: 'revoked',
      revokedAt: AT,
      revokedReason: 'owner',
    } as const;
    await storeKeys(setup, sampleKey(setup.owner), expired, revoked);
    const count = await setup.access.change(async ({ keys }) => ({
      result: await keys.countActive(setup.owner, AT),
      subjects: [],
      audit: [],
    }));
    assert.equal(count, 1);
  },
  'returns every change of access after a known generation, with its subjects': async (setup) => {
    const before = await setup.credentials.syncEpoch(undefined);
    assert.deepEqual(before.changes, []);
    assert.equal(before.inRecovery, false);
    const key = sampleKey(setup.owner);
    await storeKeys(setup, key);
    await storeVersion(setup, { ...key, version: 2, name: 'Renamed' });
    await setup.access.change(async () => ({ result: undefined, subjects: [], audit: [] }));
    const after = await setup.credentials.syncEpoch(before.current);
    assert.equal(after.current.gen, before.current.gen + 2n);
    const [seen, created, changed, ...none] = after.changes;
    assert.deepEqual([seen?.gen, seen?.mark], [before.current.gen, before.current.mark]);
    assert.deepEqual([created?.subjects, changed?.subjects, none], [[key.id], [key.id], []]);
    assert.equal(changed?.mark, after.current.mark);
  },
  [`numbers ${RACERS} concurrent changes without gaps`]: async (setup) => {
    const before = await setup.credentials.syncEpoch(undefined);
    await race(() => storeKeys(setup, sampleKey(setup.owner)));
    const after = await setup.credentials.syncEpoch(before.current);
    const numbers = after.changes.map(({ gen }) => gen - before.current.gen);
    assert.deepEqual(
      numbers,
      Array.from({ length: RACERS + 1 }, (_, index) => BigInt(index)),
    );
  },
  [`keeps the limit of endpoints with ${RACERS} concurrent callers`]: async (setup) => {
    const add = () =>
      setup.storage.transaction(async ({ endpoints, changes }) => {
        if ((await endpoints.countForUpdate(setup.owner)) >= MAX_ENDPOINTS) return 'full';
        const row = sampleEndpoint(setup.owner);
        const writes = [{ mode: 'insert', kind: 'endpoint', row }] as const;
        return changes.apply({ ...setup.owner, at: AT, writes });
      });
    const first = await add();
    const answers = await race(add);
    assert.equal(first, 'applied');
    expectCount(answers, 'applied', MAX_ENDPOINTS - 1);
    expectCount(answers, 'full', RACERS - MAX_ENDPOINTS + 1);
  },
};
