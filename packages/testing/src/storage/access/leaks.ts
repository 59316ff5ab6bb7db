import assert from 'node:assert/strict';
import type { Key, Leak } from '@paymount/core/access';
import { newId } from '@paymount/core/kernel';
import { AT, later } from '../samples.ts';
import { race, type StorageCases, type StorageSetup } from '../setup.ts';
import { storeKeys } from './keys.ts';
import { sampleKey } from './samples.ts';

function sampleLeak(key: Key, seen: Partial<Pick<Leak, 'source' | 'url'>> = {}): Leak {
  const { accountId, environment, redacted } = key;
  return {
    id: newId('leak'),
    accountId,
    environment,
    version: 1,
    credential: { kind: 'key', id: key.id },
    redacted,
    source: 'github',
    url: 'https://code.example/1',
    action: 'revoked',
    status: 'open',
    created: AT,
    ...seen,
  };
}

/** @returns the new ones */
function insert(setup: StorageSetup, ...leaks: readonly Leak[]): Promise<readonly Leak[]> {
  return setup.access.change(async (rows) => ({
    result: await rows.leaks.insert(leaks),
    subjects: [],
    audit: [],
  }));
}

/** Leaks: one row for each credential, source and location. */
export const leakCases: StorageCases = {
  'stores a leak once for each source and location': async (setup) => {
    const key = sampleKey(setup.owner);
    const other = sampleKey(setup.owner);
    await storeKeys(setup, key, other);
    const first = sampleLeak(key);
    assert.deepEqual(await insert(setup, first, sampleLeak(key)), [first]);
    assert.deepEqual(await insert(setup, sampleLeak(key)), []);
    const { url: _, ...placeless } = sampleLeak(key);
    const fresh = [
      sampleLeak(key, { source: 'scan' }),
      sampleLeak(key, { url: 'https://code.example/2' }),
      sampleLeak(other),
      placeless,
    ];
    assert.deepEqual(await insert(setup, ...fresh, sampleLeak(key)), fresh);
    assert.deepEqual(await insert(setup, { ...placeless, id: newId('leak') }), []);
    assert.deepEqual(await insert(setup), []);
    assert.deepEqual(await setup.directory.leaks.find(first.id), first);
    assert.deepEqual(await setup.directory.leaks.find(placeless.id), placeless);
    assert.equal(await setup.directory.leaks.find(newId('leak')), undefined);
  },
  'stores a leak of a token once for each location, and what was done later': async (setup) => {
    const key = sampleKey(setup.owner);
    const credential = { kind: 'grant', id: newId('grt') } as const;
    const leak: Leak = { ...sampleLeak(key), credential, action: 'notified' };
    assert.deepEqual(await insert(setup, leak), [leak]);
    assert.deepEqual(await insert(setup, { ...leak, id: newId('leak') }), []);
    assert.deepEqual(await setup.directory.leaks.find(leak.id), leak);
    await setup.access.change(async (rows) => ({
      result: await rows.leaks.markRevoked(credential.id),
      subjects: [],
      audit: [],
    }));
    const after = await setup.directory.leaks.find(leak.id);
    assert.deepEqual(after, { ...leak, version: 2, action: 'revoked' });
  },
  'stores a leak once that many report at the same time': async (setup) => {
    const key = sampleKey(setup.owner);
    await storeKeys(setup, key);
    const inserted = await race(() => insert(setup, sampleLeak(key)));
    assert.equal(inserted.flat().length, 1);
  },
  'keeps leaks of signing secrets, and dismisses leaks': async (setup) => {
    const key = sampleKey(setup.owner);
    await storeKeys(setup, key);
    const credential = {
      kind: 'signing_secret',
      id: newId('whs'),
      endpointId: newId('we'),
    } as const;
    const leak: Leak = { ...sampleLeak(key), credential, action: 'notified' };
    await insert(setup, leak);
    const dismissed: Leak = { ...leak, version: 2, status: 'dismissed', dismissedAt: later(5_000) };
    await setup.access.change(async ({ leaks }) => {
      assert.deepEqual(await leaks.findForUpdate(leak.id), leak);
      await leaks.update(dismissed);
      return { result: undefined, subjects: [], audit: [] };
    });
    assert.deepEqual(await setup.directory.leaks.find(leak.id), dismissed);
  },
  'lists the leaks that an admin may see, newest first': async (setup) => {
    const key = sampleKey(setup.owner);
    const live = sampleKey({ ...setup.owner, environment: 'live' });
    await storeKeys(setup, key, live);
    const leaks = [sampleLeak(key), sampleLeak(key, { source: 'scan' }), sampleLeak(live)];
    await insert(setup, ...leaks);
    const scope = { accounts: [setup.owner.accountId], environments: ['test', 'live'] } as const;
    const ids = async (...list: Parameters<typeof setup.directory.leaks.list>) =>
      (await setup.directory.leaks.list(...list)).data.map(({ id }) => id);
    const newest = leaks.map(({ id }) => id).reverse();
    assert.deepEqual(await ids(scope, {}, { limit: 10 }), newest);
    assert.deepEqual(
      await ids({ ...scope, environments: ['test'] }, {}, { limit: 1 }),
      newest.slice(1, 2),
    );
    assert.deepEqual(await ids(scope, { environment: 'live', status: 'open' }, { limit: 10 }), [
      newest[0],
    ]);
    assert.deepEqual(await ids(scope, { status: 'dismissed' }, { limit: 10 }), []);
    assert.deepEqual(await ids({ ...scope, accounts: [newId('acct')] }, {}, { limit: 10 }), []);
  },
};
