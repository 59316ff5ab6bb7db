import assert from 'node:assert/strict';
import { type CustomerId, newId, type Owner } from '@paymount/core/kernel';
import { deletedCustomer } from '@paymount/core/payments';
import { storedCustomer } from './invoices.ts';
import { storedClock } from './payments/test-clocks.ts';
import { AT, later, samplePaymentMethod } from './samples.ts';
import { expectCount, RACERS, race, type StorageCases, type StorageSetup } from './setup.ts';
import {
  DUNNING,
  findSubscription as find,
  storedSubscription as stored,
  updateSubscription as update,
} from './subscriptions.ts';

/** More than other cases leave due in the same store. */
const MANY = 10_000;

/** What a worker does before it renews. */
async function lookForDue({ billing }: StorageSetup): Promise<void> {
  await billing.subscriptions.findDue({ now: AT, from: undefined, limit: MANY });
}

/** Lets workers bill so many of the account in a second. */
async function throttle({ storage, owner }: StorageSetup, chargesPerSecond: number): Promise<void> {
  await storage.transaction(async ({ billingSettings }) => {
    const settings = await billingSettings.findForUpdate(owner.accountId);
    assert.ok(settings);
    await billingSettings.save({ ...settings, chargesPerSecond });
  });
}

const due: StorageCases = {
  'finds what is due of each account, the oldest first and few of each': async (setup) => {
    const { owner, strangers, billing } = setup;
    const [other] = strangers;
    assert.ok(other);
    const latest = await stored(setup, { nextActionAt: later(3) });
    const oldest = await stored(setup, { nextActionAt: later(1) });
    const middle = await stored(setup, { nextActionAt: later(2) });
    await stored(setup, { nextActionAt: later(5) });
    await stored(setup, { status: 'paused', pausedAt: AT, nextActionAt: null });
    const theirs = await stored(setup, { nextActionAt: later(4) }, other);
    const clock = await storedClock(setup);
    const on = { clock: { id: clock.id, now: AT, isAdvancing: false } };
    await stored(setup, { ...on, nextActionAt: later(1) });
    const dueOf = async (of: Owner, now: Date) =>
      (await billing.subscriptions.findDue({ now, from: undefined, limit: MANY }))
        .filter(({ accountId }) => accountId === of.accountId)
        .map(({ id }) => id);
    const now = later(4);
    assert.deepEqual(await dueOf(owner, now), [oldest.id, middle.id, latest.id]);
    await throttle(setup, 2);
    assert.deepEqual(await dueOf(owner, now), [oldest.id, middle.id]);
    assert.deepEqual(await dueOf(other, now), [theirs.id]);
    assert.deepEqual(await dueOf(owner, AT), []);
  },
  'gives each account an equal share, whatever waits of the first': async (setup) => {
    const { owner, strangers, billing } = setup;
    const [other, live] = strangers;
    assert.ok(other && live);
    for (const ms of [3, 1, 2]) await stored(setup, { nextActionAt: later(ms) }, live);
    const theirs = await stored(setup, { nextActionAt: later(4) }, other);
    const asked = { now: later(5), from: owner, limit: 2 };
    const found = await billing.subscriptions.findDue(asked);
    assert.deepEqual(found, [
      { ...live, id: found[0]?.id, nextActionAt: later(1) },
      { ...other, id: theirs.id, nextActionAt: later(4) },
    ]);
  },
  'finds the earliest that is due on a test clock': async (setup) => {
    const { subscriptions } = setup.billing;
    const clock = await storedClock(setup);
    const on = { clock: { id: clock.id, now: AT, isAdvancing: false } };
    await stored(setup, { ...on, nextActionAt: later(2) });
    const first = await stored(setup, { ...on, nextActionAt: later(1) });
    await stored(setup, { nextActionAt: AT });
    assert.deepEqual(await subscriptions.findDueOn(clock.id, AT, 1), []);
    assert.deepEqual(await subscriptions.findDueOn(clock.id, later(5), 1), [
      { ...setup.owner, id: first.id, nextActionAt: later(1) },
    ]);
  },
  'looks again later at one that failed, but not earlier than it is due': async (setup) => {
    const row = await stored(setup, { nextActionAt: later(1) });
    const found = { ...setup.owner, id: row.id, nextActionAt: later(1) };
    await setup.billing.subscriptions.postpone(found, later(50));
    assert.deepEqual(await find(setup, row), { ...row, nextActionAt: later(50) });
    await setup.billing.subscriptions.postpone(found, later(40));
    assert.deepEqual((await find(setup, row))?.nextActionAt, later(50));
  },
  'wakes the subscriptions of a customer who is deleted': async (setup) => {
    const customerId = await storedCustomer(setup);
    const active = await stored(setup, { customerId });
    const over = { status: 'canceled', endedAt: AT, nextActionAt: null } as const;
    const ended = await stored(setup, { customerId, ...over });
    const customer = await setup.storage.read.customers.find(setup.owner, customerId);
    assert.ok(customer);
    const gone = deletedCustomer(customer, AT);
    await setup.apply({ writes: [{ kind: 'customer', mode: 'update', row: gone }] });
    await lookForDue(setup);
    assert.deepEqual((await find(setup, active))?.nextActionAt, AT);
    assert.deepEqual((await find(setup, ended))?.nextActionAt, null);
  },
  'wakes the subscriptions of a customer with another payment method': async (setup) => {
    const customerId = await storedCustomer(setup);
    const active = await stored(setup, { customerId });
    const late = await stored(setup, { customerId, status: 'past_due', dunning: DUNNING });
    await changeMethod(setup, customerId);
    await lookForDue(setup);
    assert.deepEqual((await find(setup, late))?.nextActionAt, AT);
    assert.deepEqual((await find(setup, active))?.nextActionAt, AT);
  },
  'keeps a subscription awake against a change that was decided before it was woken': async (
    setup,
  ) => {
    const customerId = await storedCustomer(setup);
    const row = await stored(setup, { customerId });
    await changeMethod(setup, customerId);
    await lookForDue(setup);
    assert.equal(await update(setup, { ...row, version: row.version + 1 }), 'raced');
    assert.equal((await find(setup, row))?.isWoken, true);
  },
};

/** The customer chooses another payment method. */
async function changeMethod(
  setup: StorageSetup,
  customerId: CustomerId,
  defaultPaymentMethodId = newId('pm'),
): Promise<void> {
  const customer = await setup.storage.read.customers.find(setup.owner, customerId);
  assert.ok(customer);
  const version = customer.version + 1;
  const next = { ...customer, version, defaultPaymentMethodId };
  await setup.apply({ writes: [{ kind: 'customer', mode: 'update', row: next }] });
}

/** What follows from a dispute that is lost is written by the store itself. */
const disputed: StorageCases = {
  'keeps how the subscriptions of an account are billed': async (setup) => {
    const { storage, owner } = setup;
    const accountId = owner.accountId;
    const saved = {
      accountId,
      afterLastAttempt: 'leave_unpaid',
      catchUp: 'bill_latest',
      cancelsOnDispute: true,
      chargesPerSecond: 7,
    } as const;
    await storage.transaction(async ({ billingSettings }) => billingSettings.save(saved));
    assert.deepEqual(await storage.read.billingSettings.find(accountId), saved);
    assert.equal(await storage.read.billingSettings.find(newId('acct')), undefined);
  },
  'knows of no lost dispute of a subscription that has none': async (setup) => {
    const row = await stored(setup, { nextActionAt: later(1) });
    const asked = { ...setup.owner, id: row.id, nextActionAt: later(1) };
    await setup.storage.transaction(async ({ subscriptions }) => {
      const taken = await subscriptions.takeDue(asked, later(1));
      const customer = await setup.storage.read.customers.find(setup.owner, row.customerId);
      assert.deepEqual(taken, {
        subscription: row,
        customer,
        isDisputed: false,
        hasWaitingItems: false,
      });
      await subscriptions.settleDispute(setup.owner, row.id);
    });
  },
  'reads with a due subscription what pays it': async (setup) => {
    const [own, ofCustomer] = [samplePaymentMethod(setup.owner), samplePaymentMethod(setup.owner)];
    const writes = [own, ofCustomer].map((row) => ({
      kind: 'payment_method' as const,
      mode: 'insert' as const,
      row,
    }));
    await setup.apply({ writes });
    const customerId = await storedCustomer(setup);
    await changeMethod(setup, customerId, ofCustomer.id);
    const due = { customerId, nextActionAt: later(1) };
    const plain = await stored(setup, due);
    const chosen = await stored(setup, { ...due, defaultPaymentMethodId: own.id });
    const methodOf = ({ id }: typeof plain) =>
      setup.storage.transaction(async ({ subscriptions }) => {
        const asked = { ...setup.owner, id, nextActionAt: later(1) };
        return (await subscriptions.takeDue(asked, later(1)))?.method;
      });
    assert.deepEqual(await methodOf(plain), ofCustomer);
    assert.deepEqual(await methodOf(chosen), own);
  },
};

const raced: StorageCases = {
  'gives a due subscription to one of many workers': async (setup) => {
    const row = await stored(setup, { nextActionAt: later(1) });
    const asked = { ...setup.owner, id: row.id, nextActionAt: later(1) };
    const take = (now: Date) =>
      setup.storage.transaction(async ({ subscriptions, changes }) => {
        const found = (await subscriptions.takeDue(asked, now))?.subscription;
        if (found === undefined) return undefined;
        const next = { ...found, version: found.version + 1, nextActionAt: later(100) };
        const writes = [{ kind: 'subscription', mode: 'update', row: next }] as const;
        assert.equal(await changes.apply({ ...setup.owner, at: AT, writes }), 'applied');
        return found;
      });
    assert.equal(await take(AT), undefined);
    const taken = await race(() => take(later(1)));
    assert.deepEqual(
      taken.filter((each) => each !== undefined),
      [row],
    );
  },
  'lets one of many concurrent updates of a subscription win': async (setup) => {
    const row = await stored(setup);
    const results = await race((caller) =>
      update(setup, { ...row, version: 2, description: `${caller}` }),
    );
    expectCount(results, 'applied', 1);
    expectCount(results, 'raced', RACERS - 1);
  },
  'reads a locked subscription as the transaction before has left it': async (setup) => {
    const row = await stored(setup, { announcedIndex: 0 });
    await race(() =>
      setup.storage.transaction(async ({ subscriptions, changes }) => {
        const locked = await subscriptions.findForUpdate(setup.owner, row.id);
        assert.ok(locked);
        const { version, announcedIndex } = locked;
        const next = {
          ...locked,
          version: version + 1,
          announcedIndex: Number(announcedIndex) + 1,
        };
        const writes = [{ kind: 'subscription', mode: 'update', row: next }] as const;
        assert.equal(await changes.apply({ ...setup.owner, at: AT, writes }), 'applied');
      }),
    );
    assert.equal((await find(setup, row))?.announcedIndex, RACERS);
  },
};

export const dueSubscriptionCases: StorageCases = { ...due, ...disputed, ...raced };
