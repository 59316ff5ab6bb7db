import assert from 'node:assert/strict';
import type { Key } from '@paymount/core/access';
import { AccessChangedError } from '@paymount/core/changes';
import { newId } from '@paymount/core/kernel';
import { RACERS, race, type StorageBench, type StorageCases } from '../bench.ts';
import { AT, later, sampleClaim, sampleEndpoint, samplePaymentMethod } from '../samples.ts';
import { storeKeys } from './keys.ts';
import { sampleAccount, sampleAudit, sampleKey } from './samples.ts';

const EVERYTHING = { accounts: 'all', environments: ['live', 'test'] } as const;

/** The snapshot of the caller's key in a change that moves money. */
function snapshot(key: Key, accountVersion = 1) {
  return { keyId: key.id, keyVersion: key.version, accountVersion };
}

/** Whether a change with this key is written. */
async function moneyMoves(bench: StorageBench, credential: ReturnType<typeof snapshot>, at = AT) {
  const row = samplePaymentMethod(bench.owner);
  const writes = [{ mode: 'insert', kind: 'payment_method', row }] as const;
  const claim = sampleClaim(bench.owner, newId('req'));
  const applied = await bench.storage.changes.apply({
    ...bench.owner,
    at,
    claim,
    credential,
    writes,
  });
  const found = await bench.storage.read.paymentMethods.find(bench.owner, row.id);
  assert.equal(found !== undefined, applied === 'applied');
  const claimed = await bench.storage.idempotency.find(bench.owner, claim.key);
  assert.equal(claimed !== undefined, applied === 'applied');
  return applied;
}

/** Changes of access: the check when money moves, and the audit rows in the same commit. */
export const accessCases: StorageCases = {
  'moves no money for a key or an account that changed since it was accepted': async (bench) => {
    const key = { ...sampleKey(bench.owner), expiresAt: later(1_000) };
    await storeKeys(bench, key);
    assert.equal(await moneyMoves(bench, snapshot(key)), 'applied');
    assert.equal(await moneyMoves(bench, snapshot(key), later(1_000)), 'access_changed');
    assert.equal(await moneyMoves(bench, snapshot(key, 2)), 'access_changed');
    assert.equal(await moneyMoves(bench, { ...snapshot(key), keyVersion: 2 }), 'access_changed');
    assert.ok(AccessChangedError.is(new AccessChangedError()));
  },
  'makes no endpoint for a key that changed since it was accepted': async (bench) => {
    const key = sampleKey(bench.owner);
    await storeKeys(bench, key);
    const made = async (credential: ReturnType<typeof snapshot>) => {
      const row = sampleEndpoint(bench.owner);
      const writes = [{ mode: 'insert', kind: 'endpoint', row }] as const;
      const applied = await bench.storage.transaction(({ changes }) =>
        changes.apply({ ...bench.owner, at: AT, credential, writes }),
      );
      const found = await bench.storage.read.endpoints.find(bench.owner, row.id);
      assert.equal(found !== undefined, applied === 'applied');
      return applied;
    };
    assert.equal(await made(snapshot(key)), 'applied');
    assert.equal(await made(snapshot(key, 2)), 'access_changed');
    assert.equal(await made({ ...snapshot(key), keyVersion: 2 }), 'access_changed');
  },
  'reports a claimed key rather than a change of access if both apply': async (bench) => {
    const key = sampleKey(bench.owner);
    await storeKeys(bench, key);
    const claim = sampleClaim(bench.owner, 'twice');
    const change = { ...bench.owner, at: AT, claim, writes: [], credential: snapshot(key) };
    assert.equal(await bench.storage.changes.apply(change), 'applied');
    assert.equal(await bench.storage.changes.apply(change), 'claimed');
  },
  'chains the entries of changes, and verifies the chain': async (bench) => {
    const { accountId } = bench.owner;
    const targets = ['key_1', 'key_2', 'key_3'];
    for (const target of targets) await record(bench, target);
    const page = await bench.directory.audit.list(
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
    const { entries, heads, faults } = await bench.directory.audit.verify(accountId);
    assert.deepEqual([entries, faults], [3, []]);
    assert.deepEqual(heads, [{ accountId, seq: 3n, hash: page.data[0]?.hash }]);
    const exported: string[] = [];
    const filter = { account: accountId };
    for await (const { target } of bench.directory.audit.export(EVERYTHING, filter)) {
      exported.push(target);
    }
    assert.deepEqual(exported, targets);
  },
  'exports each chain completely and in order': async (bench) => {
    const [one, other] = [bench.owner.accountId, ...bench.strangers.map((s) => s.accountId)];
    assert.ok(other !== undefined);
    for (const [account, target] of [
      [one, 'key_1'],
      [other, 'key_2'],
      [one, 'key_3'],
      [other, 'key_4'],
    ] as const) {
      const audit = [sampleAudit(account, target)];
      await bench.access.change(async () => ({ result: undefined, subjects: [], audit }));
    }
    const scope = { accounts: [one, other], environments: EVERYTHING.environments };
    const exported: unknown[] = [];
    for await (const { accountId, seq } of bench.directory.audit.export(scope, {})) {
      exported.push([accountId, seq]);
    }
    const chains = [one, other].toSorted();
    const whole = chains.flatMap((account) => [1n, 2n].map((seq) => [account, seq]));
    assert.deepEqual(exported, whole);
  },
  'shows an admin only the audit rows that they may see': async (bench) => {
    const entry = {
      ...sampleAudit(bench.owner.accountId, 'key_live'),
      environment: 'live',
    } as const;
    await bench.access.change(async () => ({ result: undefined, subjects: [], audit: [entry] }));
    await record(bench, 'key_none');
    const seen = async (
      accounts: 'all' | readonly never[],
      environments: readonly ('live' | 'test')[],
    ) => {
      const filter = { account: bench.owner.accountId };
      const scope = { accounts, environments };
      const { data } = await bench.directory.audit.list(scope, filter, { limit: 10 });
      return data.map(({ target }) => target);
    };
    assert.deepEqual(await seen('all', ['live']), ['key_none', 'key_live']);
    assert.deepEqual(await seen('all', ['test']), ['key_none']);
    assert.deepEqual(await seen([], ['live', 'test']), []);
  },
  [`keeps a chain intact with ${RACERS} callers`]: async (bench) => {
    await race((caller) => record(bench, `key_${caller}`));
    const { entries, faults } = await bench.directory.audit.verify(bench.owner.accountId);
    assert.deepEqual([entries, faults], [RACERS, []]);
  },
  'writes nothing if a change of access fails': async (bench) => {
    const account = sampleAccount();
    const before = await bench.credentials.syncEpoch(undefined);
    const failing = bench.access.change(async ({ accounts }) => {
      await accounts.insert(account);
      // That time cannot be formatted, so the audit row cannot be written.
      const audit = [{ ...sampleAudit(account.id, 'key_1'), created: new Date(Number.NaN) }];
      return { result: undefined, subjects: [account.id], audit };
    });
    await assert.rejects(failing);
    assert.equal(await bench.directory.accounts.find(account.id), undefined);
    assert.deepEqual((await bench.credentials.syncEpoch(undefined)).current, before.current);
  },
};

function record({ access, owner }: StorageBench, target: string): Promise<void> {
  const audit = [sampleAudit(owner.accountId, target)];
  return access.change(async () => ({ result: undefined, subjects: [], audit }));
}
