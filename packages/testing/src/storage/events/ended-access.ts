import assert from 'node:assert/strict';
import type { Key } from '@paymount/core/access';
import type { EndedAccessQueue, EndedEndpoints, Endpoint } from '@paymount/core/events';
import { sampleKey } from '../access/samples.ts';
import { AT, sampleEndpoint } from '../samples.ts';
import { RACERS, race, type StorageCases, type StorageSetup } from '../setup.ts';

const MANY = 1_000;

/** A key that leaked, and an enabled endpoint whose URL it set. */
async function leakedKey(setup: StorageSetup): Promise<{ key: Key; endpoint: Endpoint }> {
  const key = await revokedKey(setup, 'leak');
  return { key, endpoint: await storedEndpoint(setup, key) };
}

async function revokedKey(
  setup: StorageSetup,
  revokedReason: NonNullable<Key['revokedReason']>,
): Promise<Key> {
  const made = sampleKey(setup.owner);
  const key: Key = { ...made, version: 2, status: 'revoked', revokedAt: AT, revokedReason };
  await setup.access.change(async ({ keys }) => {
    await keys.insert(made);
    await keys.update(key);
    return { result: undefined, subjects: [], audit: [] };
  });
  return key;
}

async function storedEndpoint(setup: StorageSetup, { id }: Key): Promise<Endpoint> {
  const row: Endpoint = { ...sampleEndpoint(setup.owner), urlSetBy: { type: 'key', id } };
  await setup.apply({ writes: [{ kind: 'endpoint', mode: 'insert', row }] });
  return row;
}

const ending = ({ owner }: StorageSetup, { id: subject }: Key) => ({ subject, at: AT, owner });

const disable: Parameters<EndedAccessQueue['end']>[1] = ({ endpoints }) =>
  endpoints.map((endpoint) => {
    const { accountId, environment, version } = endpoint;
    const row: Endpoint = {
      ...endpoint,
      version: version + 1,
      status: 'disabled',
      disabledReason: 'access_ended',
      disabledAt: AT,
    };
    return {
      accountId,
      environment,
      at: AT,
      writes: [{ kind: 'endpoint', mode: 'update', row }],
    };
  });

/** What ends with a credential. */
export const endedAccessCases: StorageCases = {
  [`disables an endpoint whose access ended once, of ${RACERS} callers`]: async (setup) => {
    const { key, endpoint } = await leakedKey(setup);
    assert.ok((await setup.endedAccess.list(MANY)).includes(key.id));
    const counts = await race(() => setup.endedAccess.end(ending(setup, key), disable));
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      1,
    );
    const found = await setup.storage.read.endpoints.find(setup.owner, endpoint.id);
    assert.equal(found?.version, 2);
    assert.equal(found?.disabledReason, 'access_ended');
    assert.equal(await setup.endedAccess.end(ending(setup, key), disable), 0);
  },
  'keeps what ended for some seconds, for changes that were accepted before': async (setup) => {
    const { key } = await leakedKey(setup);
    await setup.endedAccess.end(ending(setup, key), disable);
    await setup.endedAccess.forget(key.id, AT);
    assert.ok((await setup.endedAccess.list(MANY)).includes(key.id));
    await storedEndpoint(setup, key);
    assert.equal(await setup.endedAccess.end(ending(setup, key), disable), 1);
  },
  'leaves alone what a credential did not set, and keys that were revoked for another reason':
    async (setup) => {
      const { key } = await leakedKey(setup);
      const other = await revokedKey(setup, 'rotation');
      const kept = await storedEndpoint(setup, other);
      let seen: EndedEndpoints | undefined;
      await setup.endedAccess.end(ending(setup, key), (ended) => {
        seen = ended;
        return disable(ended);
      });
      assert.equal(seen?.name, 'Conformance');
      assert.equal(seen?.account.name, 'Conformance');
      assert.equal(await setup.endedAccess.end(ending(setup, other), disable), 0);
      const found = await setup.storage.read.endpoints.find(setup.owner, kept.id);
      assert.equal(found?.status, 'enabled');
    },
};
