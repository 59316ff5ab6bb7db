import assert from 'node:assert/strict';
import type { Key } from '@paymount/core/access';
import { AccessChangedError } from '@paymount/core/changes';
import { newId } from '@paymount/core/kernel';
import { AT, later, sampleClaim, sampleEndpoint, samplePaymentMethod } from '../samples.ts';
import { RACERS, race, type StorageCases, type StorageSetup } from '../setup.ts';
import { storeKeys } from './keys.ts';
import { sampleAccount, sampleAudit, sampleKey } from './samples.ts';

const EVERYTHING = { accounts: 'all', environments: ['live', 'test'] } as const;

/** The snapshot of the caller's key in a change that moves money. */
function snapshot(key: Key, accountVersion = 1) {
  return { keyId: key.id, keyVersion: key.version, accountVersion };
}

/** Whether a change with this key is written. */
async function moneyMoves(setup: StorageSetup, credential: ReturnType<typeof snapshot>, at = AT) {
  const row = samplePaymentMethod(setup.owner);
  const writes = [{ mode: 'insert', kind: 'payment_method', row }] as const;
  const claim = sampleClaim(setup.owner, newId('req'));
  const applied = await setup.storage.changes.apply({
    ...setup.owner,
    at,
    claim,
    credential,
    writes,
  });
  const found = await setup.storage.read.paymentMethods.find(setup.owner, row.id);
  assert.equal(found !== undefined, applied === 'applied');
  const claimed = await setup.storage.idempotency.find(setup.owner, claim.key);
  assert.equal(claimed !== undefined, applied === 'applied');
  return applied;
}

/** Changes of access: the check when money moves, and the audit rows in the same commit. */
export const accessCases: StorageCases = {
  'moves no money for a key or an account that changed since it was accepted': async (setup) => {
    const key = { ...sampleKey(setup.owner), expiresAt: later(1_000) };
    await storeKeys(setup, key);
    assert.equal(await moneyMoves(setup, snapshot(key)), 'applied');
    assert.equal(await moneyMoves(setup, snapshot(key), later(1_000)), 'access_changed');
    assert.equal(await moneyMoves(setup, snapshot(key, 2)), 'access_changed');
    assert.equal(await moneyMoves(setup, { ...snapshot(key), keyVersion: 2 }), 'access_changed');
    assert.ok(AccessChangedError.is(new AccessChangedError()));
  },
  'makes no endpoint for a key that changed since it was accepted': async (setup) => {
    const key = sampleKey(setup.owner);
    await storeKeys(setup, key);
    const made = async (credential: ReturnType<typeof snapshot>) => {
      const row = sampleEndpoint(setup.owner);
      const writes = [{ mode: 'insert', kind: 'endpoint', row }] as const;
      const applied = await setup.storage.transaction(({ changes }) =>
        changes.apply({ ...setup.owner, at: AT, credential, writes }),
      );
      const found = await setup.storage.read.endpoints.find(setup.owner, row.id);
      assert.equal(found !== undefined, applied === 'applied');
      return applied;
    };
    assert.equal(await made(snapshot(key)), 'applied');
    assert.equal(await made(snapshot(key, 2)), 'access_changed');
    assert.equal(await made({ ...snapshot(key), keyVersion: 2 }), 'access_changed');
  },
  'reports a claimed key rather than a change of access if both apply': async (setup) => {
    const key = sampleKey(setup.owner);
    await storeKeys(setup, key);
    const claim = sampleClaim(setup.owner, 'twice');
    const change = { ...setup.owner, at: AT, claim, writes: [], credential: snapshot(key) };
    assert.equal(await setup.storage.changes.apply(change), 'applied');
    assert.equal(await setup.storage.changes.apply(change), 'claimed');
  },
  'chains the entries of changes, and verifies the chain': async (setup) => {
    const { accountId } = setup.owner;
    const targets = ['key_1', 'key_2', 'key_3'];
    for (const target of targets) await record(setup, target);
    const page = await setup.directory.audit.list(
      EVERYTHING,
      { account: accountId },
      { limit: 10 },
    );
    assert.deepEqual(
      page.data.map(({ target, seq }) => [target, seq]),
      [
        ['key_3', 3n],
        ['key_2', 2n],
        ['key_1', 1n],
      ],
    );
    const [, second, first] = page.data;
    assert.equal(second?.prevHash, first?.hash);
    assert.deepEqual(first?.after, sampleAudit(accountId, 'key_1').after);
    const { entries, heads, faults } = await setup.directory.audit.verify(accountId);
    assert.deepEqual([entries, faults], [3, []]);
    assert.deepEqual(heads, [{ accountId, seq: 3n, hash: page.data[0]?.hash }]);
    const exported: string[] = [];
    const filter = { account: accountId };
    for await (const { target } of setup.directory.audit.export(EVERYTHING, filter)) {
      exported.push(target);
    }
    assert.deepEqual(exported, targets);
  },
  'exports each chain completely and in order': async (setup) => {
    const [one, other] = [setup.owner.accountId, ...setup.strangers.map((s) => s.accountId)];
    assert.ok(other !== undefined);
    for (const [account, target] of [
      [one, 'key_1'],
      [other, 'key_2'],
      [one, 'key_3'],
      [other, 'key_4'],
    ] as const) {
      const audit = [sampleAudit(account, target)];
      await setup.access.change(async () => ({ result: undefined, subjects: [], audit }));
    }
    const scope = { accounts: [one, other], environments: EVERYTHING.environments };
    const exported: unknown[] = [];
    for await (const { accountId, seq } of setup.directory.audit.export(scope, {})) {
      exported.push([accountId, seq]);
    }
    const chains = [one, other].toSorted();
    const whole = chains.flatMap((account) => [1n, 2n].map((seq) => [account, seq]));
    assert.deepEqual(exported, whole);
  },
  'shows an admin only the audit rows that they may see': async (setup) => {
    const entry = {
      ...sampleAudit(setup.owner.accountId, 'key_live'),
      environment: 'live',
    } as const;
    await setup.access.change(async () => ({ result: undefined, subjects: [], audit: [entry] }));
    await record(setup, 'key_none');
    const seen = async (
      accounts: 'all' | readonly never[],
      environments: readonly ('live' | 'test')[],
    ) => {
      const filter = { account: setup.owner.accountId };
      const scope = { accounts, environments };
      const { data } = await setup.directory.audit.list(scope, filter, { limit: 10 });
      return data.map(({ target }) => target);
    };
    assert.deepEqual(await seen('all', ['live']), ['key_none', 'key_live']);
    assert.deepEqual(await seen('all', ['test']), ['key_none']);
    assert.deepEqual(await seen([], ['live', 'test']), []);
  },
  [`keeps a chain intact with ${RACERS} callers`]: async (setup) => {
    await race((caller) => record(setup, `key_${caller}`));
    const { entries, faults } = await setup.directory.audit.verify(setup.owner.accountId);
    assert.deepEqual([entries, faults], [RACERS, []]);
  },
  'writes nothing if a change of access fails': async (setup) => {
    const account = sampleAccount();
    const before = await setup.credentials.syncEpoch(undefined);
    const failing = setup.access.change(async ({ accounts }) => {
      await accounts.insert(account);
      // That time cannot be formatted, so the audit row cannot be written.
      const audit = [{ ...sampleAudit(account.id, 'key_1'), created: new Date(Number.NaN) }];
      return { result: undefined, subjects: [account.id], audit };
    });
    await assert.rejects(failing);
    assert.equal(await setup.directory.accounts.find(account.id), undefined);
    assert.deepEqual((await setup.credentials.syncEpoch(undefined)).current, before.current);
  },
};

function record({ access, owner }: StorageSetup, target: string): Promise<void> {
  const audit = [sampleAudit(owner.accountId, target)];
  return access.change(async () => ({ result: undefined, subjects: [], audit }));
}
