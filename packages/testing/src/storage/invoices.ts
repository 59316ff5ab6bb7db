import assert from 'node:assert/strict';
import type { DraftInvoice, Invoice, InvoiceLine } from '@paymount/core/billing';
import { type CustomerId, newId, type Owner } from '@paymount/core/kernel';
import { sampleCustomer } from './payments/customers.ts';
import { storedClock } from './payments/test-clocks.ts';
import { AT, later, sampleCharge, samplePaymentMethod } from './samples.ts';
import {
  expectCount,
  expectRefused,
  RACERS,
  race,
  type StorageCases,
  type StorageSetup,
} from './setup.ts';

type OpenInvoice = Extract<Invoice, { status: 'open' }>;

const PAGE = { limit: 10 };

/** A line with every field. */
function sampleLine(amount = 1_900): InvoiceLine {
  return {
    id: newId('il'),
    amount,
    description: 'Tee für März',
    quantity: 2,
    priceId: newId('price'),
    period: { start: AT.toISOString(), end: later(86_400_000).toISOString() },
    isProration: true,
    subscriptionItemId: newId('si'),
    invoiceItemId: newId('ii'),
  };
}

/** A draft with every field. */
export function sampleDraft(
  owner: Owner,
  customerId: CustomerId,
  more: Partial<DraftInvoice> = {},
): DraftInvoice {
  return {
    ...owner,
    id: newId('in'),
    version: 1,
    status: 'draft',
    customerId,
    subscriptionId: newId('sub'),
    periodIndex: 3,
    isAbandoned: false,
    billingReason: 'manual',
    currency: 'eur',
    collectionMethod: 'send_invoice',
    autoAdvance: true,
    daysUntilDue: 14,
    dueDate: null,
    defaultPaymentMethodId: newId('pm'),
    description: 'Zwölf Sorten',
    footer: 'IBAN DE00',
    metadata: { note: 'café' },
    lines: [sampleLine(), sampleLine(-400)],
    total: 1_500,
    periodStart: AT,
    periodEnd: later(1),
    attemptCount: 0,
    chargeId: null,
    created: AT,
    nextActionAt: later(2),
    createdBy: { type: 'key', id: 'key_1' },
    ...more,
  };
}

/** The same draft once it is issued. */
function issued({ nextActionAt: _, ...draft }: DraftInvoice, number: number): OpenInvoice {
  return {
    ...draft,
    version: draft.version + 1,
    status: 'open',
    dueDate: later(3),
    issue: {
      number,
      startingBalance: -500,
      endingBalance: 0,
      amountDue: draft.total - 500,
      issuedTo: { name: 'Ada', email: null, address: null },
      finalizedAt: AT,
    },
  };
}

/** Stores a customer. */
export async function storedCustomer(
  { owner: own, storage }: StorageSetup,
  owner: Owner = own,
): Promise<CustomerId> {
  const row = sampleCustomer(owner);
  const writes = [{ kind: 'customer', mode: 'insert', row }] as const;
  await storage.changes.apply({ ...owner, at: AT, writes });
  return row.id;
}

/** Stores a draft with two lines. */
export async function storedDraft(
  setup: StorageSetup,
  more: Partial<DraftInvoice> = {},
): Promise<DraftInvoice> {
  const row = sampleDraft(setup.owner, more.customerId ?? (await storedCustomer(setup)), more);
  await setup.apply({ writes: [{ kind: 'invoice', mode: 'insert', row }] });
  return row;
}

/** Stores a draft. @returns it, and the invoice that it becomes when it is issued */
export async function storedIssue(
  setup: StorageSetup,
): Promise<{ readonly draft: DraftInvoice; readonly open: OpenInvoice }> {
  const draft = await storedDraft(setup);
  return { draft, open: issued(draft, 1) };
}

const update = (setup: StorageSetup, row: Invoice) =>
  setup.apply({ writes: [{ kind: 'invoice', mode: 'update', row }] });

const kept: StorageCases = {
  'keeps invoices in each state, for their owner only': async (setup) => {
    const { owner, storage, strangers } = setup;
    const { invoices } = storage.read;
    const draft = await storedDraft(setup);
    assert.deepEqual(await invoices.find(owner, draft.id), draft);
    const open = issued(draft, 1);
    await update(setup, open);
    assert.deepEqual(await invoices.find(owner, draft.id), open);
    const doubtful = {
      ...open,
      version: 3,
      status: 'uncollectible',
      markedUncollectibleAt: AT,
      attemptCount: 2,
      chargeId: newId('ch'),
    } as const;
    await update(setup, doubtful);
    assert.deepEqual(await invoices.find(owner, draft.id), doubtful);
    const paid = {
      ...doubtful,
      version: 4,
      status: 'paid',
      paidAt: later(5),
      isPaidOutOfBand: true,
    } as const;
    await update(setup, paid);
    assert.deepEqual(await invoices.find(owner, draft.id), paid);
    const other = await storedDraft(setup, { lines: [], total: 0 });
    const { nextActionAt: _, ...rest } = other;
    const deleted = { ...rest, version: 2, status: 'deleted', deletedAt: AT } as const;
    await update(setup, deleted);
    assert.deepEqual(await invoices.findMany(owner, [other.id, newId('in')]), [deleted]);
    const third = await storedDraft(setup, { periodIndex: null, changedIndex: 3 });
    const voided = { ...issued(third, 2), status: 'void', voidedAt: AT } as const;
    await update(setup, voided);
    assert.deepEqual(await invoices.find(owner, third.id), voided);
    for (const stranger of strangers) {
      assert.equal(await invoices.find(stranger, draft.id), undefined);
      assert.deepEqual(await invoices.findMany(stranger, [draft.id]), []);
      assert.deepEqual((await invoices.list(stranger, {}, PAGE)).data, []);
    }
  },
  'lists invoices without deleted drafts, and by each filter': async (setup) => {
    const clock = await storedClock(setup);
    const on = { clock: { id: clock.id, now: AT, isAdvancing: false } };
    const first = await storedDraft(setup, { collectionMethod: 'charge_automatically' });
    const second = await storedDraft(setup);
    const third = await storedDraft(setup);
    const timed = sampleDraft(setup.owner, await storedCustomer(setup), on);
    await setup.apply({ writes: [{ kind: 'invoice', mode: 'insert', row: timed }], ...on });
    await update(setup, { ...issued(second, 1), chargeId: newId('ch') });
    const { nextActionAt: _, ...rest } = third;
    await update(setup, { ...rest, version: 2, status: 'deleted', deletedAt: AT });
    const { invoices } = setup.storage.read;
    const list = async (filter: Parameters<typeof invoices.list>[1]) =>
      (await invoices.list(setup.owner, filter, PAGE)).data.map(({ id }) => id);
    assert.deepEqual(await list({}), [second.id, first.id]);
    assert.deepEqual(await list({ status: 'draft' }), [first.id]);
    assert.deepEqual(await list({ status: 'open' }), [second.id]);
    assert.deepEqual(await list({ customerId: first.customerId }), [first.id]);
    assert.ok(second.subscriptionId);
    assert.deepEqual(await list({ subscriptionId: second.subscriptionId }), [second.id]);
    assert.deepEqual(await list({ collectionMethod: 'charge_automatically' }), [first.id]);
    assert.deepEqual(await list({ created: { gt: AT } }), []);
    assert.deepEqual(await list({ dueDate: { lte: later(3) } }), [second.id]);
    assert.deepEqual(await list({ dueDate: { lt: later(3) } }), []);
    assert.deepEqual(await list({ isTried: true }), [second.id]);
    assert.deepEqual(await list({ clock: clock.id }), [timed.id]);
    assert.deepEqual(await list({ customerId: timed.customerId }), [timed.id]);
    // A draft that is deleted between two pages stays a cursor.
    const page = { limit: 10, startingAfter: third.id };
    assert.equal((await invoices.list(setup.owner, {}, page)).data.length, 2);
  },
  'refuses another amount, line or number of an issued invoice': async (setup) => {
    const draft = await storedDraft(setup);
    await expectRefused(() => update(setup, { ...draft, version: 2, total: 1_501 }));
    const open = issued(draft, 1);
    await update(setup, open);
    const next = { ...open, version: 3 };
    for (const more of [
      { lines: [sampleLine(1_500)] },
      { issue: { ...open.issue, number: 2 } },
      { issue: { ...open.issue, amountDue: 999, endingBalance: 1 } },
    ]) {
      await expectRefused(() => update(setup, { ...next, ...more }));
    }
    assert.deepEqual(await setup.storage.read.invoices.find(setup.owner, draft.id), open);
  },
  'keeps at most one unresolved or paid charge of an invoice': async (setup) => {
    const { id: invoiceId } = await storedDraft(setup);
    const method = samplePaymentMethod(setup.owner);
    await setup.apply({ writes: [{ kind: 'payment_method', mode: 'insert', row: method }] });
    const charge = () => sampleCharge(setup.owner, method.id, { invoiceId });
    const insert = (row: ReturnType<typeof charge>) =>
      setup.apply({ writes: [{ kind: 'charge', mode: 'insert', row }] });
    const first = charge();
    assert.equal(await insert(first), 'applied');
    assert.deepEqual(
      (await setup.storage.read.charges.find(setup.owner, first.id))?.invoiceId,
      invoiceId,
    );
    await expectRefused(() => insert(charge()));
  },
};

const raced: StorageCases = {
  'lets one of many concurrent updates of an invoice win': async (setup) => {
    const draft = await storedDraft(setup);
    const results = await race(() => update(setup, issued(draft, 1)));
    expectCount(results, 'applied', 1);
    expectCount(results, 'raced', RACERS - 1);
  },
  'gives numbers of invoices without gaps, also if some roll back': async (setup) => {
    const { storage, owner, strangers } = setup;
    const lost = new Error('rolled back');
    const take = (of: Owner, fails: boolean) =>
      storage
        .transaction(async ({ invoices }) => {
          const number = await invoices.takeNumber(of);
          if (fails) throw lost;
          return number;
        })
        .catch((error) => {
          if (error !== lost) throw error;
          return 0;
        });
    const numbers = await race((caller) => take(owner, caller % 5 === 0));
    const given = numbers.filter((number) => number > 0).toSorted((a, b) => a - b);
    assert.deepEqual(
      given,
      Array.from({ length: RACERS - RACERS / 5 }, (_, index) => index + 1),
    );
    for (const stranger of strangers) assert.equal(await take(stranger, false), 1);
  },
  'reads a locked invoice as the transaction before has left it': async (setup) => {
    const draft = await storedDraft(setup, { attemptCount: 0 });
    await race(() =>
      setup.storage.transaction(async ({ invoices, changes }) => {
        const locked = await invoices.findForUpdate(setup.owner, draft.id);
        assert.ok(locked);
        const { version, attemptCount } = locked;
        const row = { ...locked, version: version + 1, attemptCount: attemptCount + 1 };
        const writes = [{ kind: 'invoice', mode: 'update', row }] as const;
        assert.equal(await changes.apply({ ...setup.owner, at: AT, writes }), 'applied');
      }),
    );
    const after = await setup.storage.read.invoices.find(setup.owner, draft.id);
    assert.equal(after?.attemptCount, RACERS);
  },
};

export const invoiceCases: StorageCases = { ...kept, ...raced };
