import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Endpoint, Verdict } from '@paymount/core/events';
import { type AdminScope, newId, type Owner } from '@paymount/core/kernel';
import type { StoredChange } from '@paymount/core/store';
import { sampleAudit } from './access/samples.ts';
import { claim, end, publish, published, storedEndpoint } from './events/fan-out.ts';
import { AT, later, sampleAttempt, sampleClaim, sampleSecret } from './samples.ts';
import { expectRefused, type StorageCases, type StorageSetup } from './setup.ts';

const ANSWER = { status: 200, body: '{"id":"we_1"}' };

/** The change that gives an endpoint a new secret; earlier ones end at `endsAt`. */
function rotation(
  endpoint: Endpoint,
  endsAt: Date,
): Pick<StoredChange, 'writes' | 'retiredSecrets'> {
  const row = { ...endpoint, version: endpoint.version + 1, secretVersion: 2 };
  return {
    writes: [{ mode: 'update', kind: 'endpoint', row }],
    retiredSecrets: { endpointId: endpoint.id, expiresAt: endsAt },
  };
}

async function auditedTargets({ directory, owner }: StorageSetup): Promise<readonly string[]> {
  const scope: AdminScope = { accounts: [owner.accountId], environments: ['live', 'test'] };
  const { data } = await directory.audit.list(scope, {}, { limit: 100 });
  return data.map(({ target }) => target);
}

const changes: StorageCases = {
  'commits an audit entry with its change, and none for a change that is raced or claimed': async (
    setup,
  ) => {
    const endpoint = await storedEndpoint(setup);
    const change = rotation(endpoint, later(1_000));
    const audited = (target: string) => sampleAudit(setup.owner.accountId, target);
    const keyed = {
      claim: sampleClaim(setup.owner, 'audited'),
      response: { key: 'audited', response: ANSWER },
    };
    assert.equal(await setup.apply({ ...change, ...keyed, audit: audited('first') }), 'applied');
    assert.equal(await setup.apply({ ...change, audit: audited('raced') }), 'raced');
    const again = { ...keyed, writes: [] };
    assert.equal(await setup.apply({ ...again, audit: audited('claimed') }), 'claimed');
    assert.deepEqual(await auditedTargets(setup), ['first']);
    const { faults } = await setup.directory.audit.verify(setup.owner.accountId);
    assert.deepEqual(faults, []);
  },
  'stores the response of a change under the key of another owner': async (setup) => {
    const [stranger] = setup.strangers;
    assert.ok(stranger);
    const claimOf = { ...sampleClaim(stranger, 'of an admin') };
    const change = { writes: [], claim: claimOf, response: { key: claimOf.key, response: ANSWER } };
    assert.equal(await setup.apply(change), 'applied');
    assert.equal(await setup.apply(change), 'claimed');
    const { idempotency } = setup.storage;
    const kept = await idempotency.find(stranger, claimOf.key);
    assert.deepEqual(kept?.state === 'done' && kept.response, ANSWER);
    assert.equal(await idempotency.find(setup.owner, claimOf.key), undefined);
  },
  'returns earlier secrets until they end, newest first': async (setup) => {
    const endpoint = await storedEndpoint(setup);
    const id = await published(setup);
    const soon = new Date((await setup.deliveries.databaseTime()).getTime() + 3_600_000);
    const hash = createHash('sha256').update('another').digest();
    const sealed = 'sealed.another';
    const secret = { ...sampleSecret(setup.owner, endpoint.id), hash, sealed, created: later(1) };
    assert.equal(await setup.apply({ ...rotation(endpoint, soon), secret }), 'applied');
    const count = (at: Date) =>
      setup.storage.read.endpoints.countSecrets(setup.owner, endpoint.id, at);
    assert.deepEqual([await count(later(0)), await count(soon)], [2, 1]);
    const signing = async (at: Date) =>
      (await setup.directory.endpointSecrets.signing(setup.owner, endpoint.id, at)).map(
        (each) => each.sealed,
      );
    assert.deepEqual(await signing(later(0)), ['sealed.another', 'sealed.secret']);
    assert.deepEqual(await signing(soon), ['sealed.another']);
    const claimSealed = async (shiftMs: number) =>
      (await claim(setup, id, { shiftMs, leaseMs: 1 }))?.secrets.map((each) => each.sealed);
    assert.deepEqual(await claimSealed(0), ['sealed.another', 'sealed.secret']);
    assert.deepEqual(await claimSealed(3_700_000), ['sealed.another']);
  },
  'makes a pending or failed delivery due, unless an attempt is in progress': async (setup) => {
    await storedEndpoint(setup);
    const id = await published(setup);
    const retried = () => setup.apply({ writes: [], retriedDelivery: id });
    const endClaimed = async (attempt: number, verdict: Verdict) => {
      const delivery = await claim(setup, id, { attempt });
      assert.ok(delivery);
      assert.equal(await retried(), 'raced');
      await end(setup, delivery, verdict);
    };
    await endClaimed(1, { next: 'retry', attempt: 2, waitMs: 300_000 });
    assert.equal(await claim(setup, id, { attempt: 2 }), undefined);
    assert.equal(await retried(), 'applied');
    await endClaimed(2, { next: 'failed' });
    assert.equal(await retried(), 'applied');
    await endClaimed(2, { next: 'succeeded' });
    assert.equal(await retried(), 'raced');
    const keyed = {
      claim: sampleClaim(setup.owner, 'retry'),
      response: { key: 'retry', response: ANSWER },
    };
    const audit = sampleAudit(setup.owner.accountId, id);
    assert.equal(await setup.apply({ ...keyed, audit, writes: [], retriedDelivery: id }), 'raced');
    assert.equal(await setup.storage.idempotency.find(setup.owner, 'retry'), undefined);
    assert.deepEqual(await auditedTargets(setup), []);
  },
};

/** The rows of the owner that each of these scopes may see. */
function adminScopes({
  owner,
  strangers,
}: StorageSetup): readonly (readonly [AdminScope, boolean])[] {
  const [other] = strangers;
  const both = ['live', 'test'] as const;
  return [
    [{ accounts: 'all', environments: both }, true],
    [{ accounts: [owner.accountId], environments: [owner.environment] }, true],
    [{ accounts: other ? [other.accountId] : [], environments: both }, false],
    [{ accounts: [], environments: both }, false],
    [{ accounts: 'all', environments: ['live'] }, false],
    [{ accounts: 'all', environments: [] }, false],
  ];
}

const directories: StorageCases = {
  'lists and filters the endpoints and deliveries that an admin may see': async (setup) => {
    const endpoint = await storedEndpoint(setup);
    const id = await published(setup);
    const { endpoints, deliveries } = setup.directory;
    const own = { account: setup.owner.accountId };
    const page = { limit: 10 };
    for (const [scope, seen] of adminScopes(setup)) {
      const listed = (await endpoints.list(scope, own, page)).data.map((each) => each.id);
      assert.deepEqual(listed, seen ? [endpoint.id] : []);
      const sent = (await deliveries.list(scope, own, page)).data.map((each) => each.id);
      assert.deepEqual(sent, seen ? [id] : []);
      if (seen) continue;
      const cursor = { limit: 10, startingAfter: id };
      await expectRefused(() => deliveries.list(scope, {}, cursor), 'invalid_cursor');
    }
    const [everything] = adminScopes(setup)[0] ?? [];
    assert.ok(everything);
    const filtered = async (filter: Parameters<typeof deliveries.list>[1]) =>
      (await deliveries.list(everything, { ...own, ...filter }, page)).data.length;
    const found = await deliveries.find(id);
    assert.equal(found?.state, 'pending');
    assert.equal(found.attempting, false);
    assert.equal(await filtered({ event: found.eventId, endpoint: endpoint.id }), 1);
    assert.equal(await filtered({ status: 'failed' }), 0);
    assert.equal(await filtered({ endpoint: newId('we') }), 0);
    assert.ok(await claim(setup, id));
    assert.equal((await deliveries.find(id))?.attempting, true);
  },
  'lists the attempts of a delivery, newest first, and the event as it was recorded': async (
    setup,
  ) => {
    await storedEndpoint(setup);
    const delivery = await claim(setup, await published(setup));
    assert.ok(delivery);
    const record = sampleAttempt(delivery);
    const verdict = { next: 'succeeded' } as const;
    const { id } = delivery;
    const result = { id, attempt: 1, verdict, record, endedAt: AT, endedAgoMs: 0 };
    await setup.deliveries.close([result], () => undefined);
    const found = await setup.directory.deliveries.find(id);
    assert.ok(found);
    const log = await setup.directory.deliveries.log(found);
    assert.deepEqual(await setup.storage.read.deliveries.log(found), log);
    assert.deepEqual([log.body, log.apiVersion], [delivery.body, delivery.apiVersion]);
    const [attempt, ...others] = log.attempts;
    const { responseBody, ...logged } = record;
    const { responseBody: kept, ...told } = attempt ?? {};
    // Times are stored in whole milliseconds.
    assert.deepEqual(told, { ...logged, durationMs: 13 });
    assert.deepEqual([...(kept ?? [])], [...(responseBody ?? [])]);
    assert.deepEqual(others, []);
  },
  'finds and lists the events that an admin may see, of any account': async (setup) => {
    await storedEndpoint(setup);
    for (let count = 0; count < 3; count += 1) await publish(setup);
    const { events } = setup.directory;
    const own = { account: setup.owner.accountId };
    const all = (await setup.storage.read.events.list(setup.owner, {}, { limit: 10 })).data;
    const [newest, second, oldest] = all;
    assert.ok(newest && second && oldest);
    for (const [scope, seen] of adminScopes(setup)) {
      assert.deepEqual(await events.find(scope, newest.id), seen ? newest : undefined);
      assert.deepEqual((await events.list(scope, own, { limit: 10 })).data, seen ? all : []);
    }
    const [scope] = adminScopes(setup)[0] ?? [];
    assert.ok(scope);
    const listIds = async (page: object, filter: object = {}) =>
      (await events.list(scope, { ...own, ...filter }, { limit: 2, ...page })).data.map(toId);
    assert.deepEqual(await listIds({}), [newest.id, second.id]);
    assert.deepEqual(await listIds({ startingAfter: second.id }), [oldest.id]);
    assert.deepEqual(await listIds({ endingBefore: oldest.id }), [newest.id, second.id]);
    assert.deepEqual(await listIds({}, { types: ['payout.paid'] }), []);
    assert.deepEqual(await listIds({}, { objectId: oldest.objectId }), [oldest.id]);
    assert.deepEqual(await listIds({}, { created: { gt: newest.created } }), []);
    const foreign = { limit: 2, startingAfter: newId('evt') };
    await expectRefused(() => events.list(scope, own, foreign), 'invalid_cursor');
  },
};

const toId = ({ id }: Owner & { readonly id: string }): string => id;

/** The use of storage by admins: reads across accounts, and changes with audit rows. */
export const adminCases: StorageCases = { ...changes, ...directories };
