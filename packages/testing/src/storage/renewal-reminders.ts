import assert from 'node:assert/strict';
import type { PlannedReminder, Reminder } from '@paymount/core/billing';
import type { Owner } from '@paymount/core/kernel';
import { storedClock } from './payments/test-clocks.ts';
import { AT, later } from './samples.ts';
import { expectCount, race, type StorageCases, type StorageSetup } from './setup.ts';
import { storedSubscription } from './subscriptions.ts';

/** More than other cases leave due in the same store. */
const MANY = 10_000;

/** A subscription with a reminder that is due so many milliseconds later. */
async function planned(
  setup: StorageSetup,
  ms: number,
  { owner = setup.owner, ...more }: Partial<PlannedReminder> & { owner?: Owner } = {},
): Promise<Reminder> {
  const { accountId, environment } = owner;
  const { id: subscriptionId } = await storedSubscription(setup, {}, owner);
  const reminder = {
    accountId,
    environment,
    subscriptionId,
    kind: 'upcoming' as const,
    periodIndex: 0,
    dueAt: later(ms),
  };
  await plan(setup, { ...reminder, ...more });
  return reminder;
}

const plan = ({ storage }: StorageSetup, ...reminders: readonly PlannedReminder[]) =>
  storage.transaction(({ reminders: rows }) => rows.plan(reminders));

const isDue = ({ storage }: StorageSetup, reminder: Reminder, until: Date) =>
  storage.transaction(({ reminders }) => reminders.take(reminder, until));

const end = ({ storage }: StorageSetup, reminder: Reminder) =>
  storage.transaction(({ reminders }) => reminders.end(reminder));

async function dueOf({ billing }: StorageSetup, { accountId }: Owner, now: Date) {
  const due = await billing.reminders.findDue({ now, from: undefined, limit: MANY });
  return due.filter((reminder) => reminder.accountId === accountId);
}

export const renewalReminderCases: StorageCases = {
  'finds the reminders that are due of each account, the oldest first': async (setup) => {
    const { owner, strangers } = setup;
    const [other] = strangers;
    assert.ok(other);
    const latest = await planned(setup, 3);
    const oldest = await planned(setup, 1);
    await planned(setup, 5);
    const theirs = await planned(setup, 4, { owner: other });
    const clock = await storedClock(setup);
    await planned(setup, 1, { clock: { id: clock.id, now: AT, isAdvancing: false } });
    assert.deepEqual(await dueOf(setup, owner, later(4)), [oldest, latest]);
    assert.deepEqual(await dueOf(setup, other, later(4)), [theirs]);
    assert.deepEqual(await dueOf(setup, owner, AT), []);
  },
  'gives each account an equal share of the reminders of a pass': async (setup) => {
    const { owner, strangers, billing } = setup;
    const [other, live] = strangers;
    assert.ok(other && live);
    for (const ms of [3, 2]) await planned(setup, ms, { owner: live });
    const oldest = await planned(setup, 1, { owner: live });
    const theirs = await planned(setup, 4, { owner: other });
    const asked = { now: later(5), from: owner, limit: 2 };
    assert.deepEqual(await billing.reminders.findDue(asked), [oldest, theirs]);
  },
  'finds the reminder that is due first on a test clock': async (setup) => {
    const { reminders } = setup.billing;
    const clock = await storedClock(setup);
    const on = { clock: { id: clock.id, now: AT, isAdvancing: false } };
    await planned(setup, 2, on);
    const first = await planned(setup, 1, on);
    await planned(setup, 0);
    assert.deepEqual(await reminders.findDueOn(clock.id, AT, 1), []);
    assert.deepEqual(await reminders.findDueOn(clock.id, later(5), 1), [first]);
  },
  'gives a reminder to one of many workers, once': async (setup) => {
    const reminder = await planned(setup, 1);
    assert.equal(await isDue(setup, reminder, AT), false);
    const taken = await race(() =>
      setup.storage.transaction(async ({ reminders }) => {
        const isTaken = await reminders.take(reminder, later(1));
        if (isTaken) await reminders.end(reminder);
        return isTaken;
      }),
    );
    expectCount(taken, true, 1);
    assert.deepEqual(await dueOf(setup, setup.owner, later(9)), []);
  },
  'plans a reminder once for a period, and moves it until it is decided': async (setup) => {
    const reminder = await planned(setup, 1);
    await plan(setup, { ...reminder, dueAt: later(3) });
    assert.equal(await isDue(setup, reminder, later(2)), false);
    assert.equal(await isDue(setup, reminder, later(3)), true);
    await end(setup, reminder);
    await plan(setup, { ...reminder, dueAt: later(4) });
    assert.equal(await isDue(setup, reminder, later(9)), false);
    const next = { ...reminder, periodIndex: 1, dueAt: later(5) };
    await plan(setup, next);
    assert.equal(await isDue(setup, reminder, later(9)), false);
    assert.equal(await isDue(setup, next, later(9)), true);
  },
  'postpones a reminder, unless it was decided': async (setup) => {
    const reminder = await planned(setup, 1);
    const postpone = (until: Date) =>
      setup.storage.transaction(({ reminders }) => reminders.postpone(reminder, until));
    await postpone(later(6));
    assert.equal(await isDue(setup, reminder, later(5)), false);
    assert.equal(await isDue(setup, reminder, later(6)), true);
    await end(setup, reminder);
    await postpone(later(7));
    assert.equal(await isDue(setup, reminder, later(9)), false);
  },
};
