import assert from 'node:assert/strict';
import type { EventPattern } from '@paymount/core/changes';
import type {
  ClaimById,
  ClaimDue,
  ClaimedDelivery,
  DecideOnFailing,
  Endpoint,
  EndpointSecret,
  NamedBatch,
  Verdict,
} from '@paymount/core/events';
import { type DeliveryId, newId } from '@paymount/core/kernel';
import { AT, sampleAttempt, sampleEndpoint, sampleEvent, sampleSecret } from '../samples.ts';
import { RACERS, RecordingDispatch, type StorageCases, type StorageSetup } from '../setup.ts';

/** The length of a claim, in milliseconds. */
export const LEASE_MS = 25_000;

/** Registers an endpoint with a signing secret. */
export async function storedEndpoint(
  setup: StorageSetup,
  enabledEvents: readonly EventPattern[] = ['*'],
): Promise<Endpoint> {
  const row = sampleEndpoint(setup.owner, enabledEvents);
  const secret = sampleSecret(setup.owner, row.id);
  await setup.apply({ writes: [{ mode: 'insert', kind: 'endpoint', row }], secret });
  return row;
}

/** Commits an event while an engine with `slots` free slots is attached. */
export async function publish(setup: StorageSetup, slots = 0): Promise<RecordingDispatch> {
  const engine = new RecordingDispatch(slots);
  setup.hub.attach(engine);
  try {
    await setup.apply({ writes: [], events: [sampleEvent(setup.owner)] });
  } finally {
    setup.hub.detach(engine);
  }
  return engine;
}

/** Commits an event to which one endpoint is subscribed. @returns its delivery */
export async function published(setup: StorageSetup): Promise<DeliveryId> {
  const [id] = (await publish(setup)).announced;
  assert.ok(id);
  return id;
}

/** Writes the next version of an endpoint, with another status. */
export async function turn<Stored extends Endpoint>(
  setup: StorageSetup,
  endpoint: Stored,
  status: Endpoint['status'],
): Promise<Stored> {
  const row = { ...endpoint, version: endpoint.version + 1, status };
  await setup.apply({ writes: [{ mode: 'update', kind: 'endpoint', row }] });
  return row;
}

/** Applies changed statuses until no step was full. */
export async function settle({ deliveries }: StorageSetup): Promise<void> {
  await deliveries.recheckStatuses();
  while (await deliveries.applyStatuses(1_000));
}

/** Claims first attempts by their ids. */
export function claimNamed(
  { deliveries }: StorageSetup,
  ids: readonly DeliveryId[],
  more: Partial<ClaimById> = {},
): Promise<NamedBatch> {
  return deliveries.claimById({
    shiftMs: 0,
    leaseToken: newId('req'),
    leaseMs: LEASE_MS,
    aheadMs: 1_000,
    replays: 100,
    held: [],
    excluded: [],
    excludedFromReplays: [],
    excludedAccounts: [],
    quick: { endpoints: [], perEndpoint: 0, replays: 0 },
    wanted: ids.map((id) => ({ id, attempt: 1 })),
    ...more,
  });
}

/** Claims one delivery by its id. */
export async function claim(
  setup: StorageSetup,
  id: DeliveryId,
  more: { readonly attempt?: number; readonly shiftMs?: number; readonly leaseMs?: number } = {},
): Promise<ClaimedDelivery | undefined> {
  const { attempt = 1, ...lease } = more;
  const { deliveries } = await claimNamed(setup, [], { ...lease, wanted: [{ id, attempt }] });
  return deliveries[0];
}

/**
 * Claims with a high limit, because the store may have due rows of others.
 * @returns those of the setup
 */
export async function claimDue(
  setup: StorageSetup,
  origin: ClaimDue['origin'],
  more: Partial<ClaimDue> = {},
): Promise<readonly ClaimedDelivery[]> {
  const { deliveries } = await setup.deliveries.claimDue({
    shiftMs: 0,
    origin,
    limit: 1_000,
    leaseToken: newId('req'),
    leaseMs: LEASE_MS,
    lane: 'fast',
    cursor: '',
    excluded: [],
    excludedAccounts: [],
    graceMs: 0,
    ...more,
  });
  return deliveries.filter(({ accountId }) => accountId === setup.owner.accountId);
}

/** What the engine does with a result that waits for a lock: it gives it again. */
const MAX_TRIES = 200;

/** Closes the attempt of a claim. @returns the result */
export async function end(
  setup: StorageSetup,
  delivery: ClaimedDelivery,
  verdict: Verdict,
  {
    decide = () => undefined,
    at = AT,
  }: { readonly decide?: DecideOnFailing; readonly at?: Date } = {},
) {
  const { id, attempt } = delivery;
  const record = {
    ...sampleAttempt(delivery),
    outcome: verdict.next === 'succeeded' ? 'succeeded' : 'failed',
  } as const;
  const result = { id, attempt, verdict, record, endedAt: at, endedAgoMs: 0 };
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const closed = await setup.deliveries.close([result], decide);
    if (closed.length > 0) return closed[0];
  }
  assert.fail('The result was not recorded.');
}

/** The endpoints of an event, and the notification of the engine. */
export const fanOutCases: StorageCases = {
  'adds a delivery for each endpoint subscribed to the type, and notifies the sender': async (
    setup,
  ) => {
    const wanting = [
      await storedEndpoint(setup, ['*']),
      await storedEndpoint(setup, ['charge.*']),
      await storedEndpoint(setup, ['payout.paid', 'charge.succeeded']),
    ];
    await storedEndpoint(setup, ['charge.failed', 'payout.*']);
    const { sent, announced } = await publish(setup);
    assert.equal(sent.length, 0);
    const found = await Promise.all(announced.map((id) => claim(setup, id)));
    const got = found.map((delivery) => delivery?.endpointId).toSorted();
    assert.deepEqual(got, wanting.map(({ id }) => id).toSorted());
  },
  'inserts a delivery with a lease if a slot was reserved, with all data for sending': async (
    setup,
  ) => {
    const endpoint = await storedEndpoint(setup);
    const { sent, announced, givenBack } = await publish(setup, 1);
    const [delivery] = sent;
    assert.ok(delivery && announced.length === 0 && givenBack.length === 0);
    assert.equal(delivery.url, endpoint.url);
    assert.deepEqual(
      delivery.secrets.map(({ sealed }) => sealed),
      ['sealed.secret'],
    );
    const event = await setup.storage.read.events.find(setup.owner, delivery.eventId);
    assert.ok(event && 'body' in event);
    assert.equal(delivery.body, event.body);
    assert.equal(await claim(setup, delivery.id), undefined);
  },
  'releases a reserved slot if the change is not applied': async (setup) => {
    await storedEndpoint(setup);
    const engine = new RecordingDispatch(RACERS);
    setup.hub.attach(engine);
    const event = sampleEvent(setup.owner);
    const stale = { ...sampleEndpoint(setup.owner), version: 2 };
    const writes = [{ mode: 'update', kind: 'endpoint', row: stale }] as const;
    assert.equal(await setup.apply({ writes, events: [event] }), 'raced');
    await assert.rejects(
      setup.storage.transaction(async ({ changes }) => {
        await changes.apply({ ...setup.owner, at: event.created, writes: [], events: [event] });
        throw new Error('The work failed.');
      }),
    );
    setup.hub.detach(engine);
    assert.equal(engine.sent.length, 0);
    assert.equal(engine.givenBack.length, 2);
  },
  'skips a disabled endpoint, and does not find a deleted one': async (setup) => {
    const disabled = await turn(setup, await storedEndpoint(setup), 'disabled');
    const deleted = await turn(setup, await storedEndpoint(setup), 'deleted');
    const { sent, announced } = await publish(setup, 9);
    assert.deepEqual([sent, announced], [[], []]);
    const { endpoints } = setup.storage.read;
    assert.equal(await endpoints.find(setup.owner, deleted.id), undefined);
    const { data } = await endpoints.list(setup.owner, { limit: 10 });
    assert.deepEqual(data, [disabled]);
  },
  'sends an event to the endpoints as they are at its commit, whichever process changed them':
    async (setup) => {
      const { owner } = setup;
      const other = setup.open();
      const elsewhere = (mode: 'insert' | 'update', row: Endpoint, secret?: EndpointSecret) =>
        other.storage.changes.apply({
          ...owner,
          at: AT,
          writes: [{ mode, kind: 'endpoint', row }],
          ...(secret && { secret }),
        });
      const old = await storedEndpoint(setup);
      const urls = async () => {
        const { sent } = await publish(setup, 9);
        return sent.map(({ url }) => url).toSorted();
      };
      assert.deepEqual(await urls(), [old.url]);
      const moved = { ...old, version: 2, url: 'https://moved.example/' };
      await elsewhere('update', moved);
      assert.deepEqual(await urls(), [moved.url]);
      const added = { ...sampleEndpoint(owner, ['*']), url: 'https://added.example/' };
      await elsewhere('insert', added, sampleSecret(owner, added.id));
      assert.deepEqual(await urls(), [added.url, moved.url]);
      await elsewhere('update', { ...moved, version: 3, status: 'disabled' });
      assert.deepEqual(await urls(), [added.url]);
      await elsewhere('update', { ...added, version: 2, enabledEvents: ['payout.paid'] });
      assert.deepEqual(await urls(), []);
      await elsewhere('update', { ...moved, version: 4 });
      await other.deliveries.changeLanes(new Map([[moved.id, 'slow']]));
      const { sent } = await publish(setup, 9);
      assert.deepEqual(
        sent.map(({ url, lane }) => ({ url, lane })),
        [{ url: moved.url, lane: 'slow' }],
      );
    },
  'releases the slots for endpoints that have changed, and reserves others': async (setup) => {
    const old = await storedEndpoint(setup);
    await publish(setup);
    await turn(setup, old, 'disabled');
    const added = await storedEndpoint(setup);
    const engine = await publish(setup, 2);
    const toIds = (rows: readonly { readonly endpointId: string }[]) =>
      rows.map(({ endpointId }) => endpointId);
    assert.deepEqual(toIds(engine.givenBack), [old.id]);
    assert.deepEqual(toIds(engine.sent), [added.id]);
    const { data } = await setup.storage.read.deliveries.list(setup.owner, {}, { limit: 10 });
    assert.deepEqual(
      data.map(({ endpointId, state }) => `${endpointId} ${state}`).toSorted(),
      [`${added.id} pending`, `${old.id} pending`, `${old.id} skipped`].toSorted(),
    );
  },
};
