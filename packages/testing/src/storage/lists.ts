import assert from 'node:assert/strict';
import type { Event, EventType } from '@paymount/core/changes';
import { type EventId, firstIdAt, newId, parseId } from '@paymount/core/kernel';
import type { AuthorizedCharge, Charge } from '@paymount/core/payments';
import { storedCharge } from './changes.ts';
import { AT, later, sampleCharge, sampleEvent, sampleOperation, sampleRefund } from './samples.ts';
import { expectRefused, type StorageCases, type StorageSetup } from './setup.ts';

/** Five charges, a second apart, oldest first. */
async function fiveCharges(setup: StorageSetup): Promise<readonly Charge[]> {
  const first = await storedCharge(setup);
  const more = [1, 2, 3, 4].map((second) =>
    sampleCharge(setup.owner, first.paymentMethodId, { created: later(second * 1_000) }),
  );
  const writes = more.map((row) => ({ mode: 'insert', kind: 'charge', row }) as const);
  await setup.apply({ writes });
  return [first, ...more];
}

/** An event whose id was created this long after `AT`. */
function eventAt(setup: StorageSetup, ms: number, type?: EventType): Event {
  const time = firstIdAt('evt', AT.getTime() + ms).slice(0, 'evt_'.length + 10);
  const { id, ...event } = sampleEvent(setup.owner, type);
  const made = parseId('evt', time + id.slice(time.length));
  assert.ok(made);
  return { ...event, id: made };
}

const ids = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

/** Pages, newest first, and their filters. */
export const listCases: StorageCases = {
  'lists newest first, forward and backward, without gaps or overlaps': async (setup) => {
    const [a, b, c, d, e] = ids(await fiveCharges(setup));
    const { charges } = setup.storage.read;
    const list = async (page: { startingAfter?: string; endingBefore?: string }) => {
      const { data, hasMore } = await charges.list(setup.owner, {}, { limit: 2, ...page });
      return [ids(data), hasMore];
    };
    assert.deepEqual(await list({}), [[e, d], true]);
    assert.deepEqual(await list({ startingAfter: `${d}` }), [[c, b], true]);
    assert.deepEqual(await list({ startingAfter: `${b}` }), [[a], false]);
    assert.deepEqual(await list({ endingBefore: `${a}` }), [[c, b], true]);
    assert.deepEqual(await list({ endingBefore: `${d}` }), [[e], false]);
  },
  'refuses a cursor that is not in the list': async (setup) => {
    const [first] = await fiveCharges(setup);
    assert.ok(first);
    const { charges } = setup.storage.read;
    const unknown = { limit: 2, startingAfter: newId('ch') };
    await expectRefused(() => charges.list(setup.owner, {}, unknown), 'invalid_cursor');
    for (const stranger of setup.strangers) {
      const foreign = { limit: 2, endingBefore: first.id };
      await expectRefused(() => charges.list(stranger, {}, foreign), 'invalid_cursor');
    }
  },
  'filters charges by status and by each bound on created': async (setup) => {
    const five = await fiveCharges(setup);
    // A charge is pending while an operation is in progress.
    const intents = five.map((charge) => {
      return { mode: 'insert', kind: 'operation', row: sampleOperation(charge) } as const;
    });
    await setup.apply({ writes: intents });
    const [a, b, c, d, e] = ids(five);
    const { charges } = setup.storage.read;
    const list = async (filter: Parameters<typeof charges.list>[1]) =>
      ids((await charges.list(setup.owner, filter, { limit: 10 })).data);
    assert.deepEqual(await list({ status: 'pending' }), [e, d, c, b, a]);
    assert.deepEqual(await list({ status: 'succeeded' }), []);
    assert.deepEqual(await list({ created: { gt: later(1_000), lt: later(4_000) } }), [d, c]);
    assert.deepEqual(await list({ created: { gte: later(1_000), lte: later(2_000) } }), [c, b]);
  },
  'filters refunds by charge': async (setup) => {
    const [first, second] = await fiveCharges(setup);
    assert.ok(first && second);
    const rows = [sampleRefund(first, 10), sampleRefund(second, 20)];
    await setup.apply({
      writes: rows.map((row) => ({ mode: 'insert', kind: 'refund', row }) as const),
    });
    const filter = { chargeId: second.id };
    const { data } = await setup.storage.read.refunds.list(setup.owner, filter, { limit: 10 });
    assert.deepEqual(data, [rows[1]]);
  },
  'finds the one pending refund among many of a charge': async (setup) => {
    const charge = await storedCharge(setup);
    const pending = sampleRefund(charge, 10);
    const later = Array.from({ length: 120 }, () => {
      const refund = sampleRefund(charge, 10);
      return { ...refund, status: 'succeeded' } as const;
    });
    await setup.apply({
      writes: [pending, ...later].map((row) => ({ mode: 'insert', kind: 'refund', row }) as const),
    });
    const { refunds } = setup.storage.read;
    assert.equal(await refunds.hasPending(setup.owner, charge.id), true);
    assert.equal(await refunds.hasPending(setup.owner, charge.id, pending.id), false);
    const other = await storedCharge(setup);
    assert.equal(await refunds.hasPending(setup.owner, other.id), false);
    for (const stranger of setup.strangers) {
      assert.equal(await refunds.hasPending(stranger, charge.id), false);
    }
  },
  'keeps the exact bytes of an event, and filters events by type and object': async (setup) => {
    const events = [
      sampleEvent(setup.owner, 'charge.succeeded'),
      sampleEvent(setup.owner, 'charge.failed'),
      sampleEvent(setup.owner, 'payout.paid'),
    ];
    await setup.apply({ writes: [], events });
    const { events: rows } = setup.storage.read;
    const [succeeded, failed, paid] = events;
    assert.ok(succeeded && failed && paid);
    assert.deepEqual(await rows.find(setup.owner, failed.id), failed);
    const list = async (filter: Parameters<typeof rows.list>[1]) =>
      ids((await rows.list(setup.owner, filter, { limit: 10 })).data);
    assert.deepEqual(await list({}), [paid.id, failed.id, succeeded.id]);
    assert.deepEqual(await list({ types: ['charge.failed', 'payout.paid'] }), [paid.id, failed.id]);
    assert.deepEqual(await list({ objectId: succeeded.objectId }), [succeeded.id]);
  },
  'returns the ids of events after an id in ascending order, regardless of when they were recorded':
    async (setup) => {
      const { events: rows } = setup.storage.read;
      const start = firstIdAt('evt', AT.getTime());
      const after = async (from: EventId, limit = 10) => rows.idsAfter(setup.owner, from, limit);
      assert.deepEqual(await after(start), []);
      const [early, late] = [eventAt(setup, 1), eventAt(setup, 2_000)];
      await setup.apply({ writes: [], events: [late] });
      assert.deepEqual(await after(start), [late.id]);
      await setup.apply({ writes: [], events: [early] });
      assert.deepEqual(await after(start), [early.id, late.id]);
      assert.deepEqual(await after(start, 1), [early.id]);
      assert.deepEqual(await after(early.id), [late.id]);
      assert.deepEqual(await after(late.id), []);
      for (const stranger of setup.strangers) {
        assert.deepEqual(await rows.idsAfter(stranger, start, 10), []);
      }
    },
  'finds events of the wanted types by their ids, in ascending order': async (setup) => {
    const { events: rows } = setup.storage.read;
    const [early, late] = [eventAt(setup, 1), eventAt(setup, 2_000, 'payout.paid')];
    await setup.apply({ writes: [], events: [late, early] });
    const wanted = [late.id, newId('evt'), early.id];
    assert.deepEqual(await rows.findAll(setup.owner, wanted), [early, late]);
    assert.deepEqual(await rows.findAll(setup.owner, [early.id]), [early]);
    assert.deepEqual(await rows.findAll(setup.owner, wanted, ['payout.paid']), [late]);
    assert.deepEqual(await rows.findAll(setup.owner, wanted, []), []);
    assert.deepEqual(await rows.findAll(setup.owner, []), []);
    for (const stranger of setup.strangers) {
      assert.deepEqual(await rows.findAll(stranger, wanted), []);
    }
  },
  'refuses a second event for the same version of an object': async (setup) => {
    const event = sampleEvent(setup.owner);
    await setup.apply({ writes: [], events: [event] });
    const again = { ...event, id: newId('evt') };
    await expectRefused(() => setup.apply({ writes: [], events: [again] }));
  },
  'finds authorizations that expired without a capture, oldest first': async (setup) => {
    const [first, second, third] = await fiveCharges(setup);
    assert.ok(first && second && third);
    const authorized = (charge: Charge, ms: number) =>
      ({
        mode: 'update',
        kind: 'charge',
        row: { ...charge, version: 2, status: 'authorized', captureBefore: later(ms) },
      }) as const;
    const writes = [authorized(first, 30), authorized(second, 20), authorized(third, 50)];
    await setup.apply({ writes });
    const find = (after?: AuthorizedCharge) =>
      setup.storage.transaction(({ charges }) =>
        charges.findExpiredAuthorizations(later(30), 1_000, after),
      );
    const mine = (await find()).filter(({ accountId }) => accountId === setup.owner.accountId);
    assert.deepEqual(ids(mine), [second.id, first.id]);
    const past = (await find(mine[0])).filter(
      ({ accountId }) => accountId === setup.owner.accountId,
    );
    assert.deepEqual(ids(past), [first.id]);
  },
};
