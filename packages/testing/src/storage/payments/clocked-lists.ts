import assert from 'node:assert/strict';
import { newId, type TestClockId } from '@paymount/core/kernel';
import type { BalanceTransaction } from '@paymount/core/ledger';
import {
  AT,
  later,
  sampleCharge,
  sampleEvent,
  samplePaymentMethod,
  sampleRefund,
} from '../samples.ts';
import { expectRefused, type StorageCases, type StorageSetup } from '../setup.ts';
import { sampleCustomer } from './customers.ts';
import { sampleDispute } from './dispute-samples.ts';
import { samplePayout, storedBankAccount } from './payouts.ts';
import { storedClock } from './test-clocks.ts';

const PAGE = { limit: 10 };
/** The clock is far ahead, so what is on it is newer than everything else. */
const AHEAD = later(9 * 365 * 86_400_000);

/** One object of each kind. @param clock the test clock that they are on */
async function storedObjects(setup: StorageSetup, clock?: TestClockId) {
  const { owner } = setup;
  const created = clock === undefined ? AT : AHEAD;
  const on = clock && { clock: { id: clock, now: AT, isAdvancing: false } };
  const withClock = clock && { testClockId: clock };
  const method = samplePaymentMethod(owner);
  const charge = sampleCharge(owner, method.id, { ...on, created });
  const refund = { ...sampleRefund(charge, 100), ...withClock, created };
  const dispute = sampleDispute(charge, { ...withClock, created });
  const customer = { ...sampleCustomer(owner), ...on, created };
  const { id: destination } = await storedBankAccount(setup, clock === undefined ? 'eur' : 'usd');
  const payout = { ...samplePayout(owner, destination, null), ...on, created };
  const event = { ...sampleEvent(owner), ...withClock, created };
  const transaction: BalanceTransaction = {
    ...owner,
    id: newId('txn'),
    type: 'charge',
    sourceId: charge.id,
    amount: 100n,
    fee: 0n,
    feeDetails: [],
    currency: 'eur',
    status: 'pending',
    availableOn: created,
    created,
  };
  await setup.storage.transaction(({ ledger }) => ledger.lockBalance(owner, 'eur'));
  const applied = await setup.apply({
    ...on,
    writes: [
      { kind: 'payment_method', mode: 'insert', row: method },
      { kind: 'charge', mode: 'insert', row: charge },
      { kind: 'refund', mode: 'insert', row: refund },
      { kind: 'dispute', mode: 'insert', row: dispute },
      { kind: 'customer', mode: 'insert', row: customer },
      { kind: 'payout', mode: 'insert', row: payout },
    ],
    balanceTransactions: [transaction],
    events: [event],
  });
  assert.equal(applied, 'applied');
  return { charge, refund, dispute, customer, payout, event, transaction };
}

type Stored = Awaited<ReturnType<typeof storedObjects>>;

/** The ids of each list, by what it lists. */
async function listed(setup: StorageSetup, filter: { readonly clock?: TestClockId }) {
  const { owner, storage } = setup;
  const { charges, refunds, disputes, customers, payouts, events, ledger } = storage.read;
  const pages = {
    charge: await charges.list(owner, filter, PAGE),
    refund: await refunds.list(owner, filter, PAGE),
    dispute: await disputes.list(owner, filter, PAGE),
    customer: await customers.list(owner, filter, PAGE),
    payout: await payouts.list(owner, filter, PAGE),
    event: await events.list(owner, filter, PAGE),
    transaction: await ledger.listTransactions(owner, filter, PAGE),
  };
  return Object.fromEntries(
    Object.entries(pages).map(([kind, { data }]) => [
      kind,
      data.map(({ id }: { readonly id: string }) => id),
    ]),
  );
}

const idsOf = (stored: Stored) =>
  Object.fromEntries(Object.entries(stored).map(([kind, { id }]) => [kind, [id]]));

/** Lists beside objects on test clocks. */
export const clockedListCases: StorageCases = {
  'lists what is on a test clock only if that is asked for': async (setup) => {
    const { id: clock } = await storedClock(setup);
    const { id: other } = await storedClock(setup);
    const plain = await storedObjects(setup);
    const clocked = await storedObjects(setup, clock);
    assert.deepEqual(await listed(setup, {}), idsOf(plain));
    assert.deepEqual(await listed(setup, { clock }), idsOf(clocked));
    const none = Object.fromEntries(Object.keys(plain).map((kind) => [kind, []]));
    assert.deepEqual(await listed(setup, { clock: other }), none);
    const { charges } = setup.storage.read;
    const behind = { ...PAGE, startingAfter: clocked.charge.id };
    await expectRefused(() => charges.list(setup.owner, {}, behind), 'invalid_cursor');
  },
  'filters what is on a test clock, and what is on none, in the same way': async (setup) => {
    const { id: clock } = await storedClock(setup);
    const plain = await storedObjects(setup);
    const clocked = await storedObjects(setup, clock);
    const { owner, storage } = setup;
    const { disputes, payouts, customers, refunds } = storage.read;
    for (const [filter, own] of [
      [{}, plain],
      [{ clock }, clocked],
    ] as const) {
      const { dispute, payout, customer } = own;
      const status = dispute.status;
      const found = [
        await disputes.list(owner, { ...filter, status }, PAGE),
        await payouts.list(owner, { ...filter, destinationId: payout.destinationId }, PAGE),
        await customers.list(owner, { ...filter, email: customer.email ?? '' }, PAGE),
      ];
      const ids = found.map(({ data }) => data.map(({ id }: { readonly id: string }) => id));
      assert.deepEqual(ids, [[dispute.id], [payout.id], [customer.id]]);
    }
    // One charge has one time, so its refunds are listed whatever the clock.
    const ofCharge = await refunds.list(owner, { chargeId: clocked.charge.id }, PAGE);
    assert.deepEqual(
      ofCharge.data.map(({ id }) => id),
      [clocked.refund.id],
    );
  },
};
