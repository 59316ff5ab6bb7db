import assert from 'node:assert/strict';
import {
  type Dunning,
  type Subscription,
  type SubscriptionFacts,
  type SubscriptionItem,
  type SubscriptionState,
  toFacts,
} from '@paymount/core/billing';
import { type CustomerId, newId, type Owner, type PriceId } from '@paymount/core/kernel';
import { storedCustomer } from './invoices.ts';
import { storedClock } from './payments/test-clocks.ts';
import { AT, later } from './samples.ts';
import { expectRefused, type StorageCases, type StorageSetup } from './setup.ts';

const PAGE = { limit: 10 };
const NOTHING_ASKED = { reason: null, comment: null, feedback: null } as const;

/** Of one that is past due. */
export const DUNNING: Dunning = {
  invoiceId: newId('in'),
  attempt: 2,
  failedAt: AT,
  nextAttemptAt: later(5),
  givesUpAt: later(9),
  declineClass: 'customer',
  lastFailureCode: 'expired_card',
  isAnnounced: true,
  isExtra: false,
};

function sampleItem(priceId: PriceId = newId('price')): SubscriptionItem {
  const sold = { priceId, name: 'Tee', unitAmount: 1_900, quantity: 3 };
  return {
    ...sold,
    id: newId('si'),
    created: AT,
    // Metadata are texts, whatever their names.
    metadata: { start: '2030-01-01T00:00:00.000Z', note: 'café' },
    billed: { ...sold, quantity: 2, since: later(1) },
  };
}

/** What a case gives a subscription: some of its facts, and a whole state or none. */
type Given = Partial<SubscriptionFacts> & (SubscriptionState | { readonly status?: never });

/** An active subscription with as little as possible. */
function plainSubscription(
  owner: Owner,
  customerId: CustomerId,
  { nextActionAt = later(100), ...more }: Given = {},
): Subscription {
  return {
    ...owner,
    id: newId('sub'),
    version: 1,
    customerId,
    currency: 'eur',
    items: [{ ...sampleItem(), billed: null }],
    calendar: { anchor: AT, timezone: 'UTC', interval: 'month', intervalCount: 1 },
    period: { index: 0, start: AT, end: later(100), fullStart: AT, billedUntil: later(100) },
    startDate: AT,
    freeUntil: null,
    trial: null,
    cancelAt: null,
    cancelAtPeriodEnd: false,
    cancelProration: 'none',
    canceledAt: null,
    cancellation: NOTHING_ASKED,
    pendingUpdate: null,
    latestInvoiceId: null,
    chargingInvoiceId: null,
    announcedIndex: null,
    isWoken: false,
    collectionMethod: 'charge_automatically',
    daysUntilDue: null,
    defaultPaymentMethodId: null,
    description: null,
    metadata: {},
    trialEndBehavior: 'create_invoice',
    pauseCollection: null,
    created: AT,
    status: 'active',
    ...more,
    nextActionAt,
  };
}

/** The same subscription with every field. */
function fullSubscription(plain: Subscription): Subscription {
  const { id: _, billed: __, ...next } = sampleItem();
  return {
    ...plain,
    items: [sampleItem(), sampleItem()],
    freeUntil: later(2),
    trial: { start: AT, end: later(3) },
    cancelAt: later(4),
    cancelAtPeriodEnd: true,
    cancelProration: 'always_invoice',
    canceledAt: AT,
    cancellation: { reason: 'payment_failed', comment: 'Zu teuer', feedback: 'too_expensive' },
    pendingUpdate: {
      items: [{ ...next, id: newId('si') }],
      interval: 'year',
      intervalCount: 2,
      appliesAt: later(100),
    },
    latestInvoiceId: newId('in'),
    chargingInvoiceId: newId('in'),
    announcedIndex: 3,
    isWoken: true,
    collectionMethod: 'send_invoice',
    daysUntilDue: 14,
    defaultPaymentMethodId: newId('pm'),
    description: 'Zwölf Sorten',
    metadata: { end: '2030-01-01T00:00:00.000Z' },
    trialEndBehavior: 'pause',
    pauseCollection: { behavior: 'keep_as_draft', resumesAt: later(6) },
    createdBy: { type: 'key', id: 'key_1' },
  };
}

/** Stores a subscription. */
export async function storedSubscription(
  setup: StorageSetup,
  more: Given = {},
  owner: Owner = setup.owner,
): Promise<Subscription> {
  const customerId = more.customerId ?? (await storedCustomer(setup, owner));
  const row = plainSubscription(owner, customerId, more);
  await setup.storage.changes.apply({
    ...owner,
    at: AT,
    writes: [{ kind: 'subscription', mode: 'insert', row }],
    ...(row.clock && { clock: row.clock }),
  });
  return row;
}

/** Updates a subscription. */
export function updateSubscription(setup: StorageSetup, row: Subscription) {
  return setup.apply({ writes: [{ kind: 'subscription', mode: 'update', row }] });
}

/** The subscription as it is stored. */
export function findSubscription(setup: StorageSetup, { id }: Pick<Subscription, 'id'>) {
  return setup.storage.read.subscriptions.find(setup.owner, id);
}

/** The row in another state: without the fields of the state before. */
function inState(row: Subscription, state: SubscriptionState, version: number): Subscription {
  return { ...toFacts(row), ...state, version };
}

/** Subscriptions in each state, and their lists. */
export const subscriptionCases: StorageCases = {
  'keeps subscriptions in each state with every field, for their owner only': async (setup) => {
    const { owner, storage, strangers } = setup;
    const { subscriptions } = storage.read;
    const plain = await storedSubscription(setup);
    assert.deepEqual(await findSubscription(setup, plain), plain);
    const made = plainSubscription(owner, plain.customerId);
    const full = fullSubscription(made);
    await setup.apply({ writes: [{ kind: 'subscription', mode: 'insert', row: full }] });
    assert.deepEqual(await findSubscription(setup, full), full);
    const states: readonly SubscriptionState[] = [
      { status: 'incomplete', expiresAt: later(7) },
      { status: 'trialing' },
      { status: 'past_due', dunning: DUNNING },
      { status: 'past_due', dunning: { ...DUNNING, nextAttemptAt: null, lastFailureCode: null } },
      { status: 'unpaid', dunning: DUNNING },
      { status: 'paused', pausedAt: later(8) },
      { status: 'active' },
      { status: 'canceled', endedAt: later(9) },
      { status: 'incomplete_expired', endedAt: later(9) },
    ];
    for (const [index, state] of states.entries()) {
      const isOver = 'endedAt' in state;
      const next = { ...inState(full, state, index + 2), ...(isOver && { nextActionAt: null }) };
      await updateSubscription(setup, next);
      assert.deepEqual(await findSubscription(setup, full), next);
    }
    assert.equal((await subscriptions.findMany(owner, [plain.id, full.id])).length, 2);
    for (const stranger of strangers) {
      assert.equal(await subscriptions.find(stranger, plain.id), undefined);
      assert.deepEqual(await subscriptions.findMany(stranger, [plain.id]), []);
      assert.deepEqual((await subscriptions.list(stranger, { status: 'all' }, PAGE)).data, []);
      assert.deepEqual(await subscriptions.periodsOf(stranger, plain.id), []);
    }
  },
  'refuses a subscription that is over and due, or without the fields of its state': async (
    setup,
  ) => {
    const row = await storedSubscription(setup);
    const over = inState(row, { status: 'canceled', endedAt: AT }, 2);
    await expectRefused(() => updateSubscription(setup, { ...over, nextActionAt: AT }));
    // Without the state of its collection, which the types demand.
    const lacking = Object.assign({ ...row }, { version: 2, status: 'past_due' });
    await expectRefused(() => updateSubscription(setup, lacking));
    await expectRefused(() => updateSubscription(setup, { ...row, version: 2, items: [] }));
    assert.deepEqual(await findSubscription(setup, row), row);
  },
  'lists subscriptions without canceled ones, and by each filter': async (setup) => {
    const clock = await storedClock(setup);
    const on = { clock: { id: clock.id, now: AT, isAdvancing: false } };
    const first = await storedSubscription(setup, {
      collectionMethod: 'send_invoice',
      daysUntilDue: 3,
    });
    const second = await storedSubscription(setup, { status: 'trialing' });
    const over = await storedSubscription(setup, {
      status: 'canceled',
      endedAt: AT,
      nextActionAt: null,
    });
    const expired = await storedSubscription(setup, {
      status: 'incomplete_expired',
      endedAt: AT,
      nextActionAt: null,
    });
    const customerId = await storedCustomer(setup);
    const timed = await storedSubscription(setup, { ...on, customerId });
    const { subscriptions } = setup.storage.read;
    const list = async (filter: Parameters<typeof subscriptions.list>[1]) =>
      (await subscriptions.list(setup.owner, filter, PAGE)).data.map(({ id }) => id);
    assert.deepEqual(await list({}), [expired.id, second.id, first.id]);
    assert.deepEqual(await list({ status: 'all' }), [expired.id, over.id, second.id, first.id]);
    assert.deepEqual(await list({ status: 'ended' }), [expired.id, over.id]);
    assert.deepEqual(await list({ status: 'trialing' }), [second.id]);
    assert.deepEqual(await list({ customerId: first.customerId }), [first.id]);
    const [item] = second.items;
    assert.ok(item);
    assert.deepEqual(await list({ priceId: item.priceId }), [second.id]);
    assert.deepEqual(await list({ priceId: newId('price') }), []);
    assert.deepEqual(await list({ collectionMethod: 'send_invoice' }), [first.id]);
    assert.deepEqual(await list({ created: { gt: AT } }), []);
    assert.deepEqual(await list({ clock: clock.id }), [timed.id]);
    assert.deepEqual(await list({ customerId }), [timed.id]);
    const page = { limit: 10, startingAfter: over.id };
    assert.equal((await subscriptions.list(setup.owner, {}, page)).data.length, 2);
  },
  'finds subscriptions by their items and prices as these change': async (setup) => {
    const row = await storedSubscription(setup);
    const { subscriptions } = setup.storage.read;
    const [before] = row.items;
    assert.ok(before);
    assert.equal((await subscriptions.findByItem(setup.owner, before.id))?.id, row.id);
    const after = sampleItem();
    await updateSubscription(setup, { ...row, version: 2, items: [after] });
    const byPrice = async (priceId: PriceId) =>
      (await subscriptions.list(setup.owner, { priceId }, PAGE)).data.map(({ id }) => id);
    assert.deepEqual(await byPrice(before.priceId), []);
    assert.deepEqual(await byPrice(after.priceId), [row.id]);
    assert.equal(await subscriptions.findByItem(setup.owner, before.id), undefined);
    assert.equal((await subscriptions.findByItem(setup.owner, after.id))?.id, row.id);
    for (const stranger of setup.strangers) {
      assert.equal(await subscriptions.findByItem(stranger, after.id), undefined);
    }
  },
  'counts the subscriptions of a customer that are not over': async (setup) => {
    const customerId = await storedCustomer(setup);
    await storedSubscription(setup, { customerId });
    await storedSubscription(setup, {
      customerId,
      status: 'paused',
      pausedAt: AT,
      nextActionAt: null,
    });
    const over = { endedAt: AT, nextActionAt: null } as const;
    await storedSubscription(setup, { customerId, ...over, status: 'canceled' });
    await storedSubscription(setup, { customerId, ...over, status: 'incomplete_expired' });
    const count = await setup.storage.transaction(({ subscriptions }) =>
      subscriptions.countLive(setup.owner, customerId),
    );
    assert.equal(count, 2);
  },
};
