import assert from 'node:assert/strict';
import { isError, newId } from '@paymount/core/kernel';
import type { Operation } from '@paymount/core/payments';
import { storedCharge } from './changes.ts';
import {
  AT,
  later,
  sampleClaim,
  sampleOperation,
  samplePaymentMethod,
  withoutWaits,
} from './samples.ts';
import { expectCount, expectRefused, RACERS, race, type StorageCases } from './setup.ts';

const ANSWER = { status: 200, body: '{"id":"ch_1","note":"café"}' };

const keys: StorageCases = {
  [`gives the idempotency key to one of ${RACERS} changes`]: async (setup) => {
    const answers = await race(() => {
      const row = samplePaymentMethod(setup.owner);
      return setup.apply({
        claim: sampleClaim(setup.owner, 'key-1'),
        writes: [{ mode: 'insert', kind: 'payment_method', row }],
      });
    });
    expectCount(answers, 'applied', 1);
    expectCount(answers, 'claimed', RACERS - 1);
  },
  'stores the response of a change with its claim': async (setup) => {
    const claim = sampleClaim(setup.owner, 'key-1');
    const row = samplePaymentMethod(setup.owner);
    await setup.apply({
      claim,
      writes: [{ mode: 'insert', kind: 'payment_method', row }],
      response: { key: claim.key, response: ANSWER },
    });
    const { fingerprint, requestId, credential } = claim;
    const found = await setup.storage.idempotency.find(setup.owner, claim.key);
    const kept = { fingerprint, requestId, credential };
    assert.deepEqual(found, { ...kept, state: 'done', response: ANSWER });
  },
  'links a running key to its operation, and keeps the first response': async (setup) => {
    const charge = await storedCharge(setup);
    const claim = sampleClaim(setup.owner, 'key-1');
    const row = sampleOperation(charge, { idempotencyKey: claim.key });
    await setup.apply({ claim, writes: [{ mode: 'insert', kind: 'operation', row }] });
    const { idempotency } = setup.storage;
    const running = await idempotency.find(setup.owner, claim.key);
    assert.deepEqual(running, {
      fingerprint: claim.fingerprint,
      requestId: claim.requestId,
      credential: claim.credential,
      state: 'running',
      lockedUntil: claim.lockedUntil,
      operationId: row.id,
    });
    for (const status of [200, 500]) {
      await setup.apply({
        writes: [],
        response: { key: claim.key, response: { ...ANSWER, status } },
      });
    }
    const done = await idempotency.find(setup.owner, claim.key);
    assert.deepEqual(done?.state === 'done' && done.response, ANSWER);
  },
  [`lets one of ${RACERS} callers take over an expired lock`]: async (setup) => {
    const claim = sampleClaim(setup.owner, 'key-1');
    await setup.apply({ claim, writes: [] });
    const answers = await race((caller) =>
      setup.storage.idempotency.takeOver(
        { ...claim, requestId: newId('req'), lockedUntil: later(90_000 + caller) },
        claim.lockedUntil,
      ),
    );
    expectCount(answers, true, 1);
  },
  [`lets one of ${RACERS} callers record a response without a change`]: async (setup) => {
    const { idempotency } = setup.storage;
    const answers = await race(() =>
      idempotency.record(sampleClaim(setup.owner, 'key-1'), { ...ANSWER, status: 404 }),
    );
    expectCount(answers, true, 1);
  },
  [`lets one of ${RACERS} callers replace a response that is unchanged since it was read`]: async (
    setup,
  ) => {
    const { idempotency } = setup.storage;
    const claim = sampleClaim(setup.owner, 'key-1');
    await idempotency.record(claim, ANSWER);
    const body = { seen: ANSWER.body, next: '{"expanded":true}' };
    expectCount(await race(() => idempotency.amend(setup.owner, claim.key, body)), true, 1);
    const found = await idempotency.find(setup.owner, claim.key);
    assert.equal(found?.state === 'done' && found.response.body, '{"expanded":true}');
  },
  'separates keys by account and environment': async (setup) => {
    for (const owner of [setup.owner, ...setup.strangers]) {
      const claim = sampleClaim(owner, 'key-shared');
      const change = { ...owner, at: AT, claim, writes: [] };
      assert.equal(await setup.storage.changes.apply(change), 'applied');
    }
  },
  'deletes the key of a request, but not the key of another request': async (setup) => {
    const { idempotency } = setup.storage;
    const claim = sampleClaim(setup.owner, 'key-1');
    await idempotency.record(claim, ANSWER);
    await idempotency.forget({ ...claim, requestId: newId('req') });
    assert.equal((await idempotency.find(setup.owner, claim.key))?.state, 'done');
    await idempotency.forget(claim);
    assert.equal(await idempotency.find(setup.owner, claim.key), undefined);
  },
  'purges no key with an unresolved operation, with or without a response': async (setup) => {
    const { idempotency } = setup.storage;
    const created = later(-86_400_000);
    const [running, answered] = ['key-running', 'key-answered'].map((key) => ({
      ...sampleClaim(setup.owner, key),
      created,
    }));
    assert.ok(running && answered);
    const rows: Operation[] = [];
    for (const claim of [running, answered]) {
      const charge = await storedCharge(setup);
      const row = sampleOperation(charge, { idempotencyKey: claim.key });
      const answer = claim === answered ? { key: claim.key, response: ANSWER } : undefined;
      const writes = [{ mode: 'insert', kind: 'operation', row }] as const;
      await setup.apply({ claim, writes, ...(answer && { response: answer }) });
      rows.push(row);
    }
    assert.equal(await idempotency.purge(AT, 100), 0);
    const states = ['quarantined', 'done'] as const;
    for (const [round, state] of states.entries()) {
      for (const row of rows) {
        const moved: Operation = { ...row, version: round + 2, state };
        await setup.apply({ writes: [{ mode: 'update', kind: 'operation', row: moved }] });
      }
      assert.equal(await idempotency.purge(AT, 100), state === 'done' ? 2 : 0);
    }
    assert.equal(await idempotency.find(setup.owner, answered.key), undefined);
  },
  'purges keys created before a time, and no others': async (setup) => {
    const { idempotency } = setup.storage;
    const old = { ...sampleClaim(setup.owner, 'key-old'), created: later(-86_400_000) };
    const fresh = sampleClaim(setup.owner, 'key-fresh');
    await idempotency.record(old, ANSWER);
    await idempotency.record(fresh, ANSWER);
    assert.equal(await idempotency.purge(later(-3_600_000), 100), 1);
    assert.equal(await idempotency.find(setup.owner, old.key), undefined);
    assert.equal((await idempotency.find(setup.owner, fresh.key))?.state, 'done');
  },
};

const operations: StorageCases = {
  [`lets one of ${RACERS} callers begin an operation on an object`]: async (setup) => {
    const charge = await storedCharge(setup);
    const answers = await race(async () => {
      const row = sampleOperation(charge);
      try {
        return await setup.apply({ writes: [{ mode: 'insert', kind: 'operation', row }] });
      } catch (error) {
        return isError(error) && 'code' in error ? error.code : error;
      }
    });
    expectCount<unknown>(answers, 'applied', 1);
    expectCount<unknown>(answers, 'operation_in_progress', RACERS - 1);
  },
  'lets the next operation begin after the previous one is resolved': async (setup) => {
    const charge = await storedCharge(setup);
    const first = sampleOperation(charge);
    await setup.apply({ writes: [{ mode: 'insert', kind: 'operation', row: first }] });
    const unresolved = () =>
      setup.storage.transaction(async ({ operations: rows }) => [
        await rows.findUnresolved(setup.owner, charge.id),
        await rows.findUnresolvedOnRoot(setup.owner, charge.id),
      ]);
    const [stored, onCharge] = await unresolved();
    assert.deepEqual(withoutWaits(stored), withoutWaits(first));
    assert.deepEqual(onCharge, stored);
    const done = { ...first, version: 2, state: 'done' } as const;
    await setup.apply({ writes: [{ mode: 'update', kind: 'operation', row: done }] });
    assert.deepEqual(await unresolved(), [undefined, undefined]);
    const next = sampleOperation(charge, { kind: 'capture' });
    const writes = [{ mode: 'insert', kind: 'operation', row: next }] as const;
    assert.equal(await setup.apply({ writes }), 'applied');
    await expectRefused(
      () => setup.apply({ writes: [{ ...writes[0], row: sampleOperation(charge) }] }),
      'operation_in_progress',
    );
  },
  [`gives a due operation to one of ${RACERS} resolvers`]: async (setup) => {
    const charge = await storedCharge(setup);
    const row = sampleOperation(charge, { nextLookupAt: AT });
    await setup.apply({ writes: [{ mode: 'insert', kind: 'operation', row }] });
    const { operations: rows } = setup.storage;
    const claim = { environment: setup.owner.environment, limit: 1_000, leaseMs: 60_000 } as const;
    const mine = (found: readonly { readonly id: string }[]) =>
      found.some(({ id }) => id === row.id);
    assert.equal(mine(await rows.claimDue({ ...claim, environment: 'live' })), false);
    const claims = await race(() => rows.claimDue(claim));
    assert.equal(claims.filter(mine).length, 1);
    const leased = await rows.find(setup.owner, row.id);
    assert.deepEqual(withoutWaits(leased), withoutWaits(row));
    const leaseMs = (leased?.nextLookupAt?.getTime() ?? 0) - (await rows.now()).getTime();
    assert.ok(leaseMs > 30_000 && leaseMs <= 60_000, `leased for ${leaseMs} ms`);
  },
  'measures waits by its own time, not by the writer’s clock': async (setup) => {
    const { operations: rows } = setup.storage;
    const now = await rows.now();
    for (const wrongByMs of [-600_000, 0, 600_000]) {
      const charge = await storedCharge(setup);
      const at = new Date(now.getTime() + wrongByMs);
      const inMs = (ms: number) => new Date(at.getTime() + ms);
      const waits = { deadlineAt: inMs(30_000), nextLookupAt: inMs(40_000) };
      const row = sampleOperation(charge, waits);
      await setup.apply({ at, writes: [{ mode: 'insert', kind: 'operation', row }] });
      const sent = await rows.find(setup.owner, row.id);
      assert.ok(sent?.nextLookupAt);
      const waitMs = sent.nextLookupAt.getTime() - now.getTime();
      assert.ok(waitMs >= 40_000 && waitMs < 70_000, `waits ${waitMs} ms`);
      assert.equal(sent.nextLookupAt.getTime() - sent.deadlineAt.getTime(), 10_000);
      // An unchanged time is not computed again.
      const unknown = {
        ...sent,
        version: 2,
        state: 'unknown',
        nextLookupAt: inMs(300_000),
      } as const;
      await setup.apply({ at, writes: [{ mode: 'update', kind: 'operation', row: unknown }] });
      const asked = await rows.find(setup.owner, row.id);
      assert.deepEqual(asked?.deadlineAt, sent.deadlineAt);
      const nextMs = (asked?.nextLookupAt?.getTime() ?? 0) - now.getTime();
      assert.ok(nextMs >= 300_000 && nextMs < 330_000, `waits ${nextMs} ms`);
    }
  },
  [`remembers the first of ${RACERS} records of an operation`]: async (setup) => {
    const id = newId('op');
    const records = await race((caller) => setup.operationMemory.remember(id, `record ${caller}`));
    const [first] = records;
    assert.ok(first);
    expectCount(records, first, RACERS);
    assert.equal(await setup.operationMemory.recall(id), first);
    assert.equal(await setup.operationMemory.recall(newId('op')), undefined);
  },
};

/** Idempotency keys, and operations that are sent to the processor once. */
export const idempotencyCases: StorageCases = { ...keys, ...operations };
