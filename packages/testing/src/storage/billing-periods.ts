import assert from 'node:assert/strict';
import type { BillingPeriod, Subscription } from '@paymount/core/billing';
import { newId } from '@paymount/core/kernel';
import { storedDraft } from './invoices.ts';
import { later } from './samples.ts';
import { expectRefused, type StorageCases } from './setup.ts';
import { findSubscription, storedSubscription } from './subscriptions.ts';

function samplePeriod(
  { id: subscriptionId }: Pick<Subscription, 'id'>,
  index: number,
  more: Partial<BillingPeriod> = {},
): BillingPeriod {
  const times = { start: later(index * 100), end: later((index + 1) * 100) };
  return { subscriptionId, index, ...times, invoiceId: newId('in'), isBilled: true, ...more };
}

/** The periods of a subscription. */
export const billingPeriodCases: StorageCases = {
  'keeps the periods of a subscription, each once': async (setup) => {
    const row = await storedSubscription(setup);
    const first = samplePeriod(row, 0, { invoiceId: null, isBilled: false });
    const second = samplePeriod(row, 1);
    const apply = (version: number, newPeriods: readonly BillingPeriod[]) =>
      setup.apply({
        writes: [{ kind: 'subscription', mode: 'update', row: { ...row, version } }],
        newPeriods,
      });
    await apply(2, [first, second]);
    const read = () => setup.storage.read.subscriptions.periodsOf(setup.owner, row.id);
    assert.deepEqual(await read(), [first, second]);
    // Nothing of the refused change is kept.
    await expectRefused(() => apply(3, [samplePeriod(row, 2), samplePeriod(row, 1)]));
    assert.deepEqual(await read(), [first, second]);
    assert.equal((await findSubscription(setup, row))?.version, 2);
  },
  'moves the end of the last period when another begins': async (setup) => {
    const row = await storedSubscription(setup);
    const first = samplePeriod(row, 0);
    await setup.apply({ writes: [], newPeriods: [first] });
    const next = samplePeriod(row, 1, { start: later(40) });
    const movedEnd = { subscriptionId: row.id, index: 0, end: later(40) };
    assert.equal(await setup.apply({ writes: [], newPeriods: [next], movedEnd }), 'applied');
    assert.deepEqual(await setup.storage.read.subscriptions.periodsOf(setup.owner, row.id), [
      { ...first, end: later(40) },
      next,
    ]);
    const missing = { ...movedEnd, index: 7 };
    assert.equal(await setup.apply({ writes: [], movedEnd: missing }), 'raced');
  },
  'refuses a period that leaves a gap, overlaps, or has no period before it': async (setup) => {
    const row = await storedSubscription(setup);
    const [first, second] = [samplePeriod(row, 0), samplePeriod(row, 1)];
    await setup.apply({ writes: [], newPeriods: [first, second] });
    for (const refused of [
      samplePeriod(row, 2, { start: later(201) }),
      samplePeriod(row, 2, { start: later(199) }),
      samplePeriod(row, 3, { start: second.end }),
    ]) {
      await expectRefused(() => setup.apply({ writes: [], newPeriods: [refused] }));
    }
    const movedEnd = { subscriptionId: row.id, index: 0, end: later(90) };
    await expectRefused(() => setup.apply({ writes: [], movedEnd }));
    const moved = { ...movedEnd, index: 1 };
    const unmoved = samplePeriod(row, 2);
    await expectRefused(() => setup.apply({ writes: [], movedEnd: moved, newPeriods: [unmoved] }));
    assert.deepEqual(await setup.storage.read.subscriptions.periodsOf(setup.owner, row.id), [
      first,
      second,
    ]);
  },
  'refuses a second invoice of a period': async (setup) => {
    const subscription = await storedSubscription(setup);
    const draft = { subscriptionId: subscription.id, customerId: subscription.customerId };
    await storedDraft(setup, { ...draft, periodIndex: 1 });
    await storedDraft(setup, { ...draft, periodIndex: 2 });
    await storedDraft(setup, { ...draft, periodIndex: null });
    await storedDraft(setup, { ...draft, periodIndex: null });
    await expectRefused(() => storedDraft(setup, { ...draft, periodIndex: 1 }));
  },
};
