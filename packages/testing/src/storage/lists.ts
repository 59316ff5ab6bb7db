import assert from 'node:assert/strict';
import type { Event, EventType } from '@paymount/core/changes';
import { type EventId, firstIdAt, newId, parseId } from '@paymount/core/kernel';
import type { AuthorizedCharge, Charge } from '@paymount/core/payments';
import { expectRefused, type StorageBench, type StorageCases } from './bench.ts';
import { storedCharge } from './changes.ts';
import { AT, later, sampleCharge, sampleEvent, sampleOperation, sampleRefund } from './samples.ts';

/** Five charges, a second apart, oldest first. */
async function fiveCharges(bench: StorageBench): Promise<readonly Charge[]> {
  const first = await storedCharge(bench);
  const more = [1, 2, 3, 4].map((second) =>
    sampleCharge(bench.owner, first.paymentMethodId, { created: later(second * 1_000) }),
  );
  const writes = more.map((row) => ({ mode: 'insert', kind: 'charge', row }) as const);
  await bench.apply({ writes });
  return [first, ...more];
}

/** An event whose id was created this long after `AT`. */
function eventAt(bench: StorageBench, ms: number, type?: EventType): Event {
  const time = firstIdAt('evt', AT.getTime() + ms).slice(0, 'evt_'.length + 10);
  const { id, ...event } = sampleEvent(bench.owner, type);
  const made = parseId('evt', time + id.slice(time.length));
  assert.ok(made);
  return { ...event, id: made };
}

const ids = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

/** Pages, newest first, and their filters. */
export const listCases: StorageCases = {
  'lists newest first, forward and backward, without gaps or overlaps': async (bench) => {
    const [a, b, c, d, e] = ids(await fiveCharges(bench));
    const { charges } = bench.storage.read;
    const list = async (page: { startingAfter?: string; endingBefore?: string }) => {
      const { data, hasMore } = await charges.list(bench.owner, {}, { limit: 2, ...page });
      return [ids(data), hasMore];
    };
    assert.deepEqual(await list({}), [[e, d], true]);
    assert.deepEqual(await list({ startingAfter: `${d}` }), [[c, b], true]);
    assert.deepEqual(await list({ startingAfter: `${b}` }), [[a], false]);
    assert.deepEqual(await list({ endingBefore: `${a}` }), [[c, b], true]);
    assert.deepEqual(await list({ endingBefore: `${d}` }), [[e], false]);
  },
  'refuses a cursor that is not in the list': async (bench) => {
    const [first] = await fiveCharges(bench);
    assert.ok(first);
    const { charges } = bench.storage.read;
    const unknown = { limit: 2, startingAfter: newId('ch') };
    await expectRefused(() => charges.list(bench.owner, {}, unknown), 'invalid_cursor');
    for (const stranger of bench.strangers) {
      const foreign = { limit: 2, endingBefore: first.id };
      await expectRefused(() => charges.list(stranger, {}, foreign), 'invalid_cursor');
    }
  },
  'filters charges by status and by each bound on created': async (bench) => {
    const five = await fiveCharges(bench);
    // A charge is pending while an operation is in progress.
    const intents = five.map((charge) => {
      return { mode: 'insert', kind: 'operation', row: sampleOperation(charge) } as const;
    });
    await bench.apply({ writes: intents });
    const [a, b, c, d, e] = ids(five);
    const { charges } = bench.storage.read;
    const list = async (filter: Parameters<typeof charges.list>[1]) =>
      ids((await charges.list(bench.owner, filter, { limit: 10 })).data);
    assert.deepEqual(await list({ status: 'pending' }), [e, d, c, b, a]);
    assert.deepEqual(await list({ status: 'succeeded' }), []);
    assert.deepEqual(await list({ created: { gt: later(1_000), lt: later(4_000) } }), [d, c]);
    assert.deepEqual(await list({ created: { gte: later(1_000), lte: later(2_000) } }), [c, b]);
  },
  'filters refunds by charge': async (bench) => {
    const [first, second] = await fiveCharges(bench);
    assert.ok(first && second);
    const rows = [sampleRefund(first, 10), sampleRefund(second, 20)];
    await bench.apply({
      writes: rows.map((row) => ({ mode: 'insert', kind: 'refund', row }) as const),
    });
    const filter = { chargeId: second.id };
    const { data } = await bench.storage.read.refunds.list(bench.owner, filter, { limit: 10 });
    assert.deepEqual(data, [rows[1]]);
  },
  'finds the one pending refund among many of a charge': async (bench) => {
    const charge = await storedCharge(bench);
    const pending = sampleRefund(charge, 10);
    const later = Array.from({ length: 120 }, () => {
      const refund = sampleRefund(charge, 10);
      return { ...refund, status: 'succeeded' } as const;
    });
    await bench.apply({
      writes: [pending, ...later].map((row) => ({ mode: 'insert', kind: 'refund', row }) as const),
    });
    const { refunds } = bench.storage.read;
    assert.equal(await refunds.hasPending(bench.owner, charge.id), true);
    assert.equal(await refunds.hasPending(bench.owner, charge.id, pending.id), false);
    const other = await storedCharge(bench);
    assert.equal(await refunds.hasPending(bench.owner, other.id), false);
    for (const stranger of bench.strangers) {
      assert.equal(await refunds.hasPending(stranger, charge.id), false);
    }
  },
  'keeps the exact bytes of an event, and filters events by type and object': async (bench) => {
    const events = [
      sampleEvent(bench.owner, 'charge.succeeded'),
      sampleEvent(bench.owner, 'charge.failed'),
      sampleEvent(bench.owner, 'payout.paid'),
    ];
    await bench.apply({ writes: [], events });
    const { events: rows } = bench.storage.read;
    const [succeeded, failed, paid] = events;
    assert.ok(succeeded && failed && paid);
    assert.deepEqual(await rows.find(bench.owner, failed.id), failed);
    const list = async (filter: Parameters<typeof rows.list>[1]) =>
      ids((await rows.list(bench.owner, filter, { limit: 10 })).data);
    assert.deepEqual(await list({}), [paid.id, failed.id, succeeded.id]);
    assert.deepEqual(await list({ types: ['charge.failed', 'payout.paid'] }), [paid.id, failed.id]);
    assert.deepEqual(await list({ objectId: succeeded.objectId }), [succeeded.id]);
  },
  'returns the ids of events after an id in ascending order, regardless of when they were recorded':
    async (bench) => {
      const { events: rows } = bench.storage.read;
      const start = firstIdAt('evt', AT.getTime());
      const after = async (from: EventId, limit = 10) => rows.idsAfter(bench.owner, from, limit);
      assert.deepEqual(await after(start), []);
      const [early, late] = [eventAt(bench, 1), eventAt(bench, 2_000)];
      await bench.apply({ writes: [], events: [late] });
      assert.deepEqual(await after(start), [late.id]);
      await bench.apply({ writes: [], events: [early] });
      assert.deepEqual(await after(start), [early.id, late.id]);
      assert.deepEqual(await after(start, 1), [early.id]);
      assert.deepEqual(await after(early.id), [late.id]);
      assert.deepEqual(await after(late.id), []);
      for (const stranger of bench.strangers) {
        assert.deepEqual(await rows.idsAfter(stranger, start, 10), []);
      }
    },
  'finds events of the wanted types by their ids, in ascending order': async (bench) => {
    const { events: rows } = bench.storage.read;
    const [early, late] = [eventAt(bench, 1), eventAt(bench, 2_000, 'payout.paid')];
    await bench.apply({ writes: [], events: [late, early] });
    const wanted = [late.id, newId('evt'), early.id];
    assert.deepEqual(await rows.findAll(bench.owner, wanted), [early, late]);
    assert.deepEqual(await rows.findAll(bench.owner, [early.id]), [early]);
    assert.deepEqual(await rows.findAll(bench.owner, wanted, ['payout.paid']), [late]);
    assert.deepEqual(await rows.findAll(bench.owner, wanted, []), []);
    assert.deepEqual(await rows.findAll(bench.owner, []), []);
    for (const stranger of bench.strangers) {
      assert.deepEqual(await rows.findAll(stranger, wanted), []);
    }
  },
  'refuses a second event for the same version of an object': async (bench) => {
    const event = sampleEvent(bench.owner);
    await bench.apply({ writes: [], events: [event] });
    const again = { ...event, id: newId('evt') };
    await expectRefused(() => bench.apply({ writes: [], events: [again] }));
  },
  'finds authorizations that expired without a capture, oldest first': async (bench) => {
    const [first, second, third] = await fiveCharges(bench);
    assert.ok(first && second && third);
    const authorized = (charge: Charge, ms: number) =>
      ({
        mode: 'update',
        kind: 'charge',
        row: { ...charge, version: 2, status: 'authorized', captureBefore: later(ms) },
      }) as const;
    const writes = [authorized(first, 30), authorized(second, 20), authorized(third, 50)];
    await bench.apply({ writes });
    const find = (after?: AuthorizedCharge) =>
      bench.storage.transaction(({ charges }) =>
        charges.findExpiredAuthorizations(later(30), 1_000, after),
      );
    const mine = (await find()).filter(({ accountId }) => accountId === bench.owner.accountId);
    assert.deepEqual(ids(mine), [second.id, first.id]);
    const past = (await find(mine[0])).filter(
      ({ accountId }) => accountId === bench.owner.accountId,
    );
    assert.deepEqual(ids(past), [first.id]);
  },
};
