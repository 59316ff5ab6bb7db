import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { newId } from '@paymount/core/kernel';
import type { ClientSecret, Platform } from '@paymount/core/oauth';
import { AT, later } from '../samples.ts';
import type { StorageCases, StorageSetup } from '../setup.ts';

const EVERYTHING = { accounts: 'all', environments: ['live', 'test'] } as const;

function samplePlatform(): Platform {
  return {
    id: newId('ca'),
    version: 1,
    environment: 'test',
    type: 'confidential',
    name: 'Conformance',
    redirectUris: ['https://app.example.com/callback', 'https://app.example.com/other?a=1'],
    callbackOrigins: ['https://login.example.com'],
    scopes: ['charges:read', 'webhooks:write'],
    requirePkce: true,
    contactEmail: 'app@example.com',
    status: 'active',
    created: AT,
    createdBy: 'conformance',
    secrets: [],
  };
}

function sampleSecret(): ClientSecret {
  return { id: newId('csec'), redacted: 'ocs_pm...a1B2', created: AT, createdBy: 'conformance' };
}

function hashOf({ id }: ClientSecret): Uint8Array {
  return createHash('sha256').update(id).digest();
}

/** A platform with its secrets, the last of which is the newest. */
export async function storedPlatform(
  setup: StorageSetup,
  secrets: readonly ClientSecret[],
): Promise<Platform> {
  const platform = { ...samplePlatform(), secrets: [...secrets].reverse() };
  await setup.access.change(async ({ platforms }) => {
    await platforms.insert(platform);
    for (const secret of secrets) {
      await platforms.insertSecret(platform.id, secret, hashOf(secret));
    }
    return { result: undefined, subjects: [], audit: [] };
  });
  return platform;
}

/** Platforms and their client secrets. */
export const platformCases: StorageCases = {
  'keeps every field of a platform, and its secrets, newest first': async (setup) => {
    const platform = await storedPlatform(setup, [sampleSecret(), sampleSecret()]);
    const { platforms } = setup.directory;
    assert.deepEqual(await platforms.find(platform.id), platform);
    const changed: Platform = {
      ...platform,
      version: 2,
      name: 'Changed',
      redirectUris: ['https://changed.example.com/'],
      callbackOrigins: [],
      scopes: ['payouts:read'],
      requirePkce: false,
      contactEmail: 'changed@example.com',
      status: 'disabled',
      disabledAt: later(1),
    };
    const locked = await setup.access.change(async (rows) => {
      const result = await rows.platforms.findForUpdate(platform.id);
      await rows.platforms.update(changed);
      return { result, subjects: [platform.id], audit: [] };
    });
    assert.deepEqual(locked, platform);
    assert.deepEqual(await platforms.find(platform.id), changed);
    assert.equal(await platforms.find(newId('ca')), undefined);
  },
  'shows a revoked client secret no more': async (setup) => {
    const [first, second] = [sampleSecret(), sampleSecret()];
    const platform = await storedPlatform(setup, [first, second]);
    await setup.access.change(async (rows) => {
      await rows.platforms.revokeSecret(first.id, 'rotation', later(1));
      return { result: undefined, subjects: [], audit: [] };
    });
    const found = await setup.directory.platforms.find(platform.id);
    assert.deepEqual(found?.secrets, [second]);
  },
  'lists platforms by environment and status, to admins of all accounts': async (setup) => {
    const platform = await storedPlatform(setup, [sampleSecret()]);
    const { platforms } = setup.directory;
    const listed = async (
      scope: Parameters<typeof platforms.list>[0],
      filter: Parameters<typeof platforms.list>[1] = {},
    ) => {
      const { data } = await platforms.list(scope, filter, { limit: 10 });
      return data.filter(({ id }) => id === platform.id);
    };
    assert.deepEqual(await listed(EVERYTHING), [platform]);
    assert.deepEqual(await listed(EVERYTHING, { environment: 'test', status: 'active' }), [
      platform,
    ]);
    assert.deepEqual(await listed(EVERYTHING, { environment: 'live' }), []);
    assert.deepEqual(await listed(EVERYTHING, { status: 'disabled' }), []);
    assert.deepEqual(await listed({ ...EVERYTHING, environments: ['live'] }), []);
    assert.deepEqual(await listed({ ...EVERYTHING, accounts: [setup.owner.accountId] }), []);
  },
};
