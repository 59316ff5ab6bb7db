import type { AreaStorage } from '../../changes/area-storage.ts';
import { applyIn } from '../../changes/commit.ts';
import { causeOf } from '../../changes/events/event-cause.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import { newId, parseId } from '../../kernel/basics/id.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import { type Maker, makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow, missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { assertInForce } from '../../kernel/input/currency.ts';
import { mergeMetadata } from '../../kernel/input/metadata.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { Customer } from '../../payments/customers/customer.ts';
import { findLiveCustomer } from '../../payments/customers/live-customer.ts';
import { assertSteady, clockField, timeOf } from '../../payments/test-clocks/object-clock.ts';
import type { Price } from '../prices/price.ts';
import { findLiveInvoice, findLiveItem, requireDraft } from './find-invoice.ts';
import { type DraftInvoice, draftWithLines } from './invoice.ts';
import { deletedItem, editedItem, type InvoiceItem, type InvoiceItemEdit } from './invoice-item.ts';
import { type InvoiceItemCreate, type InvoiceItemUpdate, mergeItem } from './invoice-item-input.ts';
import { toDeletedInvoiceItemResource, toInvoiceItemResource } from './invoice-item-resource.ts';
import { assertBillable, type InvoiceLine, lineOf, MAX_ITEMS } from './invoice-lines.ts';
import type { InvoiceOwner, InvoiceOwners } from './invoice-owner.ts';
import type { InvoiceItemFilter } from './invoice-repository.ts';
import {
  type InvoiceReaders,
  type InvoiceRepositories,
  type InvoiceWrite,
  invoiceUpdate,
} from './invoice-storage.ts';

export interface InvoiceItemPorts<Rows extends InvoiceRepositories = InvoiceRepositories> {
  readonly storage: AreaStorage<InvoiceReaders, Rows>;
  readonly invoiceOwners: Pick<InvoiceOwners<unknown, Rows>, 'hold'>;
  readonly clock: Clock;
}

/** Of a list, as it was sent. */
export interface InvoiceItemListFilter extends Omit<InvoiceItemFilter, 'customerId' | 'invoiceId'> {
  readonly customer?: string;
  readonly invoice?: string;
}

/** Amounts that wait for the next invoice of a customer, or are added to a draft. */
export class InvoiceItemService<Rows extends InvoiceRepositories = InvoiceRepositories> {
  readonly #ports: InvoiceItemPorts<Rows>;

  constructor(ports: InvoiceItemPorts<Rows>) {
    this.#ports = ports;
  }

  /**
   * @throws PaymountError `resource_missing`, `parameter_missing`, `parameters_exclusive`,
   *   `invalid_currency`, `price_not_one_time`, `price_inactive`, `invoice_not_draft`,
   *   `invoice_item_limit_reached`, `amount_too_large`, `metadata_limit_exceeded`,
   *   `test_clock_advancing`
   */
  async create(call: Call, input: InvoiceItemCreate): Promise<InvoiceItem> {
    const owner = ownerOf(call);
    const at = this.#ports.clock.now();
    const metadata = mergeMetadata({}, input.metadata);
    return this.#ports.storage.transaction(async (rows) => {
      const draft = await holdDraft(rows, owner, input.invoice);
      const customer = await findLiveCustomer(rows, owner, input.customer, 'customer');
      assertSteady(customer);
      if (draft !== undefined && draft.customerId !== customer.id) {
        const message = `Invoice ${draft.id} is of another customer.`;
        throw new PaymountError('parameter_invalid', message, { param: 'invoice' });
      }
      const createdBy = makerOf(call);
      const made = { owner, input, metadata, customer, at, draft, createdBy };
      const row = await newItem(rows, made);
      if (
        draft === undefined &&
        (await rows.invoiceItems.countWaiting(owner, customer.id)) >= MAX_ITEMS
      ) {
        throw new PaymountError('invoice_item_limit_reached');
      }
      await applyIn(rows, {
        ...owner,
        at,
        writes: [
          ...(draft === undefined ? [] : [updated(draft, [...draft.lines, lineOf(row)])]),
          { kind: 'invoice_item', mode: 'insert', row },
        ],
        ...clockField(row),
        ...resourceFields(call, toInvoiceItemResource(row)),
      });
      return row;
    });
  }

  /** @throws PaymountError `resource_missing`, also for a deleted one */
  async retrieve(call: Call, id: string): Promise<InvoiceItem> {
    const { invoiceItems } = this.#ports.storage.read;
    return findLiveItem((...of) => invoiceItems.find(...of), ownerOf(call), id);
  }

  /** Newest first, without deleted ones. @throws PaymountError `resource_missing`, `invalid_cursor` */
  async list(
    call: Call,
    { customer, invoice, ...rest }: InvoiceItemListFilter,
    page: PageRequest,
  ): Promise<Page<InvoiceItem>> {
    const customerId = customer === undefined ? undefined : parseId('cus', customer);
    if (customer !== undefined && !customerId) throw missing('customer', customer, 'customer');
    const invoiceId = invoice === undefined ? undefined : parseId('in', invoice);
    if (invoice !== undefined && !invoiceId) throw missing('invoice', invoice, 'invoice');
    const filter = {
      ...rest,
      ...(customerId && { customerId }),
      ...(invoiceId && { invoiceId }),
    };
    return this.#ports.storage.read.invoiceItems.list(ownerOf(call), filter, page);
  }

  /**
   * Changes an item that waits, or that is on a draft. One that bills a change of a subscription, and asks for
   * less then, bills nothing: its time gives nothing back.
   * @throws PaymountError `resource_missing`, `invoice_not_draft`, `invoice_item_credited`, `parameters_exclusive`,
   *   `amount_too_large`, `metadata_limit_exceeded`
   */
  async update(call: Call, id: string, input: InvoiceItemUpdate): Promise<InvoiceItem> {
    return this.#change(call, id, (item) => {
      const edit = mergeItem(item, input);
      const row = editedItem(item, { ...edit, description: textOf(edit, item.description) });
      return {
        row,
        resource: toInvoiceItemResource(row),
        toLine: (line) => lineOf(row, line.id),
      };
    });
  }

  /**
   * Deletes an item that waits, or that is on a draft. If it bills a change of a subscription, its time gives
   * nothing back.
   * @throws PaymountError `resource_missing`, `invoice_not_draft`, `invoice_item_credited`
   */
  async delete(call: Call, id: string): Promise<InvoiceItem> {
    return this.#change(call, id, (item) => {
      const row = deletedItem(item, this.#ports.clock.now());
      return { row, resource: toDeletedInvoiceItemResource(row), toLine: () => undefined };
    });
  }

  /** Changes an item and its line on a draft, whose row is locked first. */
  async #change(
    call: Call,
    id: string,
    decide: (item: InvoiceItem) => {
      readonly row: InvoiceItem;
      readonly resource: object;
      readonly toLine: (line: InvoiceLine) => InvoiceLine | undefined;
    },
  ): Promise<InvoiceItem> {
    const owner = ownerOf(call);
    return this.#ports.storage.transaction(async (rows) => {
      const seen = await findLiveItem((...of) => rows.invoiceItems.find(...of), owner, id);
      // The subscription first: in this order all who lock them do.
      const subscription = await this.#holdOwner(rows, call, seen);
      const draft = seen.invoiceId
        ? requireDraft(await lockInvoice(rows, owner, seen.invoiceId))
        : undefined;
      const item = await findLiveItem((...of) => rows.invoiceItems.findForUpdate(...of), owner, id);
      // An invoice has taken it, or has let it go, since it was read.
      if (item.invoiceId !== seen.invoiceId) throw new PaymountError('lock_timeout');
      assertSteady(item);
      const { row, resource, toLine } = decide(item);
      const lines = draft?.lines.flatMap((line) =>
        line.invoiceItemId === item.id ? (toLine(line) ?? []) : [line],
      );
      const at = this.#ports.clock.now();
      const isLess = row.deletedAt !== undefined || row.amount < item.amount;
      const isUnbilled = subscription !== undefined && item.amount > 0 && isLess;
      if (isUnbilled) await assertNotCredited(rows, item);
      const effects = isUnbilled ? subscription.unbilled?.(item, at) : undefined;
      await applyIn(rows, {
        ...owner,
        at,
        ...effects,
        writes: [
          ...(effects?.writes ?? []),
          ...(draft && lines ? [updated(draft, lines)] : []),
          { kind: 'invoice_item', mode: 'update', row },
        ],
        ...clockField(row),
        ...resourceFields(call, resource),
      });
      return row;
    });
  }

  /** Locks the subscription of which an item bills a change; undefined: it bills none. */
  async #holdOwner(rows: Rows, call: Call, item: InvoiceItem): Promise<InvoiceOwner | undefined> {
    const { accountId, environment, subscriptionId, isProration, subscriptionItemId } = item;
    if (subscriptionId === null || subscriptionItemId === null || !isProration) return undefined;
    const of = { accountId, environment, subscriptionId, cause: causeOf(call) };
    return this.#ports.invoiceOwners.hold(rows, of);
  }
}

/**
 * A later change gave back time that an item bills, so that must go first.
 * @throws PaymountError `invoice_item_credited`
 */
async function assertNotCredited(
  { invoiceItems }: Pick<InvoiceRepositories, 'invoiceItems'>,
  item: InvoiceItem,
): Promise<void> {
  const { accountId, environment, customerId } = item;
  const page = { limit: MAX_ITEMS };
  const { data } = await invoiceItems.list({ accountId, environment }, { customerId }, page);
  const credit = data.find(
    (each) =>
      each.subscriptionItemId === item.subscriptionItemId &&
      each.isProration &&
      each.amount < 0 &&
      each.id > item.id &&
      each.periodStart < item.periodEnd &&
      item.periodStart < each.periodEnd,
  );
  if (credit === undefined) return;
  const message = `Invoice item ${credit.id} gives back time that ${item.id} bills. Delete ${credit.id} first, or change the subscription instead.`;
  throw new PaymountError('invoice_item_credited', message);
}

/** The item of a request, whose price or amount is checked. */
async function newItem(
  rows: Pick<InvoiceRepositories, 'prices' | 'products'>,
  made: {
    readonly owner: Owner;
    readonly input: InvoiceItemCreate;
    readonly metadata: InvoiceItem['metadata'];
    readonly customer: Customer;
    readonly at: Date;
    readonly draft: DraftInvoice | undefined;
    readonly createdBy: Maker;
  },
): Promise<InvoiceItem> {
  const { owner, input, metadata, customer, at, draft, createdBy } = made;
  const price = await findPrice(rows, owner, input);
  const currency = currencyOf(input, price, draft);
  const created = timeOf(customer, at);
  assertInForce(currency, at, 'currency');
  if (price === undefined && input.amount === undefined && input.unit_amount === undefined) {
    const message = 'Send amount, unit_amount, or price, the id of a price that is charged once.';
    throw new PaymountError('parameter_missing', message, { param: 'amount' });
  }
  const blank: InvoiceItemEdit = {
    unitAmount: price?.unitAmount ?? 0,
    quantity: 1,
    description: '',
    periodStart: created,
    periodEnd: created,
    metadata,
  };
  const edit = mergeItem(blank, input);
  const product = price && (await rows.products.find(owner, price.productId));
  return {
    ...owner,
    ...edit,
    description: textOf(edit, product?.name ?? ''),
    id: newId('ii'),
    version: 1,
    customerId: customer.id,
    currency,
    amount: edit.unitAmount * edit.quantity,
    priceId: price?.id ?? null,
    isProration: false,
    isEdited: false,
    invoiceId: draft?.id ?? null,
    subscriptionId: null,
    subscriptionItemId: null,
    created,
    createdBy,
    ...clockField(customer),
  };
}

/** An empty description counts as absent: people read what it is for. */
function textOf({ description }: InvoiceItemEdit, otherwise: string): string {
  return description === '' ? otherwise : description;
}

async function findPrice(
  { prices }: Pick<InvoiceRepositories, 'prices'>,
  owner: Owner,
  { price: named, pricing, amount, unit_amount: unitAmount }: InvoiceItemCreate,
): Promise<Price | undefined> {
  const name = named ?? pricing?.price;
  if (name === undefined) return undefined;
  const param = named === undefined ? 'pricing[price]' : 'price';
  if (amount !== undefined || unitAmount !== undefined) {
    const message = 'Send either a price or an amount, not both.';
    throw new PaymountError('parameters_exclusive', message, { param });
  }
  const asked = { noun: 'price', prefix: 'price', param } as const;
  const price = await findOrThrow(asked, name, (id) => prices.find(owner, id));
  if (price.recurring !== null) {
    const message = `Price ${price.id} recurs; send one that is charged once.`;
    throw new PaymountError('price_not_one_time', message, { param });
  }
  if (!price.active) {
    const message = `Price ${price.id} is not active; activate it first.`;
    throw new PaymountError('price_inactive', message, { param });
  }
  return price;
}

/** An invoice has one currency. */
function currencyOf(
  { currency: sent }: InvoiceItemCreate,
  price: Price | undefined,
  draft: DraftInvoice | undefined,
): string {
  const currency = sent ?? price?.currency ?? draft?.currency;
  if (currency === undefined) {
    const message = 'Send currency, such as eur.';
    throw new PaymountError('parameter_missing', message, { param: 'currency' });
  }
  const other = [price, draft].find((each) => each !== undefined && each.currency !== currency);
  if (other === undefined) return currency;
  const message = `The currency of ${other.id} is ${other.currency}, not ${currency}.`;
  throw new PaymountError('invalid_currency', message, { param: 'currency' });
}

async function holdDraft(
  rows: InvoiceRepositories,
  owner: Owner,
  name: string | undefined,
): Promise<DraftInvoice | undefined> {
  if (name === undefined) return undefined;
  return requireDraft(await lockInvoice(rows, owner, name, 'invoice'), 'invoice');
}

function lockInvoice(rows: InvoiceRepositories, owner: Owner, name: string, param?: string) {
  return findLiveInvoice((...of) => rows.invoices.findForUpdate(...of), owner, name, param);
}

/** @throws PaymountError `invoice_item_limit_reached`, `amount_too_large` */
function updated(draft: DraftInvoice, lines: readonly InvoiceLine[]): InvoiceWrite {
  assertBillable(lines, 'amount');
  return invoiceUpdate(draft, draftWithLines(draft, lines));
}
